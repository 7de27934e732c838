/** What one window of attempts says about the offer: back off, raise it, or leave it. */

/** The least and the most that one back-off leaves of an offer. */
const KEPT_MIN = 0.25;
const KEPT_MAX = 0.9;
/** While nothing has failed yet, a clean window doubles the offer. */
const SLOW_START = 2;
/** Up to this share of the offer that failed last, a clean window multiplies by {@link RECLIMB} ... */
export const SAFE_SHARE = 0.75;
const RECLIMB = 1.5;
/** ... and from there on it adds this share of it, but at least one. */
const PROBE_SHARE = 0.02;
const PROBE_MIN = 1;

/** What {@link decide} goes by. Offers and their bounds are in units of the control: calls per second, or calls at once. */
export interface WindowEvidence {
  /** Failed attempts / attempts that ended in the window, 0 to 1. NaN when none ended: the offer is held. */
  readonly frac: number;
  /** The offer in force. */
  readonly current: number;
  /** Strictly above this fraction the offer is lowered ... */
  readonly high: number;
  /** ... strictly below this one it is raised. At most `high`. */
  readonly low: number;
  readonly floor: number;
  /** May be infinite. */
  readonly ceiling: number;
  /** The offer at which attempts last failed; none: no failure is remembered. */
  readonly lastBad?: number | null | undefined;
}

export interface Decision {
  readonly kind: "up" | "down" | "hold";
  /** The offer after it: `current` when it is held. */
  readonly offer: number;
}

/**
 * ```text
 * frac > high:                    max(floor, current x clamp(1 - frac, 0.25, 0.9)), if that is less
 * frac < low, nothing remembered: max(2 current, current + 1)
 * frac < low, lastBad remembered: min(1.5 current, safe) if that is more, safe = max(floor, 0.75 lastBad);
 *                                 else current + max(1, 0.02 lastBad)
 * otherwise:                      current
 * ```
 * and nothing is raised above the ceiling. Both bounds themselves lie in the dead band, which holds.
 *
 * How deep a cut goes is how bad the window was: half of the attempts failing halves the offer, which is what an overloaded
 * server of sharp capacity would need; the bounds keep a marginal breach from doing nothing and a total failure from ending all
 * traffic, by which alone a recovery could be seen. Doubling finds any capacity in log2(capacity / start) windows. Once it
 * has been found, most of the way back is known to be safe, and what is beyond is felt for in steps of 2 %, so that the next
 * breach is a marginal one.
 *
 * The offer stays within the bounds when it is within them before; one that somebody else set beyond them is only moved as
 * above. At the floor a breach is a hold, not a cut.
 *
 * Source: nosqlbench/nmbrs `docs/SRD/83_stop_conditions.md` part 9, `nmbrs-runtime/src/throttle.rs`; the slow start, the
 * multiplicative decrease and the remembered congestion are those of TCP (RFC 5681) with another increase.
 */
export function decide({ frac, current, high, low, floor, ceiling, lastBad }: WindowEvidence): Decision {
  if (frac > high) {
    const kept = Math.max(KEPT_MIN, Math.min(KEPT_MAX, 1 - frac));
    const offer = Math.max(floor, current * kept);
    return offer < current ? { kind: "down", offer } : { kind: "hold", offer: current };
  }
  if (frac < low && current < ceiling) {
    const offer = Math.min(ceiling, raised(current, floor, lastBad ?? undefined));
    if (offer > current) return { kind: "up", offer };
  }
  return { kind: "hold", offer: current };
}

function raised(current: number, floor: number, lastBad: number | undefined): number {
  if (lastBad === undefined) return Math.max(SLOW_START * current, current + 1);
  const safe = Math.max(floor, SAFE_SHARE * lastBad);
  const fast = Math.min(RECLIMB * current, safe);
  return fast > current ? fast : current + Math.max(PROBE_MIN, PROBE_SHARE * lastBad);
}
