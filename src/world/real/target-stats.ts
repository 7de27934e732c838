/** Reads what the built-in target counts about itself, and waits until it has nothing left to do. */

import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici/index.js";
import type { TargetStats } from "../../result/schema.ts";
import type { TargetScriptReading } from "./target-script.ts";

/** Cumulative counters since the target's start, as its `/__stats` gives them. */
export interface TargetReading {
  readonly accepted: number;
  readonly rejected: number;
  readonly abandoned: number;
  readonly queue: number;
  readonly queueMax: number;
  /** Requests without an answer, in the queue or not. */
  readonly inFlight: number;
  /** Null: it has none. */
  readonly script: TargetScriptReading | null;
  /** Null, and undefined of a target of an earlier version: it is always warm. */
  readonly warmth?: object | null;
  readonly cpuAcceptSeconds: number;
  readonly cpuRejectSeconds: number;
  readonly cpuTotalSeconds: number;
  /** The work that was asked for, and the time with something to do; undefined of a target of an earlier version. */
  readonly askedSeconds?: number;
  readonly busySeconds?: number;
  readonly uptimeSeconds: number;
  /** How it was set. */
  readonly options?: Readonly<Record<string, unknown>>;
}

const READ_TIMEOUT_MS = 5_000;
const POLL_MS = 100;
/** Idle means: everything answered, and at most this share of a processor busy between two looks. */
const IDLE_CPU_RATIO = 0.2;

/**
 * @param url any URL of the target; the counters are asked for at the root of its origin.
 * @returns undefined when whoever answers there is not the built-in target, or nobody does.
 */
export async function readTarget(url: string): Promise<TargetReading | undefined> {
  try {
    const answer = await request(new URL("/__stats", url), {
      headersTimeout: READ_TIMEOUT_MS,
      bodyTimeout: READ_TIMEOUT_MS,
      signal: AbortSignal.timeout(READ_TIMEOUT_MS),
    });
    const body: unknown = await answer.body.json();
    return isReading(body) ? body : undefined;
  } catch {
    return undefined; // Not ours, or gone: the trial's own figures tell which.
  }
}

/** What the target did between two readings; undefined when it was started anew in between. */
export function statsBetween(before: TargetReading, after: TargetReading): TargetStats | undefined {
  if (after.uptimeSeconds < before.uptimeSeconds) return undefined;
  return {
    accepted: after.accepted - before.accepted,
    rejected: after.rejected - before.rejected,
    abandoned: after.abandoned - before.abandoned,
    cpuAcceptSeconds: after.cpuAcceptSeconds - before.cpuAcceptSeconds,
    cpuRejectSeconds: after.cpuRejectSeconds - before.cpuRejectSeconds,
    cpuTotalSeconds: after.cpuTotalSeconds - before.cpuTotalSeconds,
    wallSeconds: after.uptimeSeconds - before.uptimeSeconds,
    queueMax: after.queueMax,
    ...(after.askedSeconds === undefined ? {} : { askedSeconds: after.askedSeconds - (before.askedSeconds ?? 0) }),
    ...(after.busySeconds === undefined ? {} : { busySeconds: after.busySeconds - (before.busySeconds ?? 0) }),
    ...settingsOf(after),
  };
}

/** Where it listens and who may end it are no matter of how it serves; its script has a place of its own. */
const OTHER_OPTIONS: readonly string[] = ["host", "port", "script", "exitWithParent"];

function settingsOf({ options }: TargetReading): Pick<TargetStats, "settings"> {
  if (options === undefined) return {};
  const settings: NonNullable<TargetStats["settings"]> = {};
  for (const [name, value] of Object.entries(options)) {
    const isPlain = value === null || typeof value === "number" || typeof value === "string";
    if (isPlain && !OTHER_OPTIONS.includes(name)) settings[name] = value;
  }
  return { settings };
}

/**
 * Waits until the built-in target has answered everything and its processor is at rest.
 *
 * @returns false when it was still busy after `boundSeconds`, or could not be asked.
 */
export async function untilTargetIdle(
  url: string,
  boundSeconds: number,
  stopRequested: () => boolean,
): Promise<boolean> {
  const give = performance.now() + boundSeconds * 1000;
  let last = await readTarget(url);
  while (performance.now() < give && !stopRequested()) {
    await sleep(POLL_MS);
    const now = await readTarget(url);
    if (last !== undefined && now !== undefined && now.inFlight === 0) {
      const busy = now.cpuTotalSeconds - last.cpuTotalSeconds;
      if (busy <= IDLE_CPU_RATIO * (now.uptimeSeconds - last.uptimeSeconds)) return true;
    }
    last = now;
  }
  return false;
}

function isReading(body: unknown): body is TargetReading {
  return typeof body === "object" && body !== null && (body as { kind?: unknown }).kind === "overloadable";
}
