/** What a target's latency and failures make of the offer: the windows of the governor, taken together by offer. */

import type { Capacity, Governed, GovernedWindowRow } from "../result/governor-schema.ts";
import { offered, secondsOf } from "../stats/at-rest.ts";
import { median } from "../stats/median.ts";

/** Offers up to this share above the lowest of a group belong to it: in the climb each is its own, near the wall some are alike. */
const ALIKE = 0.05;
/** A median latency so many times that at low offers is past the knee. */
const KNEE_RATIO = 2;
/** What lies below this share of the highest offer is low. */
const LOW_SHARE = 0.25;
/** A rate of which this share came back ok in the same window was served: the rest is under way, not waiting. */
const SERVED_SHARE = 0.95;
/** More than arrived in a window by this share came from before it. */
const BACKLOG_SHARE = 0.01;

type Knee = Capacity["knee"];

/**
 * The groups from the lowest offer on. Windows after a cut still serve what was admitted before it, so they are left out where
 * their group has others.
 */
export function kneeOf(searches: readonly Pick<Governed, "windows" | "control">[]): Knee {
  const seen = searches
    .flatMap(({ windows, control }) =>
      behind(windows).map((isBehind, index) => {
        const window = windows[index] as GovernedWindowRow;
        return { window: { ...window, offer: offered(control, window.offer) }, isBehind };
      }),
    )
    .filter(({ window }) => window.successes + window.failures > 0)
    .toSorted((a, b) => a.window.offer - b.window.offer);
  const groups: (typeof seen)[] = [];
  for (const one of seen) {
    const group = groups.at(-1);
    const lowest = group?.[0]?.window.offer ?? Number.NEGATIVE_INFINITY;
    if (group !== undefined && one.window.offer <= lowest * (1 + ALIKE)) group.push(one);
    else groups.push([one]);
  }
  return groups.map((group) => {
    const calm = group.filter(({ isBehind }) => !isBehind);
    return pointOf((calm.length > 0 ? calm : group).map(({ window }) => window));
  });
}

/** Of each window, whether it follows a cut, and then as long as more ends in it than comes. */
function behind(windows: readonly GovernedWindowRow[]): boolean[] {
  let isBehind = false;
  return windows.map(({ ok, calls }, index) => {
    isBehind = windows[index - 1]?.decision === "down" || (isBehind && ok > (1 + BACKLOG_SHARE) * calls);
    return isBehind;
  });
}

function pointOf(windows: readonly GovernedWindowRow[]): Knee[number] {
  const sum = (of: (window: GovernedWindowRow) => number): number =>
    windows.reduce((total, window) => total + of(window), 0);
  const failures = sum((window) => window.failures);
  return {
    offer: sum((window) => window.offer) / windows.length,
    windows: windows.length,
    goodput: sum((window) => window.ok) / sum(secondsOf),
    failedShare: failures / (failures + sum((window) => window.successes)),
    p50Ms: middle(windows.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(windows.map(({ p99Ms }) => p99Ms)),
  };
}

/** The highest offer that was served: no more failed than is bearable, and of a rate no backlog grew. */
export function servedPoint({
  control,
  knee,
  failureBound,
}: Pick<Capacity, "control" | "knee" | "failureBound">): Knee[number] | undefined {
  return knee.findLast(
    ({ offer, goodput, failedShare }) =>
      failedShare <= failureBound && (control === "concurrency" || goodput >= SERVED_SHARE * (1 - failedShare) * offer),
  );
}

function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

/**
 * The lowest offer from which on the median latency is at least twice what it is at low offers, the median of those below a quarter
 * of the highest.
 */
export function kneeOfferOf(knee: Knee): number | null {
  const timed = knee.flatMap(({ offer, p50Ms }) => (p50Ms === null ? [] : [{ offer, p50Ms }]));
  const highest = timed.at(-1)?.offer ?? 0;
  const low = timed.filter(({ offer }) => offer <= LOW_SHARE * highest);
  const base = low.length === 0 ? 0 : median(low.map(({ p50Ms }) => p50Ms));
  if (base === 0) return null;
  const first = timed.findLastIndex(({ p50Ms }) => p50Ms < KNEE_RATIO * base) + 1;
  return timed[first]?.offer ?? null;
}
