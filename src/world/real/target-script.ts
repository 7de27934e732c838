/** Starts and ends the script of the built-in target, which waits for a trial's measured window, and undoes its warmth. */

import { request } from "undici/index.js";
import type { Reason } from "../../result/schema.ts";

const TIMEOUT_MS = 5_000;
/** A script that begins later than this after the measured window is not the one that the record tells of. */
const LATE_MS_MAX = 250;

/** What `/__stats` says of it. */
export interface TargetScriptReading {
  readonly text: string;
  /** How far it has come; null: it does not run. */
  readonly secondsIn: number | null;
}

export interface StartedScript {
  /** Undefined: it could not be started. */
  readonly text?: string;
  /** What is wrong with its beginning. */
  readonly reason?: Reason;
}

/**
 * Starts it, anew if it runs already.
 *
 * @param url any URL of the target; the script is asked for at the root of its origin.
 * @param reading what the target said of its script just before.
 * @param calledMs when the measured window was about to begin.
 */
export async function startTargetScript(
  url: string,
  { text, secondsIn }: TargetScriptReading,
  calledMs: number,
): Promise<StartedScript> {
  const why = await tell(url, "POST", "/__script");
  const lateMs = Math.round(performance.now() - calledMs);
  if (why !== undefined) return { reason: notStartedReason(why) };
  if (secondsIn !== null) return { text, reason: alreadyRunningReason(secondsIn) };
  return lateMs > LATE_MS_MAX ? { text, reason: lateReason(lateMs) } : { text };
}

/** Of a target that did not say whether it has one. @param isThere whether it must. */
export function unknownScript(isThere: boolean): StartedScript | undefined {
  return isThere ? { reason: notStartedReason("its counters could not be read") } : undefined;
}

/** Ends it: the target is as usual from then on. One that cannot be told will be told again, see {@link EndpointTarget}. */
export async function endTargetScript(url: string): Promise<void> {
  await tell(url, "DELETE", "/__script");
}

/** Makes the target as warm again as at its start, so that every trial meets it alike. One that cannot be told stays as it is. */
export async function restartTargetWarmth(url: string): Promise<void> {
  await tell(url, "DELETE", "/__warmth");
}

/** @returns why it is not done; undefined when it is. */
async function tell(
  url: string,
  method: "POST" | "DELETE",
  path: "/__script" | "/__warmth",
): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(new URL(path, url), {
      method,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await body.dump();
    return statusCode === 204 ? undefined : `it answered ${method} ${path} with ${statusCode}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === undefined ? message : String(code);
  }
}

function notStartedReason(why: string): Reason {
  return {
    code: "script-not-started",
    severity: "suspect",
    message: `The target's script could not be started (${why})`,
    figure: 1,
    limit: 0,
    hint: "The target may have been as usual all the time: look into its log and run again",
  };
}

function alreadyRunningReason(secondsIn: number): Reason {
  return {
    code: "script-running",
    severity: "suspect",
    message: `The target's script ran already when the measured window began, for ${Math.round(secondsIn)} s`,
    figure: secondsIn,
    limit: 0,
    hint: "It was started anew, but the warm-up met it: end it before a run, with DELETE /__script",
  };
}

function lateReason(lateMs: number): Reason {
  return {
    code: "script-late",
    severity: "suspect",
    message: `The target's script began up to ${lateMs} ms after the measured window`,
    figure: lateMs,
    limit: LATE_MS_MAX,
    hint: "The target was too busy to be told: lower the load of the warm-up or the work of a request",
  };
}
