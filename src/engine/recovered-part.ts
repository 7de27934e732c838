/** Puts a trial together from what it told while it ran, after its generator was killed. */

import { addGain } from "./gain.ts";
import { LatencyHistogram } from "./histogram.ts";
import { SERIES_COLUMNS, SecondSeries } from "./series.ts";
import { Stretches } from "./stretches.ts";
import type { TrialGain } from "./trial-gain.ts";
import type { GovernedPart, TrialPart } from "./trial-part.ts";

/** In the drain attempts are sent, and everything else counts where its call was intended. */
function isOfDrain(counts: Uint32Array): boolean {
  return SERIES_COLUMNS.every((column, index) => column === "sentInSecond" || counts[index] === 0);
}

/** Memory follows the duration of the trial, not the number of gains. */
export class PartRecovery {
  readonly #sum: Stretches<LatencyHistogram, SecondSeries>;
  readonly #windows: GovernedPart["windows"] = [];
  readonly #events: GovernedPart["events"] = [];
  #last: TrialGain | undefined;

  /** @param warmupSeconds whole seconds. */
  constructor(warmupSeconds: number, durationSeconds: number) {
    const endSeconds = warmupSeconds + durationSeconds;
    this.#sum = new Stretches(warmupSeconds, endSeconds, () => new LatencyHistogram(), new SecondSeries());
  }

  /** @throws RangeError when it holds calls that the plan cannot have. */
  add(gain: TrialGain): void {
    for (const { series } of [gain.gained, gain.open]) {
      for (const [second, counts] of series) {
        if (second < this.#sum.endSeconds || (second <= gain.elapsedSeconds && isOfDrain(counts))) continue;
        throw new RangeError(
          `Cannot recover as every 'second' must lie before the end of the arrivals (${this.#sum.endSeconds} s): current value is ${second}`,
        );
      }
    }
    addGain(this.#sum, gain.gained, (own, other) => own.addSparse(other));
    this.#windows.push(...(gain.governed?.windows ?? []));
    this.#events.push(...(gain.governed?.events ?? []));
    this.#last = gain;
  }

  /** The trial as far as it is known; undefined when nothing was told. To be called once, at the end. */
  part(): TrialPart | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    addGain(this.#sum, last.open, (own, other) => own.addSparse(other));
    const { warmupSeconds, warmup, measured, series } = this.#sum;
    return {
      warmupSeconds,
      warmup: warmup.data(),
      measured: measured.data(),
      series: series.columns(),
      userPlanned: undefined,
      userOk: undefined,
      classCounts: undefined,
      arrivalsEndSeconds: last.arrivalsEndSeconds,
      drainSeconds: last.drainSeconds,
      interrupted: true,
      recovered: true,
      worstLatenessP99Seconds: last.worstLatenessP99Seconds,
      facts: last.facts,
      governed: this.#governed(last),
      aborted: last.aborted,
    };
  }

  /** It says that it starts: a governor that said nothing is none. */
  #governed({ aborted }: TrialGain): GovernedPart | undefined {
    if (this.#events.length === 0) return undefined;
    const ended = aborted === undefined ? "interrupted" : "aborted";
    return { ended, windows: this.#windows, events: this.#events };
  }
}
