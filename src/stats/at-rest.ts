/** Where an offer that is moved in steps has come to rest, and what came of it there. */

/** The highest offer may be so far above the lowest one whatever the band: no probing step is smaller. */
const STEP = 1;

export interface RestRule {
  /** At most so many windows are at rest. */
  readonly holdWindows: number;
  /** Highest / lowest offer of windows at rest - 1. */
  readonly holdBand: number;
}

/** One window of the one who moves the offer. */
export interface OfferWindow {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** In force while it lasted. */
  readonly offer: number;
  readonly successes: number;
  readonly failures: number;
  readonly ok: number;
}

/** Calls per second, or calls at once. */
export type OfferControl = "rate" | "concurrency";

/** Over the windows at rest; null where there is nothing to divide by. */
export interface RestFigures {
  /** The mean over time of what was offered. */
  readonly offer: number | null;
  /** Calls ok per second. */
  readonly goodput: number | null;
  readonly failures: number;
  /** Those that succeeded or failed. */
  readonly attempts: number;
}

/** Whether offers from `lowest` to `highest` are at rest: at most 1 + `holdBand` times, or by 1 apart. */
function isWithinBand(lowest: number, highest: number, holdBand: number): boolean {
  return highest / lowest - 1 <= holdBand || highest <= lowest + STEP;
}

/** The last windows whose offers lie within the band, at most `holdWindows`: as many when it has held. */
export function restOf<Of extends Pick<OfferWindow, "offer">>(
  windows: readonly Of[],
  { holdWindows, holdBand }: RestRule,
): readonly Of[] {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = 0;
  let from = windows.length;
  while (from > Math.max(0, windows.length - holdWindows)) {
    const { offer } = windows[from - 1] as Of;
    lowest = Math.min(lowest, offer);
    highest = Math.max(highest, offer);
    if (!isWithinBand(lowest, highest, holdBand)) break;
    from -= 1;
  }
  return windows.slice(from);
}

/**
 * The windows that figures are to be of. Of few calls a step of one is wider than the band, and where the offer goes up and down by
 * it, the upper one is what the target does not bear: the figures are those of the lower one.
 *
 * @param rest of {@link restOf}.
 */
export function borneOf<Of extends Pick<OfferWindow, "offer">>(
  rest: readonly Of[],
  { holdBand, control }: Pick<RestRule, "holdBand"> & { readonly control: OfferControl },
): readonly Of[] {
  const offers = rest.map(({ offer }) => offered(control, offer));
  const lowest = Math.min(...offers);
  const highest = Math.max(...offers);
  if (highest / lowest - 1 <= holdBand || highest > lowest + STEP) return rest;
  return rest.filter((_, index) => (offers[index] as number) / lowest - 1 <= holdBand);
}

/** @param rest of {@link borneOf}. */
export function restFigures(rest: readonly OfferWindow[], control: OfferControl): RestFigures {
  const sum = (of: (window: OfferWindow) => number): number => rest.reduce((total, window) => total + of(window), 0);
  const seconds = sum(secondsOf);
  const failures = sum((window) => window.failures);
  return {
    offer: seconds > 0 ? sum((window) => offered(control, window.offer) * secondsOf(window)) / seconds : null,
    goodput: seconds > 0 ? sum(({ ok }) => ok) / seconds : null,
    failures,
    attempts: failures + sum(({ successes }) => successes),
  };
}

/** What an offer comes to: of calls at once there are whole ones. */
export function offered(control: OfferControl, offer: number): number {
  return control === "rate" ? offer : Math.floor(offer);
}

export function secondsOf({ fromSeconds, toSeconds }: Pick<OfferWindow, "fromSeconds" | "toSeconds">): number {
  return toSeconds - fromSeconds;
}
