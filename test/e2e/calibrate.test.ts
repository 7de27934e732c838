/** `calibrate` and the null server as a user meets them. What is found is the machine's affair. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CalibrationReport, calibrationReportSchema } from "../../src/result/calibration-schema.ts";
import { type Running, Workplace } from "../support/run-cli.ts";
import { httpServer } from "../support/servers.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

const TIMEOUT_MS = 180_000;

let workplace: Workplace;
let cacheBefore: string | undefined;

beforeEach(async () => {
  workplace = await Workplace.open();
  cacheBefore = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = join(workplace.path, "cache");
});

afterEach(async () => {
  if (cacheBefore === undefined) Reflect.deleteProperty(process.env, "XDG_CACHE_HOME");
  else process.env.XDG_CACHE_HOME = cacheBefore;
  await workplace.close();
});

function reportOf(stdout: string): CalibrationReport {
  return calibrationReportSchema.parse(JSON.parse(stdout));
}

/** Processes that this one started, by what /proc says. */
function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && statusOf(Number(name)).includes(`\nPPid:\t${pid}\n`))
    .map(Number);
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return ""; // It has ended.
  }
}

describe.runIf(IS_THOROUGH)("overload-bench calibrate", () => {
  it(
    "finds a rate with real trials, and answers for a plan from what it found",
    async () => {
      const { exitCode, stdout } = await workplace.run(["calibrate", "-d", "250ms", "--json"]);
      const found = reportOf(stdout);
      expect(found.steps.length).toBeGreaterThan(2);
      // On a machine that is busy with other things it may hold nothing, and it keeps nothing.
      expect(exitCode).toBe(found.calibration === null ? 4 : 0);
      if (found.savedTo === null) return;
      expect(found.savedTo).toBe(join(workplace.path, "cache", "overload-bench", "calibration.json"));
      const asked = await workplace.run(["calibrate", "--rps", "1", "--json"]);
      expect(reportOf(asked.stdout)).toEqual({ ...found, steps: [], plan: expect.objectContaining({ fit: "fits" }) });
      expect(asked.exitCode).toBe(0);
    },
    TIMEOUT_MS,
  );
});

describe.skipIf(process.platform !== "linux")("the null server of a run", () => {
  let running: Running;

  it(
    "is gone when the program has been killed",
    async () => {
      const server = await httpServer((_request, response) => response.end());
      running = workplace.start(["--url", server.url, "--rps", "20", "--duration", "60s"]);
      await running.said("5/60 s");
      const children = childrenOf(running.child.pid as number);
      const nullServers = children.filter((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("null-server"),
      );
      expect(nullServers).toHaveLength(1);
      process.kill(running.child.pid as number, "SIGKILL");
      await running.ended;
      await expect.poll(() => nullServers.filter((pid) => statusOf(pid) !== ""), { timeout: 10_000 }).toEqual([]);
      await server.close();
    },
    TIMEOUT_MS,
  );
});
