/** Executes one trial, or one worker's part of it, in this thread, in the world that its specification names. */

import { ClassTally } from "../engine/class-tally.ts";
import { Classifier } from "../engine/classify.ts";
import { checkConservation } from "../engine/conservation.ts";
import { GapFit } from "../engine/gap-fit.ts";
import { type LoopEvents, OpenLoop, type OpenLoopOptions, type UserPolicies } from "../engine/open-loop.ts";
import type { Scheduler } from "../engine/ports.ts";
import { Recorder } from "../engine/recorder.ts";
import { checkWorkers, shardSpec } from "../engine/shard.ts";
import { type TrialGain, takeTrialGain } from "../engine/trial-gain.ts";
import { partOf, type TrialPart, type WorldFacts } from "../engine/trial-part.ts";
import { trialRecord } from "../engine/trial-record.ts";
import type { RealWorldSpec, TrialProgress, TrialSpec, VirtualWorldSpec } from "../engine/trial-spec.ts";
import { TrialSteering } from "../engine/trial-steering.ts";
import { createPlan, NO_ARRIVALS } from "../plan/plan.ts";
import { labelOf } from "../plan/plan-label.ts";
import { formatScript } from "../plan/script.ts";
import { stream } from "../plan/streams.ts";
import { type CriticalityMix, criticalityAt } from "../policy/criticality.ts";
import { PolicyFault } from "../policy/guarded-policy.ts";
import type { Criticality, Random } from "../policy/policy.ts";
import { headersRead, userPolicies } from "../policy/user-policies.ts";
import type { TrialResult } from "../result/schema.ts";
import { agedPolicies, isAged } from "./ageing.ts";
import { resolveTrialPolicy } from "./policy-module.ts";
import { rehearse } from "./real/rehearsal.ts";
import { runReal } from "./real/run-real.ts";
import type { SentinelSpec } from "./real/sentinel.ts";
import { describeModel } from "./virtual/model.ts";
import { runVirtual } from "./virtual/run-virtual.ts";

const GAIN_SECONDS = 1;

/** When a trial is to start, in {@link sharedMs}; undefined: at once. */
export type StartMoment = number | undefined;

/** How the outside follows and stops a trial. The first two are polled now and then. */
export interface TrialHooks {
  /** True from the moment at which arrivals are to stop and the trial to be written as far as it came. */
  stopRequested(): boolean;
  progress(progress: TrialProgress): void;
  /** All is ready for the first arrival, of the warm-up if there is one, which waits for it. */
  aboutToStart?(): Promise<void>;
  /** The measured window begins. Nothing waits for it. Not called when the trial is stopped before. */
  measuring?(): void;
  /** Called when a real trial has begun, about once a second while it runs, and when it ends, with what it gained since. */
  gained?(gain: TrialGain): void;
}

/** The same for one part: whoever runs several lets them start together. */
export interface PartHooks extends Omit<TrialHooks, "aboutToStart"> {
  aboutToStart(): Promise<StartMoment>;
  /** A guard has ended the arrivals of this part: those of the others are to end with them. */
  aborted?(): void;
}

/**
 * Executes a whole trial.
 *
 * @returns the trial as it stands in the result file, whatever became of the target.
 * @throws RangeError for a specification that breaks a rule; ConservationError when counts do not add up.
 */
export async function executeTrial(spec: TrialSpec, hooks: TrialHooks): Promise<TrialResult> {
  if (spec.workers !== 1) {
    throw new RangeError(`Cannot execute in one thread as 'workers' must be 1: current value is ${spec.workers}`);
  }
  const part = await executePart(spec, 0, {
    ...hooks,
    async aboutToStart() {
      await hooks.aboutToStart?.();
      return undefined;
    },
  });
  return trialRecord(spec, labelOf(spec.plan), part);
}

/**
 * Executes the part of worker `shard`: its users' calls of the same plan.
 *
 * @throws RangeError for a specification that breaks a rule; ConservationError when counts do not add up.
 */
