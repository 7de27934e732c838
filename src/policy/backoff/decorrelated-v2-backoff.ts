/** The backoff of Polly and cockatiel: decorrelated jitter, version 2. */

import { exponential } from "../exponential.ts";
import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Backoff } from "../parts.ts";
import type { Random } from "../policy.ts";
import { type BackoffOptions, backoffOptions } from "./backoff-options.ts";
import { grown } from "./growth.ts";

/** Defaults of cockatiel; Polly starts from 2 s and has no cap. */
export const decorrelatedV2Options = {
  base: { ...backoffOptions.base, default: 0.128, doc: "About the median of the delay before the first retry" },
  cap: { ...backoffOptions.cap, default: 30 },
} as const satisfies Record<keyof BackoffOptions, NumberSpec>;

/** Makes the medians come to about 1, 2, 4, ... times the base. */
const SCALE = 1 / 1.4;
/** 2^t is no number from here on. */
const RETRIES_MAX = 1024;
/** e^-40: from here on the hyperbolic tangent is 1. */
const SATURATED = 20;

/**
 * `min(cap, (x(n) - x(n - 1)) / 1.4 x base)` before retry n = 0, 1, ... with `x(n) = 2^t tanh(sqrt(4 t))`, `t = n + U(0, 1)`
 * and `x(-1) = 0`. The retries of a call fall one into each octave of time, and those of many calls spread smoothly over
 * all of it, where full jitter heaps them up near 0. The 4 smooths the first delay.
 *
 * From retry 1024 on, where 2^t overflows, the delay is the cap. What is carried from retry to retry is x(n), which the
 * cap does not touch, as in the sources. The functions are built from + - * / and the square root, so a seed gives the same
 * delays on every engine; they differ from the sources' by rounding.
 *
 * Source: App-vNext/Polly src/Polly.Core/Retry/RetryHelper.cs `DecorrelatedJitterBackoffV2`; connor4312/cockatiel
 * src/backoff/ExponentialBackoffGenerators.ts `decorrelatedJitterGenerator` and ExponentialBackoff.ts.
 */
export class DecorrelatedV2Backoff implements Backoff {
  private readonly base: number;
  private readonly cap: number;
  /** x(n) of the last delay, whichever call it was for. */
  carry = 0;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: BackoffOptions = {}) {
    ({ base: this.base, cap: this.cap } = resolveOptions(
      "create DecorrelatedV2Backoff",
      decorrelatedV2Options,
      options,
    ));
  }

  /** @param previous what {@link carry} was after the call's delay before; not read for retry 0. */
  delaySeconds(retry: number, previous: number, jitter: Random): number {
    const chance = jitter.random();
    if (retry >= RETRIES_MAX) {
      this.carry = Number.POSITIVE_INFINITY;
      return this.cap;
    }
    const value = grown(1, 2, retry, Number.MAX_VALUE) * exponential(chance * Math.LN2) * tanhOfRoot(retry + chance);
    this.carry = value;
    const delay = (retry === 0 ? value : value - previous) * SCALE * this.base;
    if (!(delay > 0)) return 0;
    return delay < this.cap ? delay : this.cap;
  }
}

/** `tanh(sqrt(4 t))` for t >= 0. */
function tanhOfRoot(t: number): number {
  const s = 2 * Math.sqrt(t);
  if (s > SATURATED) return 1;
  const small = exponential(-2 * s);
  return (1 - small) / (1 + small);
}
