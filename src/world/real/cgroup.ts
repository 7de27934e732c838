/** How long the CPU limits of this process's control groups have held it back. */

import { readFileSync } from "node:fs";

/** @returns the text of a file, undefined when it cannot be read. */
export type ReadText = (path: string) => string | undefined;

const ROOT = "/sys/fs/cgroup";
/** Where distributions mount the `cpu` controller of the first version. */
const FIRST_VERSION_ROOTS = [`${ROOT}/cpu,cpuacct`, `${ROOT}/cpu`] as const;

/**
 * Seconds for which a CPU limit kept processes of our groups from running, since the group was made, summed over processors.
 * A limit may be on our own group or on any around it: each file tells of its own limit only, so they add up.
 *
 * Sources: Linux, Documentation/admin-guide/cgroup-v2.rst (`throttled_usec`) and Documentation/scheduler/sched-bwc.rst
 * (`throttled_time`, nanoseconds, of the first version).
 *
 * @returns undefined where no group with a CPU controller can be read.
 */
export function throttledSeconds(read: ReadText = readText): number | undefined {
  const groups = read("/proc/self/cgroup");
  if (groups === undefined) return undefined;
  const known = folders(groups)
    .map((folder) => parseThrottled(read(`${folder}/cpu.stat`) ?? ""))
    .filter((seconds) => seconds !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, seconds) => sum + seconds, 0);
}

/** @param text of a `cpu.stat`. @returns undefined when it tells of no limit. */
export function parseThrottled(text: string): number | undefined {
  const usec = /^throttled_usec (\d+)$/m.exec(text)?.[1];
  if (usec !== undefined) return Number(usec) / 1e6;
  const nsec = /^throttled_time (\d+)$/m.exec(text)?.[1];
  return nsec === undefined ? undefined : Number(nsec) / 1e9;
}

/**
 * The folders of our groups and of those around them. A container sees its own group as the root, whatever path it is told,
 * so the root is always among them; what is not there is not read.
 *
 * @param groups lines of `hierarchy:controllers:path`, with no controllers for the second version (cgroups(7)).
 */
function folders(groups: string): string[] {
  const found = new Set<string>();
  for (const line of groups.split("\n")) {
    const [, , controllers, path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    const roots = controllers === "" ? [ROOT] : controllers.split(",").includes("cpu") ? FIRST_VERSION_ROOTS : [];
    for (const root of roots) for (const around of pathAndParents(path)) found.add(`${root}${around}`);
  }
  return [...found];
}

/** `/a/b` -> `/a/b`, `/a` and the root, an empty text. */
function pathAndParents(path: string): string[] {
  const parts = path.split("/").filter(Boolean);
  return Array.from({ length: parts.length + 1 }, (_, cut) =>
    parts
      .slice(0, parts.length - cut)
      .map((part) => `/${part}`)
      .join(""),
  );
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
