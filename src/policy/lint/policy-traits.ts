/** What a preset tells the guard rails of itself, in words that all policies share: each figure with the option that sets it. */

/** The time over which a policy looks back. */
export interface WindowTrait {
  readonly seconds: number;
  /** The option in seconds that sets it. */
  readonly option: string;
  /** Whether a share of the calls in it decides: such a one is chance where these are few. */
  readonly decidesByShare: boolean;
}

/** The least that a policy must have seen before it does anything. */
export interface VolumeTrait {
  readonly calls: number;
  /** In which they must come; undefined: in the life of the client. */
  readonly seconds: number | undefined;
  readonly option: string;
  /** Calls for each 1 of the option. */
  readonly callsPerUnit: number;
}

/** Attempts per accepted one up to which a throttle rejects nothing, however its source writes that. */
export interface KTrait {
  readonly k: number;
  readonly option: string;
  /** The option's value for another K. */
  valueFor(k: number): number;
}

/** The largest probability of a rejection. */
export interface CapTrait {
  readonly probability: number;
  readonly option: string;
}

/** An admission throttle in the terms of the engine that they all are cases of. */
export interface ThrottleTraits {
  readonly k: KTrait;
  /** When an attempt becomes a request. */
  readonly countsAt: "attempt" | "completion";
  /** Whether what it rejects itself counts as a request. */
  readonly countsLocal: boolean;
  /** Default: none. */
  readonly cap?: CapTrait | undefined;
  /** Whether an attempt passes now and then whatever the counts say. Default false. */
  readonly forcesPasses?: boolean;
  /** Whether its counts go only when another result is recorded: nothing sent, nothing forgotten. Default false. */
  readonly forgetsAtRecord?: boolean;
  /** Whether each class of criticality has counts of its own. Default false. */
  readonly isPerCriticality?: boolean;
}

/** How much a retry budget grants each client however little it calls, and the option that sets it. */
export type RetryFloor =
  /** Retries a second, beside a share of the calls. */
  | { readonly kind: "perSecond"; readonly option: string; readonly perSecond: number; readonly share: number }
  /** Retries under way at once, beside a share of the calls under way. */
  | { readonly kind: "concurrent"; readonly option: string; readonly count: number; readonly share: number }
  /** Retries in one go, before anything has been earned: so many for each `unitsPerRetry` of the option. */
  | { readonly kind: "burst"; readonly option: string; readonly count: number; readonly unitsPerRetry: number };

/** What there is of them. */
export interface PolicyTraits {
  readonly window?: WindowTrait | undefined;
  readonly volume?: VolumeTrait | undefined;
  readonly throttle?: ThrottleTraits | undefined;
  readonly floor?: RetryFloor | undefined;
  /** Whether it takes the round-trip times that it has seen for those of a backend at rest. Default false. */
  readonly learnsLatency?: boolean;
}

type Values = Readonly<Record<string, number>>;

function figureOf(own: Values, option: string): number {
  const value = own[option];
  if (value === undefined) throw new RangeError(`Cannot tell the traits of a policy as it has no option '${option}'`);
  return value;
}

/** A window of length 0 is none. */
export function windowOf(own: Values, option: string, decidesByShare = true): WindowTrait | undefined {
  const seconds = figureOf(own, option);
  return seconds > 0 ? { seconds, option, decidesByShare } : undefined;
}

export function volumeOf(own: Values, option: string, seconds: number | undefined): VolumeTrait {
  return { calls: figureOf(own, option), seconds, option, callsPerUnit: 1 };
}

/** A volume that is written as a rate, which must last for `seconds`. */
export function rateOf(own: Values, option: string, seconds: number): VolumeTrait {
  return { calls: figureOf(own, option) * seconds, seconds, option, callsPerUnit: seconds };
}

export function kOf(own: Values, option: string): KTrait {
  return { k: figureOf(own, option), option, valueFor: (k) => k };
}

/** K by the share of successes below which rejection begins, 1 / K. */
export function kOfSuccesses(own: Values, option: string): KTrait {
  return { k: 1 / figureOf(own, option), option, valueFor: (k) => 1 / k };
}

/** K by the share of failures above which rejection begins, 1 - 1 / K. */
export function kOfFailures(own: Values, option: string): KTrait {
  return { k: 1 / (1 - figureOf(own, option)), option, valueFor: (k) => 1 - 1 / k };
}

export function capOf(own: Values, option: string): CapTrait {
  return { probability: figureOf(own, option), option };
}

export function floorPerSecond(own: Values, option: string, share: number): RetryFloor {
  return { kind: "perSecond", option, perSecond: figureOf(own, option), share };
}

export function floorUnderWay(own: Values, option: string, share: number): RetryFloor {
  return { kind: "concurrent", option, count: figureOf(own, option), share };
}

/** A bucket that is full at the start. Retries for nothing cost nothing, so that they are no floor of this kind. */
export function floorAtStart(own: Values, option: string, unitsPerRetry: number): RetryFloor | undefined {
  if (!(unitsPerRetry > 0)) return undefined;
  const count = Math.min(Math.floor(figureOf(own, option) / unitsPerRetry), Number.MAX_SAFE_INTEGER);
  return { kind: "burst", option, count, unitsPerRetry };
}
