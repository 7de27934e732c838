/** What a result says beside its trials, as OpenMetrics families: a capacity, and the verdicts on a recovery. */

import type { Capacity } from "../../result/governor-schema.ts";
import type { ArmRecovery } from "../../result/recovery-schema.ts";
import type { NamedResult } from "../named-result.ts";
import type { Labels, TextFamily, TextSample } from "./openmetrics-text.ts";

interface Found<Of> {
  readonly name: string;
  readonly unit?: string;
  readonly help: string;
  readonly samples: (of: Of) => readonly TextSample[];
}

const VERDICTS: readonly ArmRecovery["verdict"][] = ["stable", "vulnerable", "metastable", "overloaded", "unknown"];

const CAPACITY: readonly Found<Capacity>[] = [
  {
    name: "capacity_goodput_calls_per_second",
    unit: "calls_per_second",
    help: "Calls that came back ok where the offer came to rest.",
    samples: ({ goodput }) => [sample(goodput)],
  },
  {
    name: "capacity_goodput_bound_calls_per_second",
    unit: "calls_per_second",
    help: "The ends of its interval.",
    samples: ({ interval }) =>
      interval === null ? [] : [sample(interval.low, { bound: "low" }), sample(interval.high, { bound: "high" })],
  },
  {
    name: "capacity_offer",
    help: "The offer at rest: calls per second, or calls at once.",
    samples: ({ offer, control }) => [sample(offer, { control })],
  },
  {
    name: "capacity_failures_ratio",
    unit: "ratio",
    help: "Share of the attempts that failed there.",
    samples: ({ failedShare }) => [sample(failedShare)],
  },
  {
    name: "capacity_failure_bound_ratio",
    unit: "ratio",
    help: "The share that was declared bearable.",
    samples: ({ failureBound }) => [sample(failureBound)],
  },
  {
    name: "capacity_found",
    help: "1 where the offer came to rest below the failure bound; else the figures are no capacity.",
    samples: ({ held, saturated }) => [sample(held && !saturated ? 1 : 0)],
  },
];

const RECOVERY: readonly Found<ArmRecovery>[] = [
  {
    name: "recovery_verdict",
    help: "1 for the verdict on the arm.",
    samples: ({ verdict }) => VERDICTS.map((each) => sample(each === verdict ? 1 : 0, { verdict: each })),
  },
  {
    name: "recovery_trials",
    help: "Trials that the verdict is of.",
    samples: ({ trials }) => [sample(trials)],
  },
  {
    name: "recovery_stuck_ratio",
    unit: "ratio",
    help: "Share of them that did not come back within the horizon.",
    samples: ({ trials, stuck }) => (trials === 0 ? [] : [sample(stuck.share)]),
  },
  {
    name: "recovery_median_seconds",
    unit: "seconds",
    help: "From the end of the trigger until the system was back; absent where half of the trials were stuck.",
    samples: ({ seconds }) => optional(seconds.median),
  },
  {
    name: "recovery_depth_ratio",
    unit: "ratio",
    help: "How deep it fell: 1 - the lowest share of the calls of five seconds that came back ok, the median.",
    samples: ({ depth }) => optional(depth.median),
  },
  {
    name: "recovery_amplification_after_ratio",
    unit: "ratio",
    help: "Attempts sent per call after the trigger, the median.",
    samples: ({ amplificationAfter }) => optional(amplificationAfter.median),
  },
];

export function findingFamilies(results: readonly NamedResult[]): readonly TextFamily[] {
  const several = results.length > 1;
  const labels = (name: string): Labels => (several ? { result: name } : {});
  const capacities = results.flatMap(({ name, result: { capacity } }) =>
    capacity === undefined ? [] : [{ of: capacity, labels: labels(name) }],
  );
  const arms = results.flatMap(({ name, result: { recovery } }) =>
    (recovery?.arms ?? []).map((arm) => ({ of: arm, labels: { ...labels(name), arm: arm.arm } })),
  );
  return [...families(CAPACITY, capacities), ...families(RECOVERY, arms)];
}

function families<Of>(
  found: readonly Found<Of>[],
  all: readonly { readonly of: Of; readonly labels: Labels }[],
): readonly TextFamily[] {
  return found.map(({ samples, ...family }) => ({
    ...family,
    type: "gauge",
    samples: all.flatMap(({ of, labels }) =>
      samples(of).map((each) => ({ ...each, labels: { ...labels, ...each.labels } })),
    ),
  }));
}

function sample(value: number, labels: Labels = {}): TextSample {
  return { suffix: "", labels, value };
}

function optional(value: number | null): readonly TextSample[] {
  return value === null ? [] : [sample(value)];
}
