/** The target of a real experiment, watched from outside: its counters when it is the built-in one, else its reachability. */

import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionSpec } from "../../engine/trial-spec.ts";
import type { Reason } from "../../result/schema.ts";
import { whyUnreachable } from "./reach.ts";
import { endTargetScript, restartTargetWarmth, startTargetScript, unknownScript } from "./target-script.ts";
import { readTarget, statsBetween, untilTargetIdle } from "./target-stats.ts";

/** A target that is still busy after this long does not recover by itself. */
export const IDLE_BOUND_SECONDS = 20;
const POLL_MS = 50;

export interface EndpointOptions {
  readonly url: string;
  readonly connections: ConnectionSpec;
  /** The pause before a further trial for a target whose counters cannot be read. */
  readonly pauseSeconds: number;
  /** Whether `/__stats` may be asked for. */
  readonly stats: boolean;
  /** Whether the target was given a script, by us. */
  readonly scripted: boolean;
  /** Whether its script, if it has one, is not to run. Default no. */
  readonly steady?: boolean;
  /** Why the target's process is gone, for a target that we started. */
  died(): string | undefined;
  stopRequested(): boolean;
}

export class EndpointTarget {
  readonly #options: EndpointOptions;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  async idleRule(): Promise<string> {
    const { url, stats, pauseSeconds } = this.#options;
    if (stats && (await readTarget(url)) !== undefined) {
      return `until the target's counters show all requests answered and its processor at rest, ${IDLE_BOUND_SECONDS} s at most`;
    }
    return pauseSeconds > 0 ? `a pause of ${pauseSeconds} s` : "no pause";
  }

  async untilIdle(): Promise<Reason | undefined> {
    const { url, stats, pauseSeconds, stopRequested } = this.#options;
    const reading = stats ? await readTarget(url) : undefined;
    if (reading !== undefined) {
      if (reading.script?.secondsIn != null) await endTargetScript(url);
      const idle = await untilTargetIdle(url, IDLE_BOUND_SECONDS, stopRequested);
      if (reading.warmth != null) await restartTargetWarmth(url);
      return idle || stopRequested()
        ? undefined
        : busyReason(`was still busy ${IDLE_BOUND_SECONDS} s after the trial before`);
    }
    const end = performance.now() + pauseSeconds * 1000;
    while (performance.now() < end && !stopRequested()) await sleep(POLL_MS);
    return undefined;
  }

  /** Reads the counters and starts the target's script, if it has one; `end` reads them again and ends it. */
  async watch() {
    const { url, stats, scripted, steady = false } = this.#options;
    const calledMs = performance.now();
    const before = stats ? await readTarget(url) : undefined;
    const script = steady
      ? undefined
      : before?.script == null
        ? unknownScript(scripted)
        : await startTargetScript(url, before.script, calledMs);
    return {
      end: async () => {
        const after = before === undefined ? undefined : await readTarget(url);
        if (script !== undefined) await endTargetScript(url);
        if (after?.warmth != null) await restartTargetWarmth(url);
        const said = script?.text === undefined ? {} : { script: script.text };
        const lost = before === undefined || after === undefined;
        const counted = lost ? undefined : statsBetween(before, after);
        if (counted !== undefined) return { ...said, stats: counted, ...(script?.reason && { reason: script.reason }) };
        const reason = lost ? ((await this.#whyGone()) ?? script?.reason) : restartedReason();
        return { ...said, ...(reason && { reason }) };
      },
    };
  }

  async #whyGone(): Promise<Reason | undefined> {
    const { url, connections, died } = this.#options;
    const gone = died() ?? (await whyUnreachable(url, connections));
    if (gone === undefined) return undefined;
    // A full backlog is what an overloaded target looks like from outside: it is there, and busy.
    return gone === "timeout" ? busyReason("takes no connection") : diedReason(gone);
  }
}

function busyReason(what: string): Reason {
  return {
    code: "target-busy",
    severity: "suspect",
    message: `The target ${what}`,
    figure: IDLE_BOUND_SECONDS,
    limit: IDLE_BOUND_SECONDS,
    hint: "Its backlog outlives a trial, or is part of the next: lower the load or give it a bounded queue",
  };
}

function restartedReason(): Reason {
  return {
    code: "target-restarted",
    severity: "invalid",
    message: "The target was started anew during the trial",
    figure: 1,
    limit: 0,
    hint: "Look into the target's log; the figures mix what it did with its absence",
  };
}

function diedReason(why: string): Reason {
  return {
    code: "target-died",
    severity: "invalid",
    message: `The target was gone when the trial ended (${why})`,
    figure: 0,
    limit: 0,
    hint: "Look into the target's log; the figures mix what it did with its absence",
  };
}
