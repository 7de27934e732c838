/** The options of the governor. */

/** What is moved: calls per second, or calls under way at once. */
export type GovernedQuantity = "concurrency" | "rate";

/** What is missing or `undefined` has its default. */
export interface ThrottleGovernorOptions {
  /** Names the control in the lines. Default `concurrency`. */
  readonly control?: GovernedQuantity | undefined;
  /** Fraction of failed attempts above which the offer is lowered, 0 to 1. Default 0.05. */
  readonly high?: number | undefined;
  /**
   * Fraction below which it is raised, 0 to `high`. Default `high` / 5. Where attempts fail for other reasons than overload,
   * it must lie above their share, or nothing is ever raised.
   */
  readonly low?: number | undefined;
  /** The least offer, above 0: without attempts no window would ever say that things are well again. Default 1. */
  readonly floor?: number | undefined;
  /** The greatest offer. Default none. */
  readonly ceiling?: number | undefined;
  /** The first offer, brought within the bounds. Default `floor`: every target is taken for a fragile one. */
  readonly start?: number | undefined;
  /** Seconds of attempts behind each decision. Default 2. */
  readonly window?: number | undefined;
}

export interface ResolvedGovernorOptions {
  readonly control: GovernedQuantity;
  readonly high: number;
  readonly low: number;
  readonly floor: number;
  readonly ceiling: number;
  readonly start: number;
  readonly windowSeconds: number;
}

const HIGH = 0.05;
/** Divided by, so that a fifth of 5 % is the 1 % that people write. */
const HIGH_PER_LOW = 5;
const FLOOR = 1;
const WINDOW_SECONDS = 2;

/** @throws {RangeError} when an option breaks its rule. */
export function resolveGovernorOptions(options: ThrottleGovernorOptions): ResolvedGovernorOptions {
  const { control = "concurrency", high = HIGH, floor = FLOOR, window: windowSeconds = WINDOW_SECONDS } = options;
  const { low = high / HIGH_PER_LOW, ceiling = Number.POSITIVE_INFINITY, start = floor } = options;
  check(control === "concurrency" || control === "rate", "control", "concurrency or rate", control);
  check(high >= 0 && high <= 1, "high", "a fraction from 0 to 1", high);
  check(low >= 0 && low <= high, "low", `a fraction from 0 to 'high', ${high}`, low);
  check(floor > 0 && floor < Number.POSITIVE_INFINITY, "floor", "a finite number above 0", floor);
  check(ceiling >= floor, "ceiling", `a number of at least 'floor', ${floor}`, ceiling);
  check(Number.isFinite(start), "start", "a finite number", start);
  check(windowSeconds > 0 && windowSeconds < Number.POSITIVE_INFINITY, "window", "seconds above 0", windowSeconds);
  return { control, high, low, floor, ceiling, start: Math.max(floor, Math.min(ceiling, start)), windowSeconds };
}

function check(holds: boolean, name: keyof ThrottleGovernorOptions, rule: string, value: unknown): void {
  if (holds) return;
  throw new RangeError(
    `Cannot create ThrottleGovernor as '${name}' must be ${rule}: current value is ${String(value)}`,
  );
}
