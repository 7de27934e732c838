/** Finagle's failure accrual, with one endpoint. */

import { exponential } from "../exponential.ts";
import { type Breaker, type Evidence, REFUSED } from "../parts.ts";
import type { Random } from "../policy.ts";
import { SlicedSum } from "../sliced-sum.ts";
import { unreachable } from "../unreachable.ts";
import { wholeMilliseconds } from "../whole-milliseconds.ts";
import { EqualJitterOpenTime } from "./open-time.ts";

export interface FailureAccrualOptions {
  readonly requiredSuccessRate: number;
  /** Mean lifetime of an attempt in the moving average; and how long the average is not trusted at first. */
  readonly windowSeconds: number;
  /** Attempts in the window below which the average is not trusted. */
  readonly minRequestThreshold: number;
  readonly consecutiveFailures: number;
  readonly minDeadSeconds: number;
  readonly maxDeadSeconds: number;
  /** A probe without a result for this long makes room for another. The source has no such bound. */
  readonly probeTimeoutSeconds: number;
}

/** `probeClosed`: the probe is out. */
type State =
  | { readonly kind: "alive" }
  | { readonly kind: "dead"; sinceSeconds: number; readonly forSeconds: number }
  | { readonly kind: "probeOpen" }
  | { readonly kind: "probeClosed"; sinceSeconds: number };

const SLICES = 5;
const ALIVE: State = { kind: "alive" };
const PROBE_OPEN: State = { kind: "probeOpen" };

/**
 * Marks the backend dead when one of two rules says so:
 *
 * - the moving average e of successes is below `requiredSuccessRate`, at least a window after the start or the last revival, and
 *   with at least `minRequestThreshold` attempts in the last window. At an attempt dt after the last one,
 *   `e = x (1 - w) + e w, w = exp(-dt / window)`, x = 1 for a success, 0 for a failure; the first one sets `e = x`.
 * - `consecutiveFailures` failures in a row.
 *
 * It is dead for `minDeadSeconds` at first, then with equal jitter from `minDeadSeconds` up to `maxDeadSeconds`
 * ({@link EqualJitterOpenTime}); the rules draw their times apart, and the longer one holds. Then one probe may pass. Its
 * success forgets all; its failure asks the rules again, and where neither says dead, another probe may pass at once.
 *
 * As in the source, the first result to come decides while a probe is out, also that of an attempt let in long before; and a
 * success that comes while dead counts in the rules. In Finagle a load balancer avoids a dead endpoint, and when all are dead it
 * sends all the same; with one backend and no balancer, dead is refused here.
 *
 * The clock: as {@link CircuitBreaker}. Memory: about 0.8 KB.
 *
 * Source: twitter/finagle finagle-core liveness/FailureAccrualFactory.scala, liveness/FailureAccrualPolicy.scala, util/Ema.scala.
 */
export class FailureAccrual implements Breaker {
  private readonly options: FailureAccrualOptions;
  /** In whole milliseconds, as the source. */
  private readonly recent: SlicedSum;
  private readonly rateDeadTime: EqualJitterOpenTime;
  private readonly runDeadTime: EqualJitterOpenTime;
  private state: State = ALIVE;
  private lastSeconds = 0;
  private startSeconds = Number.NaN;
  private average = Number.NaN;
  private averagedSeconds = 0;
  private failuresInARow = 0;

  constructor(options: FailureAccrualOptions, jitter: Random) {
    this.options = options;
    this.recent = new SlicedSum(
      SLICES * Math.floor((1000 * options.windowSeconds) / SLICES),
      SLICES,
      SLICES - 1,
      "down",
    );
    this.rateDeadTime = new EqualJitterOpenTime(options.minDeadSeconds, options.maxDeadSeconds, jitter);
    this.runDeadTime = new EqualJitterOpenTime(options.minDeadSeconds, options.maxDeadSeconds, jitter);
  }

  /** The state after the last question. */
  get phase(): State["kind"] {
    return this.state.kind;
  }

  enter(nowSeconds: number): number {
    const now = this.readClock(nowSeconds);
    const { state } = this;
    switch (state.kind) {
      case "alive":
        return 0;
      case "probeOpen":
        return this.sendProbe(now);
      case "dead":
        if (now < state.sinceSeconds) state.sinceSeconds = now;
        return now - state.sinceSeconds >= state.forSeconds ? this.sendProbe(now) : REFUSED;
      case "probeClosed":
        if (now < state.sinceSeconds) state.sinceSeconds = now;
        return now - state.sinceSeconds >= this.options.probeTimeoutSeconds ? this.sendProbe(now) : REFUSED;
      default:
        return state satisfies never;
    }
  }

  leave(_ticket: number, evidence: Evidence, _tookSeconds: number, nowSeconds: number): void {
    const now = this.readClock(nowSeconds);
    switch (evidence) {
      case "ignored":
        if (this.state.kind === "probeClosed") this.state = PROBE_OPEN;
        return;
      case "success":
        if (this.state.kind === "probeClosed") this.revive(now);
        this.average = Number.isNaN(this.average) ? 1 : this.averaged(1, now);
        this.averagedSeconds = now;
        this.countRequest(now);
        this.failuresInARow = 0;
        return;
      case "failure":
        if (this.state.kind === "alive" || this.state.kind === "probeClosed") this.takeFailure(now);
        return;
      default:
        unreachable(evidence);
    }
  }

  private countRequest(now: number): void {
    this.recent.moveTo(wholeMilliseconds(now));
    this.recent.add(1);
  }

  private takeFailure(now: number): void {
    const deadSeconds = Math.max(this.rateSaysDead(now), this.runSaysDead());
    if (deadSeconds > 0) this.state = { kind: "dead", sinceSeconds: now, forSeconds: deadSeconds };
    else if (this.state.kind === "probeClosed") this.state = PROBE_OPEN;
  }

  /** @returns how long, or 0. */
  private rateSaysDead(now: number): number {
    const { windowSeconds, requiredSuccessRate, minRequestThreshold } = this.options;
    this.countRequest(now);
    this.average = Number.isNaN(this.average) ? 0 : this.averaged(0, now);
    this.averagedSeconds = now;
    const isDead =
      now - this.startSeconds >= windowSeconds &&
      this.average < requiredSuccessRate &&
      this.recent.total >= minRequestThreshold;
    return isDead ? this.rateDeadTime.next() : 0;
  }

  /** @returns how long, or 0. */
  private runSaysDead(): number {
    this.failuresInARow++;
    return this.failuresInARow >= this.options.consecutiveFailures ? this.runDeadTime.next() : 0;
  }

  private averaged(value: number, now: number): number {
    const weight = exponential(-Math.max(0, now - this.averagedSeconds) / this.options.windowSeconds);
    return value * (1 - weight) + this.average * weight;
  }

  private sendProbe(now: number): number {
    this.state = { kind: "probeClosed", sinceSeconds: now };
    return 0;
  }

  private revive(now: number): void {
    this.state = ALIVE;
    this.rateDeadTime.reset();
    this.runDeadTime.reset();
    this.recent.reset(wholeMilliseconds(now));
    this.startSeconds = now;
    this.average = Number.NaN;
    this.failuresInARow = 0;
  }

  /** The window in which the average is not trusted starts with the first reading, and again when the clock is set back. */
  private readClock(nowSeconds: number): number {
    if (!Number.isFinite(nowSeconds)) return this.lastSeconds;
    this.lastSeconds = nowSeconds;
    if (!(nowSeconds >= this.startSeconds)) this.startSeconds = nowSeconds;
    return nowSeconds;
  }
}