export async function executePart(spec: TrialSpec, shard: number, hooks: PartHooks): Promise<TrialPart> {
  checkWorkers(spec);
  const own = shardSpec(spec, shard);
  const { world } = own;
  if (world.kind === "virtual") return await inVirtualWorld(own, world, shard, hooks);
  if (!hooks.stopRequested()) {
    await rehearse(own, world, (rehearsal, played) => inRealWorld(rehearsal, played, 0, UNHEARD));
  }
  return await inRealWorld(own, world, shard, hooks);
}

/** Nobody follows a rehearsal. */
const UNHEARD: PartHooks = { stopRequested: () => false, progress() {}, aboutToStart: async () => undefined };

async function inVirtualWorld(
  spec: TrialSpec,
  world: VirtualWorldSpec,
  shard: number,
  hooks: PartHooks,
): Promise<TrialPart> {
  const { recorder, build, past, steering } = await prepare(spec, shard, {
    stopRequested: () => hooks.stopRequested(),
    aborted: () => hooks.aborted?.(),
    failed(fault) {
      throw fault;
    },
  });
  await hooks.aboutToStart();
  const startedAt = new Date().toISOString();
  const { seed, warmupSeconds } = spec.plan;
  const loop = runVirtual(world, warmupSeconds, { seed, variant: spec.chance }, build, {
    measuring: () => hooks.measuring?.(),
    poll: (running, nowSeconds) => follow(running, recorder, nowSeconds, hooks),
  });
  return checkedPart(loop, recorder, steering, {
    startedAt,
    ...past,
    model: describeModel(world),
    ...(world.script === undefined ? {} : { script: formatScript(world.script) }),
  });
}

async function inRealWorld(spec: TrialSpec, world: RealWorldSpec, shard: number, hooks: PartHooks): Promise<TrialPart> {
  // Not thrown: a policy may fail while the transport is in the middle of something. The trial stops, and says so then.
  const faults: PolicyFault[] = [];
  const stopRequested = (): boolean => faults.length > 0 || hooks.stopRequested();
  const prepared = await prepare(spec, shard, {
    stopRequested,
    aborted: () => hooks.aborted?.(),
    failed: (fault) => faults.push(fault),
    keepsGain: hooks.gained !== undefined,
  });
  const { recorder, build, answerHeaders, past, steering } = prepared;
  // The first one at once: a trial is to be known of before its first second is over.
  let nextGainSeconds = 0;
  const { loop, generator, ...facts } = await runReal(
    { ...world, answerHeaders },
    build,
    {
      stopRequested,
      aboutToStart: () => hooks.aboutToStart(),
      measuring: () => hooks.measuring?.(),
      poll(running, nowSeconds, soFar) {
        follow(running, recorder, nowSeconds, { ...hooks, stopRequested });
        if (faults.length > 0 || hooks.gained === undefined || running.done || nowSeconds < nextGainSeconds) return;
        while (nextGainSeconds <= nowSeconds) nextGainSeconds += GAIN_SECONDS;
        hooks.gained(takeTrialGain(running, recorder, nowSeconds, { ...soFar(), ...past }, steering.takeGain()));
      },
    },
    sentinelSpec(spec, world, shard),
  );
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  hooks.gained?.(
    takeTrialGain(loop, recorder, loop.doneSeconds, { ...facts, ...past, generator }, steering.takeGain()),
  );
  const gaps = recorder.gaps?.result();
  return checkedPart(loop, recorder, steering, {
    ...facts,
    ...past,
    generator: { ...generator, ...(gaps === undefined ? {} : { gaps }) },
  });
}

function sentinelSpec(
  { plan }: TrialSpec,
  { sentinelUrl: url, transport }: RealWorldSpec,
  worker: number,
): SentinelSpec | undefined {
  if (url === undefined) return undefined;
  const { seed, warmupSeconds, durationSeconds } = plan;
  return { url, seed, warmupSeconds, durationSeconds, worker, transport };
}

function checkedPart(loop: OpenLoop, recorder: Recorder, steering: TrialSteering, facts: WorldFacts): TrialPart {
  checkConservation(recorder);
  return partOf(loop, recorder, facts, steering.part(loop));
}

interface Prepared {
  readonly recorder: Recorder;
  /** Headers of answers that the policy reads. */
  readonly answerHeaders: readonly string[];
  /** What the clients have behind them. */
  readonly past: Pick<WorldFacts, "age">;
  readonly steering: TrialSteering;
  build(scheduler: Scheduler, events: LoopEvents): OpenLoop;
}

