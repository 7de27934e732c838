/** The three states of a circuit breaker, and who may pass in each. */

import { type Breaker, type Evidence, REFUSED } from "../parts.ts";
import { unreachable } from "../unreachable.ts";
import type { OpenTime } from "./open-time.ts";
import type { TripRule } from "./trip-rule.ts";

/**
 * What becomes of an attempt that was let in before the present state began.
 *
 * - `ignored`: it says nothing of the present (sony/gobreaker);
 * - `presentState`: it counts as if let in now; while half-open it decides as a probe would (Polly, Hystrix, resilience4j,
 *   opossum, Linkerd);
 * - `ownState`: it counts as what it was let in as. An attempt let in while closed goes into the history, and can open a
 *   half-open breaker but not close it; a probe that was overtaken decides still (cockatiel 3; version 4 ignores it).
 */
export type LateResults = "ignored" | "presentState" | "ownState";

/**
 * What makes an open breaker half-open: an attempt that arrives when `now - since >= open time` (`at`), or only when it is
 * `>` (`after`); or the end of the time itself (`timer`). With `timer`, a late result can decide before any probe was sent.
 */
export type HalfOpens = "at" | "after" | "timer";

/** What the probes that ended so far say. */
export type ProbeVerdict = "close" | "open" | "wait";

/** The probes of one half-open state. */
export interface ProbeCounts {
  /** Places taken: probes under way and probes that ended. */
  issued: number;
  /** Probes of this state that ended: their results are taken once each. */
  returned: number;
  /** Results that were counted: those, and late ones where they count as if let in now. */
  ended: number;
  failed: number;
  slow: number;
}

export interface CircuitBreakerOptions {
  readonly rule: TripRule;
  readonly openTime: OpenTime;
  readonly halfOpens: HalfOpens;
  /** Attempts that may pass while half-open. */
  readonly probes: number;
  readonly judge: (counts: Readonly<ProbeCounts>) => ProbeVerdict;
  /** A probe that took longer than this is slow. Default `Infinity`. */
  readonly slowSeconds?: number | undefined;
  /** When all probes are out for longer than this since the last one left, they are given up and new ones may leave. */
  readonly probeTimeoutSeconds: number;
  readonly late: LateResults;
  /** A closed breaker forgets its history whenever this much time has passed; 0: never. Default 0. */
  readonly clearEverySeconds?: number | undefined;
}

/** Seconds are on the caller's clock. */
type State =
  | { readonly kind: "closed"; sinceSeconds: number }
  | { readonly kind: "open"; sinceSeconds: number; readonly forSeconds: number }
  | { readonly kind: "halfOpen"; readonly counts: ProbeCounts; lastProbeSeconds: number };

export type BreakerPhase = State["kind"];

/** Generations wrap long before integers get slow; a ticket half a billion states old would pass for a new one. */
const GENERATIONS = 2 ** 29;

/** Closes when all `probes` succeeded, opens at the first that failed. */
export function allMustSucceed(probes: number): (counts: Readonly<ProbeCounts>) => ProbeVerdict {
  return ({ ended, failed }) => {
    if (failed > 0) return "open";
    return ended >= probes ? "close" : "wait";
  };
}

/**
 * closed -> open when the {@link TripRule} says so; open -> half-open when its time is over, seen when it is next asked or told
 * something (there is no timer); half-open -> closed or open by what the probes say. Half-open lets exactly `probes` attempts
 * pass, however many ask at once, and refuses the rest.
 *
 * A ticket is the number of the state in which the attempt was let in, even for closed, odd for half-open, so that a result
 * that comes late is known for what it is; see {@link LateResults}. A probe that is no evidence (`ignored`) frees its place. A
 * probe that never ends blocks its place for `probeTimeoutSeconds`: then the half-open state starts anew, with a new number.
 *
 * The clock: a step forwards ends the open time early. A step backwards lets it start again, so the breaker is never open for
 * longer than its open time on the new clock. A reading that is no finite number counts as the one before it.
 *
 * An object is allocated at a change of state, never for an attempt. Memory: about 0.4 KB, and the rule's; a whole policy of
 * one user takes from 0.6 KB (failures in a row) to 1.8 KB (the 30 slices of cockatiel).
 */
export class CircuitBreaker implements Breaker {
  private readonly options: CircuitBreakerOptions;
  private readonly rule: TripRule;
  private readonly slowSeconds: number;
  private readonly clearEverySeconds: number;
  private state: State = { kind: "closed", sinceSeconds: Number.NaN };
  private generation = 0;
  private ticket = 0;
  private lastSeconds = 0;
  private openingCount = 0;

  constructor(options: CircuitBreakerOptions) {
    this.options = options;
    this.rule = options.rule;
    this.slowSeconds = options.slowSeconds ?? Number.POSITIVE_INFINITY;
    this.clearEverySeconds = options.clearEverySeconds ?? 0;
  }

  /** The state after the last question. An open breaker whose time is over is `open` until the next attempt asks. */
  get phase(): BreakerPhase {
    return this.state.kind;
  }

  /** How often it opened, after a probe too. */
  get openings(): number {
    return this.openingCount;
  }

  enter(nowSeconds: number): number {
    const now = this.readClock(nowSeconds);
    if (this.rule.arrive !== undefined) this.heed(this.rule.arrive(now));
    const { state } = this;
    switch (state.kind) {
      case "closed":
        if (this.clearEverySeconds > 0) this.clearWhenDue(state, now);
        return this.ticket;
      case "open":
        if (!this.isOver(state, now)) return REFUSED;
        return this.issueProbe(this.halfOpen(now), now);
      case "halfOpen":
        return this.issueProbe(state, now);
      default:
        return state satisfies never;
    }
  }

