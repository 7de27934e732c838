/** What is not as it was when an experiment was recorded, though what comes out may depend on it. */

import type { Result } from "../../../result/schema.ts";
import { configDifferences, differenceText } from "../../session/config-differences.ts";

/** What a result says of where it was made, and of what. */
export type Setting = Pick<Result, "tool" | "environment" | "config" | "plan">;

/** One short phrase each. */
export function settingDifferences(then: Setting, now: Setting): readonly string[] {
  return [
    ...changed("overload-bench", then.tool.version, now.tool.version),
    ...changed("runtime", runtimeOf(then), runtimeOf(now)),
    ...changed("machine", machineOf(then), machineOf(now)),
    ...configDifferences(then.config, now.config).map(differenceText),
    ...(then.plan.hash === now.plan.hash ? [] : ["the plan: other arrivals"]),
  ];
}

function changed(what: string, then: string, now: string): readonly string[] {
  return then === now ? [] : [`${what} ${then}, now ${now}`];
}

function runtimeOf({ environment: { runtime, runtimeVersion } }: Setting): string {
  return `${runtime} ${runtimeVersion}`;
}

function machineOf({ environment: { platform, arch, cpuModel, cpus } }: Setting): string {
  return `${platform} ${arch}, ${cpus} x ${cpuModel}`;
}