interface PrepareHooks {
  /** Asked while clients are aged. */
  stopRequested(): boolean;
  /** A guard has ended the arrivals. */
  aborted(): void;
  /** The policy of a module of the user's has failed. */
  failed(fault: PolicyFault): void;
  readonly keepsGain?: boolean;
}

async function prepare(
  spec: TrialSpec,
  shard: number,
  { stopRequested, aborted, failed, keepsGain = false }: PrepareHooks,
): Promise<Prepared> {
  const { seed, users, warmupSeconds, durationSeconds } = spec.plan;
  const plan = createPlan(spec.plan);
  const arrivals = spec.governor === undefined ? plan.arrivals(shard, spec.workers) : NO_ARRIVALS;
  const keepsPlan = spec.world.kind === "real" && spec.governor === undefined;
  const gaps = keepsPlan ? new GapFit(spec.plan, shard, spec.workers) : undefined;
  const { criticality, chance } = spec;
  const classes = criticality === undefined ? undefined : new ClassTally();
  const recorder = new Recorder(users, warmupSeconds, durationSeconds, keepsGain, gaps, classes);
  const { name } = spec.policy;
  const policy = await resolveTrialPolicy(spec.policy, (why) => {
    failed(new PolicyFault(`Policy '${name}' failed while it was measured: ${why}`));
  });
  const fresh: UserPolicies = userPolicies(policy, {
    policy: (user) => stream(seed, "policy", user, chance),
    jitter: (user) => stream(seed, "jitter", user, chance),
  });
  const mattering = (era: number): Partial<Pick<OpenLoopOptions, "criticalityOf">> =>
    criticality === undefined ? {} : { criticalityOf: criticalities(seed, criticality, era) };
  const classifier = new Classifier(spec.overloadedOn, spec.okOn);
  const steering = new TrialSteering(spec, recorder, aborted);
  const options = {
    ...spec,
    warmupSeconds,
    durationSeconds,
    ...mattering(PRESENT),
  };
  // Last, when the trial's own arrivals are known to be as they should: it takes a while.
  const { policies, age } = isAged(spec.age)
    ? agedPolicies({ ...spec, age: spec.age }, fresh, { shard, stopRequested, ...mattering(PAST) })
    : { policies: fresh, age: undefined };
  return {
    recorder,
    answerHeaders: headersRead(policy),
    past: age === undefined ? {} : { age },
    steering,
    build(scheduler, events) {
      const source = steering.begin(scheduler, () => loop.stop());
      const told: LoopEvents = {
        measuring: () => events.measuring(),
        arrivalsEnded: () => steering.arrivalsEnded(),
        ended: () => events.ended(),
      };
      const loop = new OpenLoop(options, arrivals, policies, classifier, scheduler, recorder, told, source);
      return loop;
    },
  };
}

/** Variants of the stream "criticality": the past takes nothing from the trial. */
const PRESENT = 0;
const PAST = 1;

/** Each user's calls have a sequence of their own, so that it does not matter how users are split over workers. */
function criticalities(seed: number, mix: CriticalityMix, era: number): (user: number) => Criticality {
  const streams: (Random | undefined)[] = [];
  return (user) => {
    streams[user] ??= stream(seed, "criticality", user, era);
    return criticalityAt(mix, (streams[user] as Random).random());
  };
}

function follow(loop: OpenLoop, recorder: Recorder, elapsedSeconds: number, hooks: PartHooks): void {
  if (hooks.stopRequested()) loop.stop();
  const { warmup, measured } = recorder;
  const begun = measured.planned > 0;
  const all = (count: (tally: typeof measured) => number): number => count(warmup) + count(measured);
  hooks.progress({
    elapsedSeconds: Math.max(0, elapsedSeconds),
    planned: all((tally) => tally.planned),
    ok: all((tally) => tally.outcomes.ok),
    throttled: all((tally) => tally.outcomes.throttled),
    failed: all((tally) => tally.outcomes.failed + tally.outcomes.budget),
    attempts: all((tally) => tally.sent),
    inFlight: loop.inFlight,
    latenessP99Ms: 1000 * (begun ? measured : warmup).lateness.quantileSeconds(0.99),
  });
}
