import { startTrials } from "../../src/world/trial-pool.ts";
import type { VirtualLab } from "./experiment.ts";

const MEDIAN_SEEDS = 10;
const SHARE_SEEDS = 20;
/** Of a quick look, which shows that things work and proves nothing. */
const QUICK_MEDIAN_SEEDS = 3;
const QUICK_SHARE_SEEDS = 6;

export interface VirtualLabOptions {
  readonly quick?: boolean;
  /** Ends what runs; it rejects then. */
  readonly signal?: AbortSignal;
  /** Told after each trial of a batch. */
  progress?(done: number, all: number): void;
}

/** Trials run on all processors. */
export function virtualLab({ quick = false, signal, progress }: VirtualLabOptions = {}): VirtualLab {
  return {
    seeds: seedsTo(quick ? QUICK_MEDIAN_SEEDS : MEDIAN_SEEDS),
    manySeeds: seedsTo(quick ? QUICK_SHARE_SEEDS : SHARE_SEEDS),
    async run(specs) {
      signal?.throwIfAborted();
      let done = 0;
      const running = startTrials(specs, {
        ended() {
          done += 1;
          progress?.(done, specs.length);
        },
      });
      const kill = (): void => running.kill();
      signal?.addEventListener("abort", kill);
      try {
        return await running.result;
      } finally {
        signal?.removeEventListener("abort", kill);
      }
    },
  };
}

function seedsTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
