/**
 * How the built-in target served a real trial, from its own counters: what the trial's virtual twin is made of.
 *
 * The work of an accepted attempt is `cpuAcceptSeconds / accepted`, and so for a rejection. What it takes beside (reading
 * requests, writing answers, connections, and time in which others had the processor) is an overhead of which every request has
 * its share: the time in which there was something to do, less the work. All are means over the measured window: what a cold
 * start costs is in them as far as the warm-up left it.
 */

import type { ServiceLaw, TargetStats, TrialResult } from "../result/schema.ts";
import { latencySeen } from "./latency-seen.ts";

/** A law, or one sentence on why there is none. */
export type FoundLaw = { readonly law: ServiceLaw } | { readonly reason: string };

type Settings = NonNullable<TargetStats["settings"]>;

/** What all server models answer a rejection with. */
const TWIN_STATUS = 503;
const CAPACITY_CHANGE = /:(?:capacity|outage)/;
const CHANGED =
  "As the script changed the capacity, the work is what the target is set to, and as much longer as all work took.";
const COLD =
  "As jobs took longer while the target was cold, their work is what the target is set to, and as much longer as all work took.";
const UNREJECTED = "Nothing was rejected: what that takes is what the target is set to.";

/** @param trial a real one of the built-in target, measured to its end. */
export function lawFromCounters(trial: TrialResult, target: TargetStats, settings: Settings): FoundLaw {
  const { mode } = settings;
  if (mode !== "shed" && mode !== "fifo") {
    return { reason: `There is no twin of a target in mode ${mode}: its law is in its settings, see --sim` };
  }
  // What was given up is skipped in mode shed, and worked on all the same in mode fifo.
  const worked = mode === "shed" ? target.accepted : target.accepted + target.abandoned;
  if (worked === 0) return { reason: "The target worked on nothing, so what that takes it is not known" };
  const changed = trial.script !== undefined && CAPACITY_CHANGE.test(trial.script);
  const cold = isCold(settings);
  const overheadMs = overheadOf(target);
  const acceptMs =
    overheadMs + (changed || cold ? usualMs(target, settings, "acceptMs") : (1000 * target.cpuAcceptSeconds) / worked);
  const isRejecting = mode === "shed";
  // A fifo rejects for want of memory only, which takes nothing in the model.
  const rejectMs = isRejecting ? overheadMs + rejectWorkMs(changed, target, settings) : 0;
  return {
    law: {
      source: "counters",
      model: isRejecting ? "worker" : "fifo",
      acceptMs,
      rejectMs,
      overheadMs,
      latencyMs: latencySeen(trial, acceptMs, rejectMs),
      queueMax: number(settings, isRejecting ? "queue" : "fifoQueue"),
      assumptions: [
        ...(changed ? [CHANGED] : []),
        ...(cold ? [COLD] : []),
        ...(isRejecting && target.rejected === 0 ? [UNREJECTED] : []),
        ...statusAssumption(settings),
      ],
    },
  };
}

/** Whether it may be, see {@link Warmth}. */
function isCold({ coldCost }: Settings): boolean {
  return typeof coldCost === "number" && coldCost > 1;
}

/** Clients may take one status for overload and not another. */
function statusAssumption({ status = TWIN_STATUS }: Settings): string[] {
  return status === TWIN_STATUS ? [] : [`Rejections are a ${TWIN_STATUS} in the twin, and a ${status} in the target.`];
}

function overheadOf(target: TargetStats): number {
  const { accepted, rejected, abandoned, cpuAcceptSeconds, cpuRejectSeconds } = target;
  // A target of an earlier version tells its processor time only, which is less where others had the processor.
  const { busySeconds = target.cpuTotalSeconds } = target;
  const besideSeconds = busySeconds - cpuAcceptSeconds - cpuRejectSeconds;
  return Math.max(0, (1000 * besideSeconds) / (accepted + rejected + abandoned));
}

function rejectWorkMs(changed: boolean, target: TargetStats, settings: Settings): number {
  const { rejected, cpuRejectSeconds } = target;
  if (changed || rejected === 0) return usualMs(target, settings, "rejectMs");
  // One whose client has left by its turn takes nothing, which makes the mean less than any of the others took.
  return Math.max(number(settings, "rejectMs"), (1000 * cpuRejectSeconds) / rejected);
}

/** What the work is set to, stretched as all work was: where others had the processor, it took longer than was asked for. */
function usualMs(target: TargetStats, settings: Settings, name: "acceptMs" | "rejectMs"): number {
  const tookSeconds = target.cpuAcceptSeconds + target.cpuRejectSeconds;
  const { askedSeconds = tookSeconds } = target;
  return number(settings, name) * (askedSeconds > 0 ? tookSeconds / askedSeconds : 1);
}

function number(settings: Settings, name: string): number {
  const value = settings[name];
  if (typeof value === "number") return value;
  throw new RangeError(`Cannot read the target's setting '${name}' as it must be a number: current value is ${value}`);
}
