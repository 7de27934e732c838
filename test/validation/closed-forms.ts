/**
 * What theory says of overload control, as formulas; README.md of this folder derives them, heading by heading.
 *
 * lambda: calls per second that a client is offered; c: what the backend can accept of that per second, its capacity shared by
 * the clients; K, W: the throttle's; r: cost of a rejection, as a fraction of that of an accepted call.
 */

/** A client and its share of a backend, in steady overload. */
export interface Steady {
  /** lambda. */
  readonly offered: number;
  /** c. */
  readonly accepted: number;
  readonly k: number;
  readonly window: number;
}

/**
 * A window of buckets of one second covers, at a moment drawn at random, from W - 1 to W seconds. Windows that keep every event
 * (that of `sre-sent-only`) are exactly W.
 */
export function bucketedWindow(window: number): number {
  return window - 0.5;
}

/** V1: local rejects counted, s = lambda (1 + K c W) / (1 + lambda W), which is K c + about 1 / W. */
export function sentCounted({ offered, accepted, k, window }: Steady): number {
  return Math.min(offered, (offered * (1 + k * accepted * window)) / (1 + offered * window));
}

/** V1: the share of what is sent that is not accepted: (K - 1) / K where sent = K x accepted. */
export function wasteOf(sent: number, accepted: number): number {
  return (sent - accepted) / sent;
}

/** V2: local rejects not counted, s (1 + s W) = lambda (1 + K c W), which is sqrt(K lambda c) but for terms of 1 / W. */
export function sentUncounted({ offered, accepted, k, window }: Steady): number {
  const root = Math.sqrt(1 + 4 * window * offered * (1 + k * accepted * window));
  return Math.min(offered, (root - 1) / (2 * window));
}

/** V1: goodput / C of a `shed` server at load rho = sent / C of Poisson arrivals: an M/D/1 queue with room for b jobs, nearly. */
export function sharpness(rho: number, burst: number): number {
  if (rho === 1) return 1 - 1 / (2 * burst);
  return 1 - (rho - 1) / Math.expm1((2 * (rho - 1) * burst) / rho);
}

/** V1: goodput / C of K close to 1, where rho = K x goodput / C + the probes of all clients / C, by iteration. */
export function sharpGoodput(k: number, probes: number, burst: number): number {
  let goodput = 1;
  for (let step = 0; step < 1000; step += 1) goodput = sharpness(k * goodput + probes, burst);
  return goodput;
}

/** V3: goodput / C where clients hold what they send at K times that: 1 / (1 + r (K - 1)). */
export function goodputThrottled(k: number, rejectCost: number): number {
  return 1 / (1 + rejectCost * (k - 1));
}

/** V3: goodput / C where `load` = offered / C is sent whatever comes back: (1 - r load) / (1 - r) between 1 and 1 / r. */
export function goodputUnthrottled(load: number, rejectCost: number): number {
  if (load <= 1) return load;
  return Math.max(0, (1 - rejectCost * load) / (1 - rejectCost));
}

/** V4: seconds into a total outage after a healthy window at which a client rejects a share of its calls itself. */
export function onsetSeconds(k: number, window: number, share: number): number {
  return window * (1 - (1 - share) / k);
}

/** V19: the same where the backend goes on to accept a share of what it is sent; never where K times that share is 1 or more. */
export function droppedOnsetSeconds(k: number, window: number, share: number, accepted: number): number {
  const seconds = onsetSeconds(k, window, share) / (1 - accepted);
  return seconds <= window ? seconds : Number.POSITIVE_INFINITY;
}

/** V4: probes per second and client late in an outage, counted: p = R / (R + 1) with R = lambda W. */
export function probesCounted(offered: number, window: number): number {
  return offered / (offered * window + 1);
}

/** V4: the same, not counted: s (1 + s W) = lambda. */
export function probesUncounted(offered: number, window: number): number {
  return sentUncounted({ offered, accepted: 0, k: 1, window });
}

/** V4: the exponent x of the growth e^(x t / W) of a client's accepts after the first window: x = K (1 - e^-x). */
export function growthExponent(k: number): number {
  let x = k;
  for (let step = 0; step < 1000; step += 1) x = -k * Math.expm1(-x);
  return x;
}

/**
 * V4: the mean number of accepts in a client's window, `seconds` after an outage longer than that, local rejects counted, as long
 * as the client still rejects: (e^(K t / W) - 1) / K in the first window, then growing as e^(x t / W).
 */