  leave(ticket: number, evidence: Evidence, tookSeconds: number, nowSeconds: number): void {
    const now = this.readClock(nowSeconds);
    if (this.state.kind === "closed" && this.clearEverySeconds > 0) this.clearWhenDue(this.state, now);
    if (this.state.kind === "open" && this.options.halfOpens === "timer" && this.isOver(this.state, now))
      this.halfOpen(now);
    const { state } = this;
    const isLate = ticket !== this.ticket;
    if (evidence === "ignored") {
      if (!isLate && state.kind === "halfOpen") freePlace(state.counts);
      return;
    }
    const failed = evidence === "failure";
    if (isLate) this.takeLate(ticket, failed, tookSeconds, now);
    else if (state.kind === "closed") this.heed(this.rule.record(failed, tookSeconds, now));
    else if (state.kind === "halfOpen" && state.counts.returned < state.counts.issued) {
      state.counts.returned++;
      this.takeProbe(state.counts, failed, tookSeconds, now);
    }
  }

  private takeLate(ticket: number, failed: boolean, tookSeconds: number, now: number): void {
    const { state } = this;
    const { late } = this.options;
    switch (late) {
      case "ignored":
        return;
      case "presentState":
        if (state.kind === "halfOpen") this.takeProbe(state.counts, failed, tookSeconds, now);
        else this.heed(this.rule.record(failed, tookSeconds, now));
        return;
      case "ownState":
        this.takeAsLetIn(ticket, failed, tookSeconds, now);
        return;
      default:
        unreachable(late);
    }
  }

  private takeAsLetIn(ticket: number, failed: boolean, tookSeconds: number, now: number): void {
    const wasProbe = (ticket & 1) === 1;
    if (!wasProbe) {
      const since = this.rule.record(failed, tookSeconds, now);
      if (!Number.isNaN(since) && this.state.kind !== "open") this.open(since);
      return;
    }
    this.rule.probed(failed, tookSeconds, now);
    if (failed && this.state.kind !== "open") this.open(now);
    else if (!failed && this.state.kind === "halfOpen") this.close(now);
  }

  private takeProbe(counts: ProbeCounts, failed: boolean, tookSeconds: number, now: number): void {
    counts.ended++;
    if (failed) counts.failed++;
    if (tookSeconds > this.slowSeconds) counts.slow++;
    this.rule.probed(failed, tookSeconds, now);
    const verdict = this.options.judge(counts);
    switch (verdict) {
      case "close":
        this.close(now);
        return;
      case "open":
        this.open(now);
        return;
      case "wait":
        return;
      default:
        unreachable(verdict);
    }
  }

  /** Opens a closed breaker when the rule gave a time. */
  private heed(sinceSeconds: number): void {
    if (!Number.isNaN(sinceSeconds) && this.state.kind === "closed") this.open(sinceSeconds);
  }

  private issueProbe(halfOpen: Extract<State, { kind: "halfOpen" }>, now: number): number {
    const { probes, probeTimeoutSeconds } = this.options;
    let state = halfOpen;
    if (state.counts.issued >= probes) {
      if (now < state.lastProbeSeconds) state.lastProbeSeconds = now;
      if (now - state.lastProbeSeconds < probeTimeoutSeconds) return REFUSED;
      state = this.halfOpen(now);
    }
    state.counts.issued++;
    state.lastProbeSeconds = now;
    return this.ticket;
  }

  private isOver(state: Extract<State, { kind: "open" }>, now: number): boolean {
    if (now < state.sinceSeconds) state.sinceSeconds = now;
    const passed = now - state.sinceSeconds;
    return passed > state.forSeconds || (passed === state.forSeconds && this.options.halfOpens !== "after");
  }

  private clearWhenDue(state: Extract<State, { kind: "closed" }>, now: number): void {
    if (now < state.sinceSeconds) state.sinceSeconds = now;
    if (now - state.sinceSeconds <= this.clearEverySeconds) return;
    this.rule.reset();
    this.close(now);
  }

  private open(sinceSeconds: number): void {
    this.state = { kind: "open", sinceSeconds, forSeconds: this.options.openTime.next() };
    this.openingCount++;
    this.number(0);
  }

  private halfOpen(now: number): Extract<State, { kind: "halfOpen" }> {
    const state = {
      kind: "halfOpen",
      counts: { issued: 0, returned: 0, ended: 0, failed: 0, slow: 0 },
      lastProbeSeconds: now,
    } as const satisfies State;
    this.state = state;
    this.number(1);
    return state;
  }

  private close(now: number): void {
    this.options.openTime.reset();
    this.state = { kind: "closed", sinceSeconds: now };
    this.number(0);
  }

  private number(oddness: 0 | 1): void {
    this.generation = (this.generation + 1) % GENERATIONS;
    this.ticket = 2 * this.generation + oddness;
  }

  private readClock(nowSeconds: number): number {
    if (!Number.isFinite(nowSeconds)) return this.lastSeconds;
    this.lastSeconds = nowSeconds;
    return nowSeconds;
  }
}

/** The place of a probe that is no evidence is free again. */
function freePlace(counts: ProbeCounts): void {
  if (counts.returned < counts.issued) counts.issued--;
}
