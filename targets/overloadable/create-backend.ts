import type { ColdStart } from "../../src/plan/warmth.ts";
import { Backend, type BackendPorts } from "./backend.ts";
import type { OverloadableOptions } from "./options.ts";
import { seededRandom } from "./random.ts";
import { SlopeBackend } from "./slope-backend.ts";

/** A longer timer would run out at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The model of the options' mode, with the process's own timers and chance. */
export function createBackend<Job>(
  options: OverloadableOptions,
  ports: Omit<BackendPorts<Job>, "random">,
): Pick<Backend<Job>, "arrive" | "read" | "restartWarmth"> {
  const { mode, fifoQueue } = options;
  switch (mode) {
    case "slope": {
      const after = (milliseconds: number, step: () => void): void => {
        setTimeout(step, Math.min(Math.round(milliseconds), TIMER_MS_MAX));
      };
      return new SlopeBackend({ ...options, capacity: fifoQueue }, { ...ports, after });
    }
    case "shed":
    case "fifo":
    case "bernoulli":
      return new Backend(
        { ...options, mode, capacity: mode === "shed" ? options.queue : fifoQueue, ...coldOf(options) },
        { ...ports, random: seededRandom(options.seed) },
      );
    default:
      return mode satisfies never;
  }
}

function coldOf({ coldCost, warmJobs, warmth }: OverloadableOptions): { readonly cold?: ColdStart } {
  return coldCost === null || warmJobs === null ? {} : { cold: { coldCost, warmJobs, warmth } };
}
