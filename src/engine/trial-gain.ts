/** What a running trial tells of itself, once a second: what it gained, and what was under way at that moment. */

import type { Governed, GovernedWindowRow } from "../result/governor-schema.ts";
import type { TrialResult } from "../result/schema.ts";
import { addGain, type Gain, GainDesk } from "./gain.ts";
import type { OpenLoop } from "./open-loop.ts";
import type { Recorder } from "./recorder.ts";
import { firstAborted, mergeFacts, type WorldFacts } from "./trial-part.ts";

/**
 * The sum of all gains told so far and the last `open` is the trial as if it had been cut off when that was told: it keeps
 * the conservation law.
 */
export interface TrialGain {
  /** When this is told. */
  readonly elapsedSeconds: number;
  /** When the arrivals ended, or this moment; for the rest see {@link TrialPart}. */
  readonly arrivalsEndSeconds: number;
  readonly drainSeconds: number;
  readonly worstLatenessP99Seconds: number;
  readonly gained: Gain;
  /** Calls under way, as they would be recorded if the trial were cut off now. */
  readonly open: Gain;
  readonly facts: WorldFacts;
  /** What the governor did since the gain before; absent where there is none, or where it did nothing. */
  readonly governed?: GovernedGain;
  /** The guard that has ended the arrivals, from then on in each gain. */
  readonly aborted?: NonNullable<TrialResult["aborted"]>;
}

/** Windows of the governor that ended, and lines that it said. */
export interface GovernedGain {
  readonly windows: readonly GovernedWindowRow[];
  readonly events: readonly Governed["events"][number][];
}

/** What `loop` gained since this was last called. */
export function takeTrialGain(
  loop: OpenLoop,
  recorder: Recorder,
  nowSeconds: number,
  facts: WorldFacts,
  steered: Pick<TrialGain, "governed" | "aborted"> = {},
): TrialGain {
  const endSeconds = loop.arriving ? Math.min(nowSeconds, recorder.endSeconds) : loop.arrivalsEndSeconds;
  // A trial that was stopped before its start.
  const arrivalsEndSeconds = Math.max(0, endSeconds);
  const untilSeconds = loop.done ? loop.doneSeconds : nowSeconds;
  return {
    elapsedSeconds: nowSeconds,
    arrivalsEndSeconds,
    drainSeconds: loop.arriving ? 0 : Math.max(0, untilSeconds - arrivalsEndSeconds),
    worstLatenessP99Seconds: recorder.measured.lateness.quantileSeconds(0.99),
    gained: recorder.takeGain(),
    open: recorder.openGain((open) => loop.recordOpen(open, nowSeconds)),
    facts,
    ...steered,
  };
}

/**
 * Makes one account a second out of those of several threads, which tell theirs at moments of their own: it is complete
 * when all have been heard since the last one, and not held up for one that is late, or done, when another is heard again.
 */
export class GainMerger {
  readonly #latest: (TrialGain | undefined)[];
  #pending: (TrialGain | undefined)[];
  /** Which stretch a call belongs to has been decided by its thread. */
  readonly #desk = new GainDesk(0, 0);

  constructor(threads: number) {
    this.#latest = new Array<undefined>(threads).fill(undefined);
    this.#pending = [...this.#latest];
  }

  /** @returns what is complete with this, in order: nothing, one, or two. */
  add(thread: number, gain: TrialGain): TrialGain[] {
    const complete: TrialGain[] = [];
    if (this.#pending[thread] !== undefined) complete.push(this.#merge());
    this.#pending[thread] = gain;
    this.#latest[thread] = gain;
    if (this.#pending.every((heard) => heard !== undefined)) complete.push(this.#merge());
    return complete;
  }

  /** What was heard since the last account, if anything. */
  rest(): TrialGain[] {
    return this.#pending.some((heard) => heard !== undefined) ? [this.#merge()] : [];
  }

  #merge(): TrialGain {
    const pending = this.#pending.filter((heard) => heard !== undefined);
    const latest = this.#latest.filter((heard) => heard !== undefined);
    this.#pending = this.#pending.map(() => undefined);
    const aborted = firstAborted(latest.map((gain) => gain.aborted));
    return {
      elapsedSeconds: Math.max(...latest.map((gain) => gain.elapsedSeconds)),
      // As in a trial that is cut short: the mean, so that rates over it are true when the load is split evenly.
      arrivalsEndSeconds: latest.reduce((sum, gain) => sum + gain.arrivalsEndSeconds, 0) / latest.length,
      drainSeconds: Math.max(...latest.map((gain) => gain.drainSeconds)),
      worstLatenessP99Seconds: Math.max(...latest.map((gain) => gain.worstLatenessP99Seconds)),
      gained: sumOf(
        this.#desk,
        pending.map((gain) => gain.gained),
      ),
      open: sumOf(
        this.#desk,
        latest.map((gain) => gain.open),
      ),
      facts: mergeFacts(latest.map((gain) => gain.facts)),
      ...governedOf(pending),
      ...(aborted === undefined ? {} : { aborted }),
    };
  }
}

/** A governor drives one thread: of several none has anything to tell. */
function governedOf(gains: readonly TrialGain[]): Pick<TrialGain, "governed"> {
  const governed = gains.map((gain) => gain.governed).find((told) => told !== undefined);
  return governed === undefined ? {} : { governed };
}

function sumOf(desk: GainDesk, gains: readonly Gain[]): Gain {
  const [first] = gains;
  if (gains.length === 1 && first !== undefined) return first;
  const sum = desk.open();
  for (const gain of gains) addGain(sum, gain, (own, other) => own.add(other));
  return desk.take(sum);
}
