/** What is not as it was when an experiment was recorded, though what comes out may depend on it. */

import type { Result } from "../result/schema.ts";
import { type Difference, fields } from "./reproduce-differences.ts";

/** What a result says of where it was made, and of what. */
export type Setting = Pick<Result, "tool" | "environment" | "config" | "plan">;

/** Options of simulations alone do not depend on it. */
const SIMULATED_AT_A_TIME = "workers";

/** One short phrase each. */
export function settingDifferences(then: Setting, now: Setting): readonly string[] {
  return [
    ...changed("overload-bench", then.tool.version, now.tool.version),
    ...changed("runtime", runtimeOf(then), runtimeOf(now)),
    ...changed("machine", machineOf(then), machineOf(now)),
    ...configDifferences(then, now),
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

function configDifferences(then: Setting, now: Setting): readonly string[] {
  const isVirtual = (now.config.world as { readonly kind?: unknown } | undefined)?.kind === "virtual";
  return fields("", then.config, now.config, new Set(isVirtual ? [SIMULATED_AT_A_TIME] : [])).map(configDifference);
}

function configDifference({ field, recorded, now }: Difference): string {
  if (field.endsWith("policySha256")) return "the policy's file has changed";
  if (field.endsWith("bodySha256")) return "the body is another one";
  return `${field} ${shown(recorded)}, now ${shown(now)}`;
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
