/** What is known of a real trial while it runs: the sum of what it tells once a second, for whoever watches it. */

import type { PlanSpec } from "../plan/plan.ts";
import type { TrialResult } from "../result/schema.ts";
import type { AttemptClass, Outcome } from "./call.ts";
import { addGain } from "./gain.ts";
import { LatencyHistogram } from "./histogram.ts";
import { lateBoundSeconds } from "./late.ts";
import { SecondSeries } from "./series.ts";
import { type SparseData, sparseQuantileSeconds } from "./sparse-histogram.ts";
import { Stretches } from "./stretches.ts";
import type { Tallied } from "./tally.ts";
import type { TrialGain } from "./trial-gain.ts";
import type { RecordedSpec } from "./trial-spec.ts";
import { judgeSoFar, type Validity } from "./validity.ts";

/** "The last seconds" are as many. */
const RECENT_SECONDS = 5;
/** How far back the goodput is kept by second. */
const KEPT_SECONDS = 60;
/** What is told sooner after the account before it (the first one, the last one) is no second of its own. */
const SECOND_MIN = 0.5;

/** What of a trial's specification this needs. */
export interface LiveSpec extends RecordedSpec {
  readonly plan: Pick<PlanSpec, "seed" | "warmupSeconds" | "durationSeconds">;
}

export interface LiveFigures {
  /** When the trial began, as it told. */
  readonly startedAt: string;
  readonly elapsedSeconds: number;
  /** True while calls of the measured window have not begun: all below is then of the warm-up. */
  readonly warmingUp: boolean;
  /** Of the measured window, or of the warm-up before it. */
  readonly planned: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Attempts made, those of them that were sent, and what became of these. */
  readonly made: number;
  readonly sent: number;
  readonly classes: Readonly<Record<AttemptClass, number>>;
  /** Calls under way. */
  readonly inFlight: number;
  /** Response times of ok calls; undefined when there are none. */
  readonly responseOk: { readonly p50Seconds: number; readonly p99Seconds: number } | undefined;
  /** Of the worst worker. */
  readonly latenessP99Seconds: number;
  /** Rates per second over the last few seconds; undefined in the first one. */
  readonly recent: RecentFigures | undefined;
  /** Calls that came back ok, per second, by second of the answer, the latest last; at most a minute of them. */
  readonly goodputBySecond: readonly number[];
  /** The most connections that were open at once. */
  readonly connectionsPeak: number | undefined;
  /** What the governor saw in its last window; undefined without one. */
  readonly governed: GovernedFigures | undefined;
  /** As things stand; undefined during the warm-up. */
  readonly validity: Validity | undefined;
}

export interface RecentFigures {
  readonly seconds: number;
  readonly offered: number;
  readonly sent: number;
  readonly goodput: number;
  /** Response p99 of the calls that came back ok in these seconds; undefined when there are none. */
  readonly responseOkP99Seconds: number | undefined;
}

export interface GovernedFigures {
  readonly control: "rate" | "concurrency";
  /** In force in it. */
  readonly offer: number;
  /** Of the attempts that ended in it; undefined where none did. */
  readonly failedShare: number | undefined;
}

/** What one account, about a second, brought. */
interface Second {
  seconds: number;
  offered: number;
  sent: number;
  ok: number;
  readonly response: SparseData[];
}

/** Costs well under a millisecond a second, whatever the rate: it adds distributions, not calls. */
export class LiveTrial {
  readonly spec: LiveSpec;
  readonly #sum: Stretches<LatencyHistogram, SecondSeries>;
  readonly #seconds: Second[] = [];
  #elapsedSeconds = 0;
  #governed: GovernedFigures | undefined;
  #figures: LiveFigures | undefined;

  constructor(spec: LiveSpec) {
    const { warmupSeconds, durationSeconds } = spec.plan;
    this.spec = spec;
    const newLatency = (): LatencyHistogram => new LatencyHistogram();
    this.#sum = new Stretches(warmupSeconds, warmupSeconds + durationSeconds, newLatency, new SecondSeries());
  }

  /** As of the last account; undefined before the first one. */
  get figures(): LiveFigures | undefined {
    return this.#figures;
  }

