/** Opens connections before the first arrival: a few at a time, and not for ever. */

import { clearInterval, setInterval } from "node:timers";
import { monotonicSeconds } from "./monotonic.ts";

/** More at once would be a burst of its own, longer than the backlog of many a server. */
const AT_ONCE = 32;
const LOOK_MS = 20;
/** The longest that connections are opened ahead: an overloaded target must not hold the start up. */
export const PREPARE_SECONDS = 5;
/** The longest that one may take. A target that hangs would otherwise cost the whole of {@link PREPARE_SECONDS}. */
const EACH_SECONDS = 2;

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
    /** What gives each up, and since when it has been opening. */
    const opening = new Map<() => void, number>();
    const endSeconds = monotonicSeconds() + boundSeconds;
    let left = count;
    const timer = setInterval(() => {
      const now = monotonicSeconds();
      const over = now >= endSeconds || stopRequested();
      if (over) left = 0;
      for (const [giveUp, sinceSeconds] of opening) if (over || now - sinceSeconds > EACH_SECONDS) giveUp();
    }, LOOK_MS);
    const next = (): void => {
      while (left > 0 && opening.size < AT_ONCE) {
        left -= 1;
        const giveUp = open(() => {
          opening.delete(giveUp);
          next();
        });
        opening.set(giveUp, monotonicSeconds());
      }
      if (left > 0 || opening.size > 0) return;
      clearInterval(timer);
      resolve();
    };
    next();
  });
}
