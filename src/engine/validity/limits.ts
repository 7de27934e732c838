/**
 * Where the harness begins to doubt itself (`suspect`), and where it no longer vouches for a figure (`invalid`). Each limit
 * says why it is what it is; what clean runs come to is measured by test/bench/clean-runs.ts.
 */

/** A figure at or below `suspect` is fine. Without `invalid` it never spoils a trial by itself. */
export interface Limits {
  readonly suspect: number;
  readonly invalid?: number;
}

/**
 * Calls are timed from their intended start, so lateness is part of every response time: 10 ms is of the size of the answers
 * of a healthy service, 50 ms hides it. Pacing by timers is 1 to 4 ms late.
 */
export const LATENESS_P99_MS: Limits = { suspect: 10, invalid: 50 };

/** The same for the p99.9 that a result shows; one pause of a collector in a minute stays below. Of 1,000 calls or more. */
export const LATENESS_P999_MS: Limits = { suspect: 100 };
export const P999_CALLS_MIN = 1_000;

/**
 * While the event loop stands still no call goes out and no answer is timed: what the target did meanwhile is not known.
 * Collectors stop a loop for 10 to 100 ms. A stall of more than 1 % of the window reaches into the p99, and is then
 * indistinguishable from the target's doing.
 */
export const STALL_MS: Limits = { suspect: 250 };
export const STALL_WINDOW_SHARE_INVALID = 0.01;

/** Share of the calls that was not started while the arrivals lasted. */
export const UNSENT_SHARE: Limits = { suspect: 0.01, invalid: 0.1 };

/** Share of the calls given up for being late: with the first one the load is another than planned. */
export const LATE_DROP_SHARE: Limits = { suspect: 0, invalid: 0.01 };

/**
 * Share of the gaps between calls that came out wrong. Sent in bunches, the same number of calls queues up more: a server at
 * 80 % of its capacity answers bunches of ten five times as slowly as even arrivals. A significance test alone would
 * reject every run (with a million gaps a distance of 0.002 is significant, and no generator is that exact), and a distance
 * alone rejects short good ones; so for a law both must hold. Lancet holds its sent gaps to their law by a test of Anderson
 * and Darling for each run (M. Kogias, S. Mallon, E. Bugnion, "Lancet: a self-correcting latency measuring tool", USENIX
 * ATC 2019); Kolmogorov and Smirnov's distance needs no sorting, and is an effect size that can be read.
 */
export const GAP_DISTANCE: Limits = { suspect: 0.1, invalid: 0.3 };
/** distance x sqrt(gaps), exceeded by chance once in a thousand runs (Kolmogorov's distribution: 2 e^(-2 x^2)). */
export const GAP_SCORE = 1.95;
/** Fewer gaps than this say nothing. */
export const GAPS_MIN = 50;

/**
 * Share of the time in which it had a processor that the generator's thread computed, idle spinning left out. Calls queue
 * for it as at any server: at 90 % they wait for several times what one takes (M/D/1: 4.5 times), and answers wait in the
 * socket to be timed. 20,000/s on one thread come to 55 to 75 %.
 */
export const BUSY_SHARE: Limits = { suspect: 0.9 };

/**
 * Share of its time that the thread could have run and had no processor: waits that go into every time it takes. Beside
 * another busy process on two processors it is 3 to 10 %, with a lateness p99 of a few milliseconds; above 20 %, tens.
 */
export const WAIT_SHARE: Limits = { suspect: 0.2, invalid: 0.5 };

/** The share of the machine's CPU time taken away by its host above which nothing measured can be trusted to be ours. */
export const STEAL_SHARE: Limits = { suspect: 0.02, invalid: 0.2 };

/** Being held back by a CPU limit stops all threads at once, for up to 100 ms: 1 % of the time reaches into the p99. */
export const THROTTLED_SHARE: Limits = { suspect: 0.01, invalid: 0.1 };

/** A step of the wall clock against the monotonic one. Slewing moves it by less than 16 ms between two looks. */
export const CLOCK_JUMP_MS: Limits = { suspect: 100 };

/** Share of the attempts that met a stale connection above which it is no longer the odd idle connection. */
export const STALE_SHARE: Limits = { suspect: 0.01 };

/** Share of the calls of which only a lower bound is known above which the percentiles are bounds too. */
export const UNFINISHED_SHARE = 0.05;

/** Fewer calls than this say nothing about a p99. */
export const SAMPLES_MIN = 100;

/**
 * What a probe of a server that does nothing takes is in every time that this generator tells. Calls are late by the same
 * measure, so the limits are those of the lateness, of the p90: ten probes a second are too few for a p99. At twice its
 * capacity on the other of two processors, the built-in target brings it to 4 ms.
 */
export const SENTINEL_P90_MS: Limits = { suspect: 10, invalid: 50 };
/** Fewer probes than this say nothing about a p90. */
export const PROBES_MIN = 10;
