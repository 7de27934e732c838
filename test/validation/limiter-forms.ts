/** Where concurrency limits come to rest; README.md of this folder derives it, under V12. */

/**
 * What a limit of `limit` calls lets through of Poisson arrivals, each taking `latencySeconds`: those that do not find it full
 * (Erlang's loss formula, which holds for any law of the time a call takes).
 */
export function limitedRate(limit: number, offered: number, latencySeconds: number): number {
  const load = offered * latencySeconds;
  const places = Math.floor(limit);
  let refused = 1;
  for (let place = 1; place <= places; place += 1) refused = (load * refused) / (place + load * refused);
  // A limit that moves is a fraction in the mean.
  return offered * (1 - refused) * (limit / places);
}

/**
 * Where a rise of one for each success and a cut to floor(`kept` x limit) for each drop are even, `full` calls under way being
 * accepted as fast as they come back and the others dropped: full / X = (1 - full / X) ((1 - kept) X + 0.45), the last for the
 * rounding down.
 */
export function aimdLimit(full: number, kept: number): number {
  return evenAt((limit) => full / limit - (1 - full / limit) * ((1 - kept) * limit + 0.45));
}

/**
 * Where Vegas' steps are even, with round trips uniform within `jitter` of their mean and the least of them taken for the time
 * without load. Without jitter nothing ever seems to queue: a success is worth 6 steps and a drop costs one, so it is 7 `full`.
 */
export function vegasLimit(full: number, jitter: number): number {
  const rtts = Array.from({ length: 2000 }, (_, index) => 1 - jitter + (2 * jitter * (index + 0.5)) / 2000);
  const least = rtts[0] as number;
  return evenAt((limit) => {
    const rises = rtts.reduce((sum, rtt) => sum + vegasSteps(limit, Math.ceil(limit * (1 - least / rtt))), 0);
    const dropped = Math.max(0, 1 - full / limit);
    return (1 - dropped) * (rises / rtts.length) - dropped;
  });
}

/** In units of max(1, floor(log10(limit))). */
function vegasSteps(limit: number, queue: number): number {
  const step = Math.max(1, Math.floor(Math.log10(limit)));
  if (queue <= step) return 6;
  if (queue < 3 * step) return 1;
  return queue > 6 * step ? -1 : 0;
}

/** The limit up to which it rises and from which it falls. */
function evenAt(drift: (limit: number) => number): number {
  let low = 1;
  let high = 10_000;
  for (let step = 0; step < 60; step += 1) {
    const limit = (low + high) / 2;
    if (drift(limit) > 0) low = limit;
    else high = limit;
  }
  return low;
}