export function acceptsAfterOutage(seconds: number, k: number, window: number): number {
  const after = Math.expm1((k * Math.min(seconds, window)) / window) / k;
  return after * Math.exp((growthExponent(k) * Math.max(0, seconds - window)) / window);
}

/** V4: when the mean client would have recovered: K A = lambda W. */
export function meanRecoverySeconds(offered: number, k: number, window: number): number {
  return timeUntil((seconds) => k * acceptsAfterOutage(seconds, k, window) >= offered * window);
}

/**
 * V4: seconds until many clients together are served `share` of what they are offered. Each one's accepts are a branching process
 * with immigration, whose number is negative binomial with shape 1 / K, which is to say gamma where it is large: most clients
 * are ahead of their mean, and some far behind it.
 */
export function populationRecoverySeconds(share: number, offered: number, k: number, window: number): number {
  return timeUntil((seconds) => servedShare(acceptsAfterOutage(seconds, k, window), offered, k, window) >= share);
}

/** The mean of min(1, (1 + K A) / (lambda W + 1)) over A negative binomial with shape 1 / K and the mean `accepts`. */
function servedShare(accepts: number, offered: number, k: number, window: number): number {
  const shape = 1 / k;
  const growth = accepts / (accepts + shape);
  const full = (offered * window) / k;
  // P(A = n + 1) / P(A = n) = (n + shape) / (n + 1) x growth.
  let probability = (1 - growth) ** shape;
  let below = 0;
  let served = 0;
  for (let n = 0; n < full; n += 1) {
    below += probability;
    served += (probability * (1 + k * n)) / (offered * window + 1);
    probability *= ((n + shape) / (n + 1)) * growth;
  }
  return served + Math.max(0, 1 - below);
}

/**
 * V4: when the mean client that counts only what it sends has recovered, after an outage long enough for its window to hold no
 * accept: dA/dt = lambda (1 + K A) / (R + A + 1), from 0 to where K A = R + A, with the R = s W of the outage.
 */
export function uncountedRecoverySeconds(offered: number, k: number, window: number): number {
  const sent = probesUncounted(offered, window) * window;
  const accepts = sent / (k - 1);
  const growth = Math.log1p(k * accepts);
  return (((sent + 1) * growth) / k + accepts / k - growth / k ** 2) / offered;
}

/**
 * V22: the same after an outage of any length that came upon a healthy window, by steps of a hundredth of a second: until the
 * client sends a share of what it is offered. What it sends, s = lambda (1 + K A) / (R + 1), stays in its counts for a window.
 */
export function uncountedOutageSeconds(
  share: number,
  offered: number,
  k: number,
  window: number,
  outageSeconds: number,
): number {
  const steps = 100;
  const size = window * steps;
  const sent = new Float64Array(size).fill(offered / steps);
  const accepted = Float64Array.from(sent);
  let [requests, accepts] = [offered * window, offered * window];
  for (let step = 0; ; step += 1) {
    const isOut = step < outageSeconds * steps;
    const slot = step % size;
    const rate = Math.min(1, (1 + k * accepts) / (requests + 1));
    if (!isOut && rate >= share) return step / steps - outageSeconds;
    const now = (rate * offered) / steps;
    requests += now - (sent[slot] as number);
    accepts += (isOut ? 0 : now) - (accepted[slot] as number);
    sent[slot] = now;
    accepted[slot] = isOut ? 0 : now;
  }
}

/** V5: seconds from the end of an overload of rho times the capacity until nothing is rejected locally, counted, warm. */
export function partialRecoverySeconds(rho: number, k: number, window: number): number {
  return (window / k) * Math.log((rho - 1) / (k - 1));
}

/** V4, V6: the same at a backend that goes on accepting one in rho: W (1 - 1 / K) / (1 - 1 / rho) until the first local reject. */
export function partialOnsetSeconds(rho: number, k: number, window: number): number {
  return onsetSeconds(k, window, 0) / (1 - 1 / rho);
}

/**
 * V6: Jain's index of the accepts in the windows of equal clients, local rejects counted, `seconds` into an overload of rho times
 * the capacity after a healthy window: 1 / J - 1 = (4 u / W - 1) / (c W), u seconds after the first local rejects, for u >= W and as
 * long as no client's share has reached its load.
 */
export function jainCounted(seconds: number, rho: number, { accepted, k, window }: Steady): number {
  const since = (seconds - partialOnsetSeconds(rho, k, window)) / window;
  return 1 / (1 + (4 * since - 1) / (accepted * window));
}

