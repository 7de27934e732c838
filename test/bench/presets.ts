/**
 * All presets in simulation: what they do to a backend, as a Markdown table.
 *
 *   bun test/bench/presets.ts [name ...]
 *
 * Every preset has its source's defaults, but for four attempts in the storm, where it has such an option. It is warmed up for
 * two of its windows, at least a minute. The scenarios are those of test/support/bake-off.ts; storms are medians of ten seeds, outages
 * of three.
 */

import process from "node:process";
import { policyPresets } from "../../src/policy/catalogue.ts";
import type { PolicyPreset } from "../../src/policy/preset.ts";
import { median } from "../../src/stats/median.ts";
import { type Contender, fixedFailure, lastingOverload, outageRecovery, stormRecovery } from "../support/bake-off.ts";

const STORM_SEEDS = 10;
const OUTAGE_SEEDS = 3;
const STORM_HORIZON_SECONDS = 240;
const OUTAGE_SECONDS = 240;
const OUTAGE_HORIZON_SECONDS = 1200;
const STORM_ATTEMPTS = 4;
const WARMUP_SECONDS_MIN = 60;

/** They let calls wait without a bound, and each that waits asks again for each permit: some scenarios take hours. */
const WAITING: ReadonlySet<string> = new Set(["aws-adaptive", "beam"]);
const NOT_RUN = "-";

const HEADER = [
  "policy",
  "overload: goodput, share of capacity",
  "shared by all",
  "amplification",
  "waste",
  "half fails: load per call",
  "success",
  "storm, 1 client: recovery s",
  "stuck",
  "50 clients: recovery s",
  "stuck",
  "outage of 240 s: recovery s",
];

async function row(preset: PolicyPreset): Promise<string[]> {
  const { name } = preset;
  const policy: Contender = { name, options: {} };
  const stormy: Contender = {
    name,
    options: preset.options.maxAttempts === undefined ? {} : { maxAttempts: STORM_ATTEMPTS },
  };
  const warmupSeconds = Math.ceil(Math.max(WARMUP_SECONDS_MIN, 2 * (preset.options.window?.default ?? 0)));
  const overload = await lastingOverload(policy, warmupSeconds);
  const waits = WAITING.has(name);
  const shared = waits ? undefined : await lastingOverload({ name, options: { scope: "process" } }, warmupSeconds);
  const failing = waits ? undefined : await fixedFailure(policy, 0.5, 300);
  const storms: string[] = [];
  for (const users of [1, 50]) {
    const recoveries: (number | undefined)[] = [];
    for (let seed = 1; seed <= STORM_SEEDS; seed += 1) {
      recoveries.push(await stormRecovery(stormy, { users, seed, warmupSeconds }, STORM_HORIZON_SECONDS));
    }
    storms.push(...summary(recoveries));
  }
  const outages: (number | undefined)[] = [];
  for (let seed = 1; seed <= OUTAGE_SEEDS && !waits; seed += 1) {
    outages.push(await outageRecovery(policy, { seed, warmupSeconds }, OUTAGE_SECONDS, OUTAGE_HORIZON_SECONDS));
  }
  return [
    name,
    (overload.success * 10).toFixed(2),
    shared === undefined ? NOT_RUN : (shared.success * 10).toFixed(2),
    overload.amplification.toFixed(2),
    overload.waste.toFixed(2),
    failing?.amplification.toFixed(2) ?? NOT_RUN,
    failing?.success.toFixed(2) ?? NOT_RUN,
    ...storms,
    waits ? NOT_RUN : (summary(outages)[0] as string),
  ];
}

/** The median, those that never recovered counted as later than all; and how many of them there were. */
function summary(recoveries: readonly (number | undefined)[]): [recovery: string, stuck: string] {
  const stuck = recoveries.filter((recovery) => recovery === undefined).length;
  const middle = median(recoveries.map((recovery) => recovery ?? Number.POSITIVE_INFINITY));
  return [Number.isFinite(middle) ? String(middle) : "never", `${stuck}/${recoveries.length}`];
}

const named = process.argv.slice(2);
console.log(`| ${HEADER.join(" | ")} |`);
console.log(`|${HEADER.map((_, index) => (index === 0 ? " --- " : " ---: ")).join("|")}|`);
for (const preset of policyPresets) {
  if (named.length > 0 && !named.includes(preset.name)) continue;
  console.log(`| ${(await row(preset)).join(" | ")} |`);
}