  add(gain: TrialGain): void {
    addGain(this.#sum, gain.gained, (own, other) => own.addSparse(other));
    this.#addSecond(gain);
    this.#governed = governedFigures(this.spec, gain) ?? this.#governed;
    this.#figures = this.#describe(gain);
  }

  #addSecond({ gained: { warmup, measured }, elapsedSeconds }: TrialGain): void {
    const seconds = Math.max(0, elapsedSeconds - this.#elapsedSeconds);
    this.#elapsedSeconds = Math.max(this.#elapsedSeconds, elapsedSeconds);
    const both = (count: (tally: Tallied<SparseData>) => number): number => count(warmup) + count(measured);
    const offered = both((tally) => tally.planned);
    const sent = both((tally) => tally.sent);
    const ok = both((tally) => tally.outcomes.ok);
    const response = [warmup.response.ok, measured.response.ok].filter((data) => data !== undefined);
    const last = this.#seconds.at(-1);
    if (last === undefined || (seconds >= SECOND_MIN && last.seconds >= SECOND_MIN)) {
      this.#seconds.push({ seconds, offered, sent, ok, response });
      if (this.#seconds.length > KEPT_SECONDS) this.#seconds.shift();
      const old = this.#seconds.at(-1 - RECENT_SECONDS);
      if (old !== undefined) old.response.length = 0;
      return;
    }
    last.seconds += seconds;
    last.offered += offered;
    last.sent += sent;
    last.ok += ok;
    last.response.push(...response);
  }

  #describe({ elapsedSeconds, facts, worstLatenessP99Seconds }: TrialGain): LiveFigures {
    const { warmup, measured } = this.#sum;
    const warmingUp = measured.planned === 0;
    const tally = warmingUp ? warmup : measured;
    const { planned, outcomes, made, sent, classes, lateness } = tally;
    const response = tally.response.ok;
    const underWay = (all: Tallied<unknown>): number =>
      Object.values(all.outcomes).reduce((left, count) => left - count, all.planned);
    return {
      startedAt: facts.startedAt,
      elapsedSeconds,
      warmingUp,
      planned,
      outcomes: { ...outcomes },
      made,
      sent,
      classes: { ...classes },
      inFlight: underWay(warmup) + underWay(measured),
      responseOk:
        response === undefined || response.count === 0
          ? undefined
          : { p50Seconds: response.quantileSeconds(0.5), p99Seconds: response.quantileSeconds(0.99) },
      latenessP99Seconds: warmingUp ? lateness.quantileSeconds(0.99) : worstLatenessP99Seconds,
      recent: this.#recent(),
      goodputBySecond: this.#seconds
        .filter(({ seconds }) => seconds >= SECOND_MIN)
        .map(({ ok, seconds }) => ok / seconds),
      connectionsPeak: facts.connections?.peak,
      governed: this.#governed,
      validity: warmingUp ? undefined : this.#judge(facts.generator, worstLatenessP99Seconds),
    };
  }

  #recent(): RecentFigures | undefined {
    const recent = this.#seconds.slice(-RECENT_SECONDS);
    const total = (figure: (second: Second) => number): number =>
      recent.reduce((sum, second) => sum + figure(second), 0);
    const seconds = total((second) => second.seconds);
    if (seconds < SECOND_MIN) return undefined;
    return {
      seconds,
      offered: total((second) => second.offered) / seconds,
      sent: total((second) => second.sent) / seconds,
      goodput: total((second) => second.ok) / seconds,
      responseOkP99Seconds: sparseQuantileSeconds(
        recent.flatMap((second) => second.response),
        0.99,
      ),
    };
  }

  #judge(generator: TrialResult["generator"], latenessP99Seconds: number): Validity {
    const { measured, warmupSeconds, endSeconds } = this.#sum;
    const { planned, outcomes, made, sent, classes, lateness } = measured;
    const { world, late, maxInFlight, workers } = this.spec;
    const { cancelled: _, ...settled } = classes;
    return judgeSoFar({
      world: world.kind,
      pacing: world.kind === "real" ? world.pacing : undefined,
      interrupted: false,
      recovered: false,
      warmupSeconds,
      // What a stall may take depends on how long the trial is to be.
      durationSeconds: endSeconds - warmupSeconds,
      calls: { planned, ...outcomes },
      attempts: { made, sent, ...settled, inFlight: 0 },
      errors: Object.fromEntries(measured.errors),
      late: { boundMs: 1000 * lateBoundSeconds(late), sent: measured.lateStarted, dropped: measured.lateDropped },
      lateness: { p99Ms: 1000 * latenessP99Seconds, p999Ms: 1000 * lateness.quantileSeconds(0.999) },
      startedAfterEnd: measured.startedAfterEnd,
      maxInFlight,
      workers,
      generator,
      policyWindowSeconds: 0,
      ageSeconds: 0,
    });
  }
}

/** Of the last window that this account has, if it has one. */
function governedFigures({ governor }: LiveSpec, { governed }: TrialGain): GovernedFigures | undefined {
  const last = governed?.windows.at(-1);
  if (governor === undefined || last === undefined) return undefined;
  const ended = last.successes + last.failures;
  return { control: governor.control, offer: last.offer, failedShare: ended === 0 ? undefined : last.failures / ended };
}
