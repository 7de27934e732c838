/** What `run`, `ab` and `demo` have in common: a destination, an experiment, a result file, a verdict. */

import { compareArms } from "../comparison/compare-arms.ts";
import type { TrialSpec } from "../engine/trial-spec.ts";
import { withReason } from "../engine/validity.ts";
import {
  type ExperimentEvent,
  type ExperimentPorts,
  type ExperimentSpec,
  emptyResult,
  runExperiment,
  type Target,
  trialSpec,
} from "../experiment/experiment.ts";
import type { PlanSpec } from "../plan/plan.ts";
import type { Reason, Result, TrialResult } from "../result/schema.ts";
import type { ResultStore } from "../result/store.ts";
import { StoreError } from "../result/store-error.ts";
import { isPolicyFault } from "../world/policy-module.ts";
import type { RunningTrial } from "../world/worker-executor.ts";
import { type PlannedArm, tellOfScope } from "./arm-policy.ts";
import { resolvePlan } from "./arrival-options.ts";
import { CliError } from "./cli-error.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Host } from "./host.ts";
import { Interrupt } from "./interrupt.ts";
import { JournalKeeper } from "./journal-keeper.ts";
import type { LoadFlags } from "./load-options.ts";
import { planRemarks, trialRemarks } from "./policy-remarks.ts";
import { createProgress, type Progress } from "./progress.ts";
import { tellOfJournals } from "./recover-command.ts";
import { remarksBefore } from "./remarks.ts";
import { checkFlags, describeConfig, destinationOf, resolveCommon, withUrl } from "./resolve.ts";
import { exitCodeOf, printResult, saveResult } from "./save-result.ts";
import { SentinelServer } from "./sentinel-server.ts";
import type { Services } from "./services.ts";
import { Simulation } from "./simulation.ts";
import { TargetSite } from "./target-site.ts";
import { withTwin } from "./twin-run.ts";

export interface LoadCommand {
  readonly command: Result["command"];
  readonly arms: readonly PlannedArm[];
  readonly pairs: number;
  /** What follows from the trials beside the comparison of arms, such as what a sweep recommends. Called for each saved result. */
  readonly concluded?: (result: Result) => Result;
  /** The text for stdout. */
  render(result: Result): string;
}

/** Runs the experiment from the checks to the exit code. @throws CliError */
export async function runLoadCommand(
  host: Host,
  services: Services,
  flags: LoadFlags,
  command: LoadCommand,
): Promise<ExitCode> {
  checkFlags(flags, command.pairs);
  const plan = await resolvePlan(host, flags);
  const common = await resolveCommon(host, flags, plan);
  const store = await prepareStore(host, services, flags, command.command);
  const progress = createProgress(host, flags.quiet);
  await tellOfJournals(services, flags.output, (text) => progress.note(text));
  const session = new Session(host, services, flags, progress);
  try {
    return await session.run(command, plan, common, store);
  } finally {
    await session.close();
  }
}

async function prepareStore(host: Host, services: Services, flags: LoadFlags, command: string): Promise<ResultStore> {
  const store = services.resultStore({
    startedAt: host.now(),
    command,
    ...(flags.output === undefined ? {} : { output: flags.output }),
  });
  try {
    await store.prepare();
  } catch (error) {
    if (error instanceof StoreError) throw new CliError(error.message);
    throw error;
  }
  return store;
}

/** One experiment under way, with all that must be ended when it ends. */
class Session {
  readonly #host: Host;
  readonly #services: Services;
  readonly #flags: LoadFlags;
  readonly #progress: Progress;
  readonly #interrupt: Interrupt;
  readonly #sentinel = new SentinelServer();
  /** What was said of the policies before the run, by arm. */
  readonly #doubts: Map<string, readonly Reason[]> = new Map();
  readonly #site: TargetSite;
  #running: RunningTrial | undefined;
  readonly #simulation: Simulation;
  readonly #journal: JournalKeeper;
  /** Where the trials that ended are, while the experiment goes on. */
  #savedPath: string | undefined;

