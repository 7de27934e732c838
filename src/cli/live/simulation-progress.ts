/** How far simulations are, and how long they will take by wall time: simulated time says nothing of that. */

import type { TrialProgress } from "../../engine/trial-spec.ts";
import type { TrialResult } from "../../result/schema.ts";
import { SmoothedRate } from "./smoothed-rate.ts";
import { formatLeft } from "./time-left.ts";

/** Before that there is too little to go by: of all of them, and of each. */
const ESTIMATE_AFTER_MS = 1000;

type Seen = Pick<TrialProgress, "planned" | "ok" | "attempts">;

/** A trial that has begun. */
interface Begun {
  readonly startMs: number;
  seen: Seen;
  share: number;
}

const NOTHING: Seen = { planned: 0, ok: 0, attempts: 0 };

export class SimulationProgress {
  /** Calls to be expected of each trial. */
  readonly #expected: readonly number[];
  readonly #nowMs: () => number;
  readonly #begun: Map<number, Begun> = new Map();
  #ended = 0;
  #startMs: number | undefined;
  readonly #done = new SmoothedRate();
  readonly #attempts = new SmoothedRate();

  /**
   * @param expectedCalls of each trial.
   * @param nowMs a clock that does not go back.
   */
  constructor(expectedCalls: readonly number[], nowMs: () => number) {
    this.#expected = expectedCalls.map((calls) => Math.max(1, calls));
    this.#nowMs = nowMs;
  }

  /** @param index of the trial. */
  started(index: number): void {
    const nowMs = this.#nowMs();
    this.#startMs ??= nowMs;
    this.#begun.set(index, { startMs: nowMs, seen: NOTHING, share: 0 });
    this.#measure(nowMs);
  }

  advanced(index: number, seen: Seen): void {
    const trial = this.#begun.get(index);
    if (trial === undefined) return;
    trial.seen = seen;
    trial.share = Math.min(1, seen.planned / (this.#expected[index] as number));
    this.#measure(this.#nowMs());
  }

  ended(index: number, { calls, attempts, warmup }: TrialResult): void {
    this.#ended += 1;
    this.advanced(index, {
      planned: calls.planned + (warmup?.calls.planned ?? 0),
      ok: calls.ok + (warmup?.calls.ok ?? 0),
      attempts: attempts.sent + (warmup?.attempts.sent ?? 0),
    });
    const trial = this.#begun.get(index);
    if (trial !== undefined) trial.share = 1;
  }

  /** One line, the most important first: it may be cut off. */
  text(): string {
    const share = this.#share();
    const left = this.#secondsLeft(share);
    const rate = this.#attempts.perSecond;
    const trials = this.#expected.length;
    return [
      ...(trials === 1 ? [] : [`${this.#ended} of ${trials} trials`]),
      `${Math.floor(100 * share)} %`,
      ...(left === undefined ? [] : [`${formatLeft(left)} left`]),
      ...(rate === undefined ? [] : [`${compact(rate)} attempts/s`]),
      ...(trials === 1 ? this.#callsText() : []),
    ].join(" · ");
  }

  #callsText(): string[] {
    const { planned, ok } = this.#begun.get(0)?.seen ?? NOTHING;
    return planned === 0 ? [] : [`${compact(planned)} calls`, `${Math.round((100 * ok) / planned)} % ok`];
  }

  #measure(nowMs: number): void {
    this.#done.add(this.#share(), nowMs);
    this.#attempts.add(
      [...this.#begun.values()].reduce((sum, { seen }) => sum + seen.attempts, 0),
      nowMs,
    );
  }

  /** Of all that is to be done, each trial by its calls. */
  #share(): number {
    const all = this.#expected.reduce((sum, calls) => sum + calls, 0);
    let done = 0;
    for (const [index, { share }] of this.#begun) done += share * (this.#expected[index] as number);
    return done / all;
  }

  /** By what all of them do together; but no less than what the slowest one under way needs alone. */
  #secondsLeft(share: number): number | undefined {
    const nowMs = this.#nowMs();
    const rate = this.#done.perSecond;
    if (this.#startMs === undefined || nowMs - this.#startMs < ESTIMATE_AFTER_MS) return undefined;
    if (rate === undefined || rate <= 0) return undefined;
    let left = (1 - share) / rate;
    for (const { share: own, startMs } of this.#begun.values()) {
      const livedMs = nowMs - startMs;
      if (own === 0 || own === 1 || livedMs < ESTIMATE_AFTER_MS) continue;
      left = Math.max(left, ((1 - own) / own) * (livedMs / 1000));
    }
    return left;
  }
}

/** `845`, `12.3 k`, `1.20 M`. */
export function compact(value: number): string {
  if (value < 999.5) return value.toFixed(0);
  if (value < 999_500) return `${(value / 1e3).toPrecision(3)} k`;
  return `${value < 999.5e6 ? (value / 1e6).toPrecision(3) : (value / 1e6).toFixed(0)} M`;
}
