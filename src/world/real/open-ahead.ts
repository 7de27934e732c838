/** Opens connections before the first arrival: a few at a time, and not for ever. */

import { clearInterval, setInterval } from "node:timers";
import { monotonicSeconds } from "./monotonic.ts";

/** More at once would be a burst of its own, longer than the backlog of many a server. */
const AT_ONCE = 32;
const LOOK_MS = 20;
/** The longest that connections are opened ahead: an overloaded target must not hold the start up. */
export const PREPARE_SECONDS = 5;

export interface OpenAheadOptions {
  readonly count: number;
  /** Begins to open one, and calls back once, later. @returns what gives it up; it calls back then as well. */
  readonly open: (ended: () => void) => () => void;
  readonly boundSeconds: number;
  readonly stopRequested: () => boolean;
}

/** Fulfilled when all have been opened or have failed, or were given up after `boundSeconds`. */
export function openAhead({ count, open, boundSeconds, stopRequested }: OpenAheadOptions): Promise<void> {
  return new Promise((resolve) => {
    const opening = new Set<() => void>();
    const endSeconds = monotonicSeconds() + boundSeconds;
    let left = count;
    const timer = setInterval(() => {
      if (monotonicSeconds() < endSeconds && !stopRequested()) return;
      left = 0;
      for (const giveUp of opening) giveUp();
    }, LOOK_MS);
    const next = (): void => {
      while (left > 0 && opening.size < AT_ONCE) {
        left -= 1;
        const giveUp = open(() => {
          opening.delete(giveUp);
          next();
        });
        opening.add(giveUp);
      }
      if (left > 0 || opening.size > 0) return;
      clearInterval(timer);
      resolve();
    };
    next();
  });
}
