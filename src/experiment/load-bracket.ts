/**
 * Bisection on the load: the highest load that passes a test, and the lowest one that does not, between two loads. Where loads pass
 * up to a threshold and none does beyond, the threshold lies between the two at any time.
 *
 * Loads are halved by ratio, as it is a relative width that is wanted: ceil(log2(ln(high / low) / ln(1 + tolerance))) halvings.
 */

/** untrusted: nothing can be said of it. The search goes on below such a load, without taking it for one that fails. */
export type LoadVerdict = "passed" | "failed" | "untrusted";

export interface BracketRange {
  /** Calls per second, above 0. */
  readonly lowRps: number;
  /** Above `lowRps`. */
  readonly highRps: number;
  /** The relative width at which it ends: at most 1 + tolerance from the highest that passes to what is beyond it. */
  readonly tolerance: number;
}

/** Loads are as short as this leaves them. */
const DIGITS = 5;
/** With more halvings than digits can tell apart, loads would repeat. */
const TOLERANCE_MIN = 0.001;
export const RPS_MAX = 1_000_000;

export class LoadBracket {
  readonly #range: BracketRange;
  #due: readonly number[];
  #stepsLeft: number;
  #passed: number | null = null;
  #failed: number | null = null;
  /** The search is below this one, whether it failed or cannot be trusted. */
  #beyond: number;

  /** @throws RangeError */
  constructor(range: BracketRange) {
    checkRange(range);
    this.#range = range;
    this.#beyond = range.highRps;
    this.#due = [range.lowRps, range.highRps];
    this.#stepsLeft = halvings(range);
  }

  /** The loads to try next: both ends, then one after the other; none when it is over. */
  get due(): readonly number[] {
    return this.#due;
  }

  /** The highest load that passed; null: none did. */
  get passed(): number | null {
    return this.#passed;
  }

  /** The lowest load that failed; null: none did. */
  get failed(): number | null {
    return this.#failed;
  }

  /** Whether it has come to its end. */
  get done(): boolean {
    return this.#due.length === 0;
  }

  /** @param verdicts of the loads that were {@link due}, in their order. */
  tell(verdicts: readonly LoadVerdict[]): void {
    const tried = this.#due;
    if (verdicts.length !== tried.length) {
      throw new RangeError(
        `Cannot go on as there must be a verdict for each load: current values are ${verdicts.length} for ${tried.length}`,
      );
    }
    // From the highest on: where the lower end fails too, it is the lowest that did.
    for (const [index, rps] of [...tried.entries()].reverse()) this.#judge(rps, verdicts[index] as LoadVerdict);
    this.#due = this.#next();
  }

  #judge(rps: number, verdict: LoadVerdict): void {
    if (verdict === "passed") {
      this.#passed = Math.max(rps, this.#passed ?? rps);
      return;
    }
    this.#beyond = rps;
    if (verdict === "failed") this.#failed = rps;
  }

  #next(): readonly number[] {
    const { highRps } = this.#range;
    const passed = this.#passed;
    // Nothing is below the lower end, nothing above the upper one.
    if (passed === null || passed === highRps || this.#beyond <= passed || this.#stepsLeft === 0) return [];
    this.#stepsLeft -= 1;
    const middle = rounded(Math.sqrt(passed * this.#beyond));
    return middle > passed && middle < this.#beyond ? [middle] : [];
  }
}

/** How many loads a search tries at most: the ends, and one each time that the interval is halved. */
export function loadsMax(range: BracketRange): number {
  return 2 + halvings(range);
}

/** @throws RangeError */
function checkRange({ tolerance, ...loads }: BracketRange): void {
  checkLoads(loads);
  checkTolerance(tolerance);
}

/** @throws RangeError */
export function checkLoads({ lowRps, highRps }: Pick<BracketRange, "lowRps" | "highRps">): void {
  if (!(lowRps > 0 && highRps > lowRps && highRps <= RPS_MAX)) {
    throw new RangeError(
      `must be two loads, the lower one first, above 0 and at most ${RPS_MAX}: current value is "${lowRps}..${highRps}"`,
    );
  }
}

/** @throws RangeError */
export function checkTolerance(tolerance: number): void {
  if (!(tolerance >= TOLERANCE_MIN && tolerance < 1)) {
    throw new RangeError(`must be a share from ${TOLERANCE_MIN} to below 1: current value is ${tolerance}`);
  }
}

function halvings({ lowRps, highRps, tolerance }: BracketRange): number {
  let steps = 0;
  for (let width = highRps / lowRps; width > 1 + tolerance; width = Math.sqrt(width)) steps += 1;
  return steps;
}

function rounded(rps: number): number {
  return Number(rps.toPrecision(DIGITS));
}