  constructor(host: Host, services: Services, flags: LoadFlags, progress: Progress) {
    this.#host = host;
    this.#services = services;
    this.#flags = flags;
    this.#progress = progress;
    this.#journal = new JournalKeeper(progress);
    this.#simulation = new Simulation(services, progress);
    this.#site = new TargetSite(services, flags, progress, () => this.#interrupt.requested);
    this.#interrupt = new Interrupt(host, (exitCode) => {
      this.#journal.abandon();
      this.#running?.kill();
      this.#simulation.kill();
      this.#site.kill();
      this.#sentinel.kill();
      host.exit(exitCode);
    });
    this.#interrupt.onRequest(() => {
      progress.note(
        "Stopping: no more arrivals; calls under way are drained, what was measured is written (again to quit)",
      );
      this.#running?.stop();
      this.#simulation.stop();
    });
  }

  async run(
    command: LoadCommand,
    plan: PlanSpec,
    common: ExperimentSpec["common"],
    store: ResultStore,
  ): Promise<ExitCode> {
    const destination = destinationOf(this.#flags);
    if (common.world.kind === "real" && this.#flags.sentinel)
      this.#sentinel.begin(() => this.#services.startNullServer(false));
    const { url, target } = await this.#site.open(destination, common.world);
    const workers =
      common.world.kind === "real" ? common.workers : (this.#flags.workers ?? this.#services.defaultWorkers());
    if (this.#interrupt.exitCode !== undefined) {
      this.#progress.note("Nothing was measured: there is no result");
      return this.#interrupt.exitCode;
    }
    const note = (text: string): void => this.#progress.note(text);
    const remarks = await remarksBefore(
      this.#host,
      this.#services,
      withUrl(common, url),
      plan,
      this.#flags.script ?? [],
      command.arms,
      note,
    );
    for (const arm of command.arms) this.#doubt(arm, plan, common);
    tellOfScope(command.arms, common.workers, note);
    const spec: ExperimentSpec = {
      command: command.command,
      arms: command.arms,
      pairs: command.pairs,
      plan,
      common: withUrl(common, url),
      remarks,
      config: describeConfig(common, plan, command.arms, command.pairs, destination, this.#flags, workers),
    };
    const ports: ExperimentPorts = {
      world: target === undefined ? this.#virtual(spec, command.arms, workers) : this.#real(spec, command.arms, target),
      compare: compareArms,
      saveSoFar: async (soFar) => {
        await this.#save(store, soFar, false);
      },
      happened: (event) => this.#journal.happened(this.#withDoubts(event)),
      stopRequested: () => this.#interrupt.requested,
      tool: { name: "overload-bench", version: this.#services.version() },
      environment: this.#services.environment(),
    };
    const arms = command.arms.map(({ name }) => name);
    await this.#journal.begin(store, { arms, pairs: command.pairs, result: emptyResult(spec, ports) });
    const measured = await runExperiment(spec, ports);
    const result =
      this.#flags.twin === true && measured !== undefined ? await this.#withTwin(measured, spec, store) : measured;
    this.#progress.end();
    if (result === undefined) {
      this.#progress.note("Nothing was measured: there is no result");
      return this.#interrupt.exitCode ?? EXIT.failed;
    }
    const path = await this.#save(store, result, true);
    await this.#journal.remove();
    printResult(this.#host, this.#flags.json, result, path, command.render);
    return this.#interrupt.exitCode ?? exitCodeOf(result);
  }

  #withTwin(result: Result, experiment: ExperimentSpec, store: ResultStore): Promise<Result> {
    const { arms } = experiment;
    return withTwin(result, trialSpec(experiment, arms[0]?.name ?? "", 0), {
      simulation: this.#simulation,
      progress: this.#progress,
      stopRequested: () => this.#interrupt.requested,
      explained: (_spec, error) => this.#explained([], undefined, error),
      saveSoFar: async (soFar) => {
        await this.#save(store, soFar, false);
      },
    });
  }

  async close(): Promise<void> {
    this.#progress.end();
    const inJournal = await this.#journal.leave();
    if (this.#savedPath !== undefined && !inJournal) {
      this.#progress.note(`What was measured so far is in ${this.#savedPath}`);
    }
    await Promise.all([this.#site.stop(), this.#sentinel.stop()]);
    this.#interrupt.close();
  }

  /** Says what theory has against the policy of an arm, and keeps it for the arm's trials. */
  #doubt(arm: PlannedArm, plan: PlanSpec, common: ExperimentSpec["common"]): void {
    const doubts = planRemarks(arm, plan, common);
    this.#doubts.set(arm.name, doubts);
    for (const { message, hint } of doubts) this.#progress.note(`${message} -> ${hint}`);
  }

  /** What is known of a trial before it is in the journal from its start on, and with its figures in its record. */
  #withDoubts(event: ExperimentEvent): ExperimentEvent {
    if (event.kind !== "trialStarts") return event;
    return { ...event, remarks: [...event.remarks, ...(this.#doubts.get(event.spec.arm) ?? [])] };
  }

  #real(experiment: ExperimentSpec, arms: readonly PlannedArm[], target: Target): ExperimentPorts["world"] {
    return {
      kind: "real",
      target,
      execute: (trial, aboutToStart) => this.#execute(trial, experiment, arms, aboutToStart),
    };
  }

  #virtual(experiment: ExperimentSpec, arms: readonly PlannedArm[], workers: number): ExperimentPorts["world"] {
    return {
      kind: "virtual",
      simulate: (specs, hooks) =>
        this.#simulation.run(specs, hooks, {
          workers,
          label: experiment.arms[0]?.policy.name ?? "",
          stopRequested: () => this.#interrupt.requested,
          judged: (spec, trial) => this.#judged(arms, spec, trial),
          explained: (spec, error) => this.#explained(arms, spec, error),
        }),
    };
  }

  async #execute(
    spec: TrialSpec,
    experiment: ExperimentSpec,
    arms: readonly PlannedArm[],
    aboutToStart: () => Promise<void>,
  ): Promise<TrialResult> {
    const { arm, pair, plan } = spec;
    const label = experiment.arms.length === 1 ? spec.policy.name : `${arm} (pair ${pair + 1} of ${experiment.pairs})`;
    this.#progress.begin(label, plan.warmupSeconds + plan.durationSeconds);
    const { spec: equipped, remark } = await this.#sentinel.equip(spec);
    this.#running = this.#services.startTrial(
      equipped,
      (progress) => this.#progress.update(progress),
      aboutToStart,
      (gain) => this.#journal.gained(gain),
    );
    if (this.#interrupt.requested) this.#running.stop();
    try {
      return this.#judged(arms, spec, await this.#running.result, remark === undefined ? [] : [remark]);
    } catch (error) {
      throw this.#explained(arms, spec, error);
    } finally {
      this.#running = undefined;
    }
  }

  /** The trial with what is to be said of its policy. @param remarks what is to be said of it besides. */
  #judged(
    arms: readonly PlannedArm[],
    spec: TrialSpec,
    trial: TrialResult,
    remarks: readonly Reason[] = [],
  ): TrialResult {
    const found = trialRemarks(plannedArm(arms, spec), spec.plan, spec, trial, this.#doubts.get(spec.arm) ?? []);
    return { ...trial, validity: [...remarks, ...found].reduce(withReason, trial.validity) };
  }

  /** What an error is to the user. @param spec the trial that failed, if one did. */
  #explained(arms: readonly PlannedArm[], spec: TrialSpec | undefined, error: unknown): unknown {
    if (spec !== undefined && isPolicyFault(error)) {
      const { file } = plannedArm(arms, spec);
      return new CliError(`${file === undefined ? "" : `${file.path}: `}${error.message}`, EXIT.failed);
    }
    const { exitCode } = this.#interrupt;
    return exitCode === undefined ? error : new CliError("Quit while a trial was under way", exitCode);
  }

  async #save(store: ResultStore, result: Result, final: boolean): Promise<string> {
    const path = await saveResult(this.#host, store, result, final, (text) => this.#progress.note(text));
    this.#savedPath = final ? undefined : path;
    return path;
  }
}

function plannedArm(arms: readonly PlannedArm[], { arm }: TrialSpec): PlannedArm {
  return arms.find(({ name }) => name === arm) as PlannedArm;
}
