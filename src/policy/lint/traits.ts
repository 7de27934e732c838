/** What a lint needs to know of a policy, whatever its source calls it. */

import type { ResolvedPolicy } from "../catalogue.ts";

/** An admission throttle in the terms of the engine that they all are cases of. */
export interface ThrottleTraits {
  /** Attempts per accepted one up to which nothing is rejected. */
  readonly k: number;
  /** When an attempt becomes a request. */
  readonly countsAt: "attempt" | "completion";
  /** Whether what it rejects itself counts as a request. */
  readonly countsLocal: boolean;
  /** Largest probability of a rejection; 1 is no cap. */
  readonly maxReject: number;
  /** Whether an attempt passes now and then whatever the counts say. */
  readonly forcesPasses: boolean;
  /** Whether its counts go only when another result is recorded: nothing sent, nothing forgotten. */
  readonly forgetsAtRecord: boolean;
}

/** How much a retry budget grants each client however little it calls. */
export type RetryFloor =
  /** Retries a second, beside a share of the calls. */
  | { readonly kind: "perSecond"; readonly perSecond: number; readonly share: number }
  /** Retries under way at once, beside a share of the calls under way. */
  | { readonly kind: "concurrent"; readonly count: number; readonly share: number }
  /** Retries in one go, before anything has been earned. */
  | { readonly kind: "burst"; readonly count: number };

export interface PolicyTraits {
  readonly windowSeconds: number | undefined;
  readonly throttle: ThrottleTraits | undefined;
  readonly floor: RetryFloor | undefined;
}

type Counting = Pick<ThrottleTraits, "countsAt" | "countsLocal">;

/** What throttles count, where that is no option of theirs. */
const COUNTING: Readonly<Record<string, Counting>> = {
  sre: { countsAt: "attempt", countsLocal: true },
  "sre-throttle": { countsAt: "attempt", countsLocal: true },
  "sre-completion": { countsAt: "completion", countsLocal: true },
  "sre-criticality": { countsAt: "attempt", countsLocal: true },
  "sre-sent-only": { countsAt: "completion", countsLocal: false },
  "envoy-admission": { countsAt: "completion", countsLocal: false },
  "finagle-nack": { countsAt: "completion", countsLocal: false },
  "go-zero": { countsAt: "completion", countsLocal: true },
  kratos: { countsAt: "completion", countsLocal: true },
  "failsafe-go-throttle": { countsAt: "completion", countsLocal: false },
  beam: { countsAt: "attempt", countsLocal: true },
};

/** {@link COUNTING} for a throttle that it does not know: nothing is said against such a one that may not hold. */
const UNKNOWN: Counting = { countsAt: "completion", countsLocal: false };

const FORGETS_AT_RECORD: ReadonlySet<string> = new Set(["failsafe-go-throttle"]);

/** Names that the sources give to the time over which they count. */
const WINDOWS = ["window", "samplingDuration", "rollingStatsTime", "rollingCountTimeout", "duration"] as const;

/** Names that the sources give to the largest probability of a rejection. */
const CAPS = ["maxReject", "maxRejectionRate", "maxRejectionProbability", "maxDropProbability"] as const;

/** The traits of a policy with its options, by the names that options have. */
export function traitsOf({ name, preset, own }: ResolvedPolicy): PolicyTraits {
  const window = WINDOWS.find((option) => preset.options[option]?.unit === "seconds");
  const windowSeconds = window === undefined ? 0 : (own[window] as number);
  const k = preset.family === "throttle" ? kOf(own) : undefined;
  return {
    // Of length 0 it is none.
    windowSeconds: windowSeconds > 0 ? windowSeconds : undefined,
    throttle: k === undefined ? undefined : throttleTraits(name, own, k),
    floor: floorOf(own),
  };
}

type Values = ResolvedPolicy["own"];

/** K, or what its source has instead: the share of successes or of failures at which rejection begins. */
function kOf({
  k,
  overloadRatio,
  success,
  srThreshold,
  failureRateThreshold,
  nackRateThreshold,
}: Values): number | undefined {
  const successes = success ?? srThreshold;
  const failures = failureRateThreshold ?? nackRateThreshold;
  if (successes !== undefined) return 1 / successes;
  return failures === undefined ? (k ?? overloadRatio) : 1 / (1 - failures);
}

function throttleTraits(name: string, own: Values, k: number): ThrottleTraits {
  const counting = COUNTING[name] ?? UNKNOWN;
  const cap = CAPS.map((option) => own[option]).find((value) => value !== undefined);
  return {
    k,
    countsAt: own.countAt === undefined ? counting.countsAt : own.countAt === 0 ? "attempt" : "completion",
    countsLocal: own.countLocal === undefined ? counting.countsLocal : own.countLocal === 1,
    maxReject: cap ?? 1,
    forcesPasses: (own.forcePass ?? 0) > 0,
    forgetsAtRecord: FORGETS_AT_RECORD.has(name),
  };
}

function floorOf(own: Values): RetryFloor | undefined {
  const perSecond = own.minRetriesPerSec ?? own.minRetriesPerSecond;
  if (perSecond !== undefined) {
    return { kind: "perSecond", perSecond, share: own.percentCanRetry ?? own.retryRatio ?? 0 };
  }
  const { minRetryConcurrency, budgetPercent, minConcurrency, maxRate, capacity, retryCost } = own;
  if (minRetryConcurrency !== undefined && budgetPercent !== undefined) {
    return { kind: "concurrent", count: minRetryConcurrency, share: budgetPercent / 100 };
  }
  if (minConcurrency !== undefined && maxRate !== undefined) {
    return { kind: "concurrent", count: minConcurrency, share: maxRate };
  }
  if (capacity !== undefined && retryCost !== undefined && retryCost > 0) {
    return { kind: "burst", count: Math.floor(capacity / retryCost) };
  }
  return undefined;
}