/** V6: the same, local rejects not counted, at any time: 1 / J - 1 = (1 + 5 / 3 (1 - a)) / (c W), a the share accepted of what is sent. */
export function jainUncounted(client: Steady): number {
  const { accepted, window } = client;
  const share = accepted / sentUncounted(client);
  return 1 / (1 + (1 + (5 / 3) * (1 - share)) / (accepted * window));
}

/** V9: retries per call without a budget where each attempt fails with probability f: f + f^2 + ... */
export function freeRetries(failure: number, attemptsMax: number): number {
  let retries = 0;
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) retries += failure ** attempt;
  return retries;
}

/** V9: of a bucket to which each success adds `deposit`: deposit (1 - f) (1 + retries) = retries. */
export function retriesPerSuccess(failure: number, deposit: number): number {
  const earned = deposit * (1 - failure);
  return earned / (1 - earned);
}

/** V9: of the quota of the AWS SDKs: a call without retry earns 1, a retry that fails costs `cost`, one that succeeds nothing. */
export function retriesOfQuota(failure: number, cost: number): number {
  return (1 - failure) / (cost * failure);
}

/** V9: of a budget of a share of all requests, retries included. */
export function retriesOfShare(share: number): number {
  return share / (1 - share);
}

/**
 * How long Finagle's budget counts what it gives: its ttl in ten slices, each of which is closed by the first look after its end,
 * 1 / lambda late on average.
 */
function finagleWindow(offered: number): number {
  return 10 * (1 + 1 / offered);
}

/**
 * V9: of Finagle's budget without a minimum. What a slice frees when it leaves the window, n retries, is taken again only as
 * failures come, f lambda a second: (n + 1) / (2 f lambda) later on average.
 */
export function retriesOfFinagleShare(failure: number, share: number, offered: number): number {
  const window = finagleWindow(offered);
  const freed = (share * offered * window) / 10;
  return (share * window) / (window + (freed + 1) / (2 * failure * offered));
}

/** V9: of Finagle's budget with a minimum per second, where nearly everything fails: its reserve comes back once in a window. */
export function retriesOfFinagleReserve(share: number, perSecond: number, offered: number): number {
  return share + (10 * perSecond) / (offered * finagleWindow(offered));
}

/**
 * V9: of gRPC's tokens: the attempts' failures move them whatever is retried, so they are a Markov chain in tenths; a failed attempt
 * is repeated when it leaves more than half.
 */
export function retriesOfGrpc(failure: number, attemptsMax: number): number {
  const [full, fall, half] = [100, 10, 50];
  let chances: readonly number[] = Array.from({ length: full + 1 }, (_, tokens) => (tokens === full ? 1 : 0));
  for (let step = 0; step < 20_000; step += 1) {
    const next = chances.map(() => 0);
    for (const [tokens, chance] of chances.entries()) {
      const [up, down] = [Math.min(full, tokens + 1), Math.max(0, tokens - fall)];
      next[up] = (next[up] as number) + chance * (1 - failure);
      next[down] = (next[down] as number) + chance * failure;
    }
    chances = next;
  }
  const enough = chances.slice(half + fall + 1).reduce((sum, chance) => sum + chance, 0);
  return freeRetries(failure * enough, attemptsMax);
}

/**
 * V9: the retries of a new gRPC channel in a total outage, 10 tokens and 4 attempts: three of the first call, whose last failure
 * leaves 6 tokens, and one more when another call fails meanwhile, in the 0.1 + 0.2 + 0.4 s of its backoffs.
 */
export function freeRetriesOfGrpc(callsPerSecond: number): number {
  return 3 - Math.expm1(-0.7 * callsPerSecond);
}

/**
 * V9: retries per call of clients in a total outage, each of which makes a Poisson number of calls with mean `calls` and then may
 * have made as many retries as `allowed` tells.
 */
export function outageRetries(calls: number, attemptsMax: number, allowed: (calls: number) => number): number {
  let [chance, retries] = [Math.exp(-calls), 0];
  for (let made = 1; made < calls + 40 * Math.sqrt(calls) + 40; made += 1) {
    chance *= calls / made;
    retries += chance * Math.min((attemptsMax - 1) * made, allowed(made));
  }
  return retries / calls;
}

function timeUntil(done: (seconds: number) => boolean): number {
  let late = 1;
  while (!done(late)) late *= 2;
  let early = 0;
  for (let step = 0; step < 60; step += 1) {
    const middle = (early + late) / 2;
    if (done(middle)) late = middle;
    else early = middle;
  }
  return late;
}
