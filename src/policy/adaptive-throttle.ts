/** Adaptive client-side throttling that counts only what was sent. */

import { EventWindow } from "./event-window.ts";
import { resolveOption } from "./option.ts";
import { overloadClientOptions } from "./overload-client.ts";
import type { Clock, Random } from "./policy.ts";
import { rejectProbability } from "./reject-probability.ts";

/** Options of {@link AdaptiveThrottle}. What is missing or `undefined` has its default. */
export interface AdaptiveThrottleOptions {
  /** K, at least 1: how many requests may be sent per accepted one before the throttle rejects. Default 2. */
  readonly k?: number | undefined;
  /** Length of the window in seconds, 1 to 604,800. Default 120. */
  readonly window?: number | undefined;
}

/** The options' defaults and bounds: those of the client with which it shares its equation. */
export const adaptiveThrottleOptions = { k: overloadClientOptions.k, window: overloadClientOptions.window } as const;

/**
 * The throttle of "Handling Overload" (see {@link rejectProbability}) with another meaning of requests: what was recorded,
 * that is sent and answered, and not what was attempted. K and the window have the same defaults for the same reasons.
 *
 * That makes it another controller. In a lasting overload a client sends sqrt(K x offered x accepted), which grows with
 * the offered load, where {@link OverloadClient} sends K x accepted; in return it re-opens within seconds after an outage.
 * As an attempt counts on completion, overlapping calls never throttle themselves against a healthy backend.
 *
 * The window is exact to the event, so its memory grows with the rate (see {@link EventWindow}).
 *
 * @example
 * ```ts
 * if (throttle.shouldSend()) throttle.record((await fetch(url)).status !== 503);
 * ```
 */
export class AdaptiveThrottle {
  private readonly clock: Clock;
  private readonly rng: Random;
  private readonly k: number;
  private readonly window: EventWindow;

  /**
   * @param clock seconds; see {@link Clock}.
   * @param rng uniform in [0, 1); drawn from once per {@link shouldSend}.
   * @throws {RangeError} when an option is out of its bounds.
   */
  constructor(clock: Clock, rng: Random, options: AdaptiveThrottleOptions = {}) {
    this.clock = clock;
    this.rng = rng;
    this.k = read("k", options.k);
    this.window = new EventWindow(read("window", options.window));
  }

  /** Decides whether to send, with one draw; it counts nothing. */
  shouldSend(): boolean {
    const probability = this.rejectProbability();
    return this.rng.random() >= probability;
  }

  /** Counts one attempt that was sent, now that its answer is known. */
  record(accepted: boolean): void {
    this.window.moveTo(this.clock.now());
    this.window.add(accepted);
  }

  /** Attempts recorded in the window. */
  requests(): number {
    this.window.moveTo(this.clock.now());
    return this.window.events;
  }

  /** Accepted attempts recorded in the window. */
  accepts(): number {
    this.window.moveTo(this.clock.now());
    return this.window.accepts;
  }

  /** The probability with which {@link shouldSend} would refuse. */
  rejectProbability(): number {
    this.window.moveTo(this.clock.now());
    return rejectProbability(this.window.events, this.window.accepts, this.k);
  }
}

function read(name: keyof typeof adaptiveThrottleOptions, value: unknown): number {
  return resolveOption("create AdaptiveThrottle", name, adaptiveThrottleOptions[name], value);
}
