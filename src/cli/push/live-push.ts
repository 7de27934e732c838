/** Pushes what is known of the trials of an experiment, one after another, where `--push` asks for it. */

import { clearTimeout, setTimeout } from "node:timers";
import type { LiveTrial } from "../../engine/live-trial.ts";
import { policyName } from "../../figures/policy-text.ts";
import type { PushSample } from "../../report/push/metrics.ts";
import type { Result } from "../../result/schema.ts";
import { type PushFlags, pushEndpoint } from "../flags/push-options.ts";
import type { Host } from "../host.ts";
import type { Progress } from "../live/progress.ts";
import type { Services } from "../services.ts";
import { Pusher } from "./pusher.ts";

export interface LivePush {
  /** Something more is known of a trial under way. */
  gained(trial: LiveTrial): void;
  /** Nothing more will come. Never rejects. */
  finish(): Promise<void>;
}

const NO_PUSH: LivePush = { gained() {}, async finish() {} };

export function createPush(
  host: Host,
  services: Services,
  flags: PushFlags,
  progress: Progress,
  command: Result["command"],
): LivePush {
  const endpoint = pushEndpoint(flags);
  if (endpoint === undefined) return NO_PUSH;
  const pusher = new Pusher(endpoint, {
    send: (request) => services.sendPush(request),
    note: (text) => progress.note(text),
    nowMs: () => performance.now(),
    later(delayMs, run) {
      const timer = setTimeout(run, delayMs).unref();
      return () => clearTimeout(timer);
    },
  });
  const tool = { name: "overload-bench", version: services.version() };
  return {
    gained(trial) {
      const sample = sampleOf(trial, tool, command, host.now());
      if (sample !== undefined) pusher.push(sample);
    },
    finish: () => pusher.finish(),
  };
}

function sampleOf(
  { spec, figures }: LiveTrial,
  tool: PushSample["tool"],
  command: string,
  now: Date,
): PushSample | undefined {
  if (figures === undefined) return undefined;
  const { startedAt, warmingUp, outcomes, classes, planned, sent, inFlight, recent, responseOk } = figures;
  return {
    tool,
    command,
    arm: spec.arm,
    pair: spec.pair,
    policy: policyName(spec.policy),
    world: spec.world.kind,
    phase: warmingUp ? "warmup" : "measured",
    startMs: Date.parse(startedAt) + (warmingUp ? 0 : 1000 * spec.plan.warmupSeconds),
    atMs: now.getTime(),
    calls: outcomes,
    attempts: classes,
    planned,
    sent,
    inFlight,
    rates: recent,
    responseOk,
    latenessP99Seconds: figures.latenessP99Seconds,
    verdict: figures.validity?.verdict,
  };
}
