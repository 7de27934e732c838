/** Executes one trial in this thread, in the world that its specification names. */

import { Classifier } from "../engine/classify.ts";
import { checkConservation } from "../engine/conservation.ts";
import { OpenLoop, type UserPolicies } from "../engine/open-loop.ts";
import type { Scheduler } from "../engine/ports.ts";
import { Recorder } from "../engine/recorder.ts";
import { trialRecord, type WorldFacts } from "../engine/trial-record.ts";
import type { RealWorldSpec, TrialProgress, TrialSpec, VirtualWorldSpec } from "../engine/trial-spec.ts";
import { createPlan, type Plan } from "../plan/plan.ts";
import { stream } from "../plan/streams.ts";
import { resolvePolicy } from "../policy/catalogue.ts";
import type { TrialResult } from "../result/schema.ts";
import { openNullServer } from "./real/null-server.ts";
import { runReal } from "./real/run-real.ts";
import { describeModel, runVirtual } from "./virtual/run-virtual.ts";

/** Fast enough to compile the hot path, short enough not to be waited for. */
const REHEARSAL = {
  arrival: { law: "poisson", rate: { kind: "constant", rps: 5000 } },
  warmupSeconds: 0,
  durationSeconds: 0.5,
  users: 10,
} as const;

/** How the outside follows and stops a trial. Both are polled a few times a second at most. */
export interface TrialHooks {
  /** True from the moment at which arrivals are to stop and the trial to be written as far as it came. */
  stopRequested(): boolean;
  progress(progress: TrialProgress): void;
  /** Called when all is ready for the first arrival, which waits for it. */
  aboutToStart?(): Promise<void>;
}

/**
 * @returns the trial as it stands in the result file, whatever became of the target.
 * @throws RangeError for a specification that breaks a rule; ConservationError when counts do not add up.
 */
export async function executeTrial(spec: TrialSpec, hooks: TrialHooks): Promise<TrialResult> {
  if (spec.world.kind === "real") await rehearse(spec, spec.world);
  await hooks.aboutToStart?.();
  return await execute(spec, hooks);
}

/**
 * Cold code costs a generator a quarter of a second of lateness at its first calls. So it plays a short trial of its own,
 * with the same policy, against a server in its own thread, before the one that counts.
 */
async function rehearse(spec: TrialSpec, world: RealWorldSpec): Promise<void> {
  const nobody = await openNullServer();
  try {
    await execute(
      {
        ...spec,
        plan: { ...spec.plan, ...REHEARSAL },
        timeoutSeconds: 1,
        drainSeconds: 1,
        world: { ...world, url: nobody.url, method: "GET", headers: [], body: undefined, pacing: "precise" },
      },
      { stopRequested: () => false, progress() {} },
    );
  } finally {
    nobody.close();
  }
}

async function execute(spec: TrialSpec, hooks: TrialHooks): Promise<TrialResult> {
  const plan = createPlan(spec.plan);
  const recorder = new Recorder(spec.plan.users, spec.plan.durationSeconds);
  const build = loopBuilder(spec, plan, recorder);
  const startedAt = new Date().toISOString();
  const { loop, facts } =
    spec.world.kind === "real"
      ? await inRealWorld(spec.world, build, recorder, hooks)
      : inVirtualWorld(spec.world, build, recorder, hooks);
  checkConservation(recorder);
  return trialRecord(spec, plan.hash, loop, recorder, { startedAt, ...facts });
}

type LoopBuilder = (scheduler: Scheduler, ended: () => void) => OpenLoop;

function loopBuilder(spec: TrialSpec, plan: Plan, recorder: Recorder): LoopBuilder {
  const { factory } = resolvePolicy(spec.policy.name, spec.policy.options);
  const policies: UserPolicies = (user, clock) => factory(clock, stream(spec.plan.seed, "policy", user));
  const classifier = new Classifier(spec.overloadedOn, spec.okOn);
  const options = { ...spec, durationSeconds: spec.plan.durationSeconds };
  return (scheduler, ended) => new OpenLoop(options, plan.arrivals(), policies, classifier, scheduler, recorder, ended);
}

interface Executed {
  readonly loop: OpenLoop;
  readonly facts: Omit<WorldFacts, "startedAt">;
}

function inVirtualWorld(world: VirtualWorldSpec, build: LoopBuilder, recorder: Recorder, hooks: TrialHooks): Executed {
  const loop = runVirtual(world.model, build, (running, nowSeconds) => {
    if (hooks.stopRequested()) running.stop();
    hooks.progress(progressOf(running, recorder, nowSeconds));
  });
  return { loop, facts: { model: describeModel(world.model) } };
}

async function inRealWorld(
  world: RealWorldSpec,
  build: LoopBuilder,
  recorder: Recorder,
  hooks: TrialHooks,
): Promise<Executed> {
  const { loop, ...facts } = await runReal(world, build, (running, nowSeconds) => {
    if (hooks.stopRequested()) running.stop();
    hooks.progress(progressOf(running, recorder, nowSeconds));
  });
  return { loop, facts };
}

function progressOf(loop: OpenLoop, recorder: Recorder, elapsedSeconds: number): TrialProgress {
  const { ok, throttled, failed, budget } = recorder.outcomes;
  return {
    elapsedSeconds,
    planned: recorder.planned,
    ok,
    throttled,
    failed: failed + budget,
    inFlight: loop.inFlight,
    latenessP99Ms: recorder.lateness.quantileSeconds(0.99) * 1000,
  };
}
