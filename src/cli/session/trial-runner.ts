/** Runs the trials of an experiment, in either world, and adds to each what is to be said of its policy. */

import { LiveTrial } from "../../engine/live-trial.ts";
import type { TrialSpec } from "../../engine/trial-spec.ts";
import { withReason } from "../../engine/validity.ts";
import type { ExperimentEvent, RealPorts, Target, VirtualPorts } from "../../experiment/experiment.ts";
import type { Reason, TrialResult } from "../../result/schema.ts";
import { isPolicyFault } from "../../world/policy-module.ts";
import type { RunningTrial } from "../../world/worker-executor.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { type PlannedArm, tellOfScope } from "../flags/arm-policy.ts";
import type { Progress } from "../live/progress.ts";
import type { LivePush } from "../push/live-push.ts";
import type { Services } from "../services.ts";
import { groupedRemarks } from "./grouped-remarks.ts";
import type { Interrupt } from "./interrupt.ts";
import type { JournalKeeper } from "./journal-keeper.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";
import { planRemarks, trialRemarks } from "./policy-remarks.ts";
import { SentinelServer } from "./sentinel-server.ts";
import { Simulation } from "./simulation.ts";

export class TrialRunner {
  readonly #services: Services;
  readonly #progress: Progress;
  readonly #journal: JournalKeeper;
  readonly #interrupt: Interrupt;
  readonly #experiment: PlannedExperiment;
  readonly #push: LivePush;
  readonly #sentinel = new SentinelServer();
  readonly simulation: Simulation;
  /** What was said of the policies before the run, by arm. */
  readonly #doubts: Map<string, readonly Reason[]> = new Map();
  #running: RunningTrial | undefined;

  constructor(
    services: Services,
    progress: Progress,
    journal: JournalKeeper,
    interrupt: Interrupt,
    experiment: PlannedExperiment,
    push: LivePush,
  ) {
    this.#services = services;
    this.#progress = progress;
    this.#journal = journal;
    this.#interrupt = interrupt;
    this.#experiment = experiment;
    this.#push = push;
    this.simulation = new Simulation(services, progress);
  }

  /** Starts the server that the generator measures its own error with. */
  beginSentinel(): void {
    this.#sentinel.begin(() => this.#services.startNullServer(false));
  }

  /** Says what theory has against the policies of the arms, and keeps it for their trials. */
  doubt(): void {
    const { arms, plan, common } = this.#experiment;
    for (const arm of arms) {
      const doubts = planRemarks(arm, arm.own?.plan ?? plan, { ...common, ...arm.own });
      this.#doubts.set(arm.name, doubts);
    }
    for (const line of groupedRemarks(this.#doubts)) this.#progress.note(line);
    tellOfScope(arms, common.workers, (text) => this.#progress.note(text));
  }

  /** What is known of a trial before it is in the journal from its start on, and with its figures in its record. */
  withDoubts(event: ExperimentEvent): ExperimentEvent {
    if (event.kind !== "trialStarts") return event;
    return { ...event, remarks: [...event.remarks, ...(this.#doubts.get(event.spec.arm) ?? [])] };
  }

  real(target: Target): RealPorts {
    return { kind: "real", target, execute: (trial, aboutToStart) => this.#execute(trial, aboutToStart) };
  }

  virtual(): VirtualPorts {
    const { arms, workers } = this.#experiment;
    return {
      kind: "virtual",
      simulate: (specs, hooks) =>
        this.simulation.run(specs, hooks, {
          workers,
          label: arms[0]?.policy.name ?? "",
          stopRequested: () => this.#interrupt.requested,
          judged: (spec, trial) => this.#judged(spec, trial),
          explained: (spec, error) => this.explained(spec, error),
        }),
    };
  }

  /** What an error is to the user. @param spec the trial that failed, if one did. */
  explained(spec: TrialSpec | undefined, error: unknown): unknown {
    if (spec !== undefined && isPolicyFault(error)) {
      const { file } = this.#armOf(spec);
      return new CliError(`${file === undefined ? "" : `${file.path}: `}${error.message}`, EXIT.failed);
    }
    const { exitCode } = this.#interrupt;
    return exitCode === undefined ? error : new CliError("Quit while a trial was under way", exitCode);
  }

  /** Ends the arrivals of what is under way; it is given as far as it came. */
  stop(): void {
    this.#running?.stop();
    this.simulation.stop();
  }

  /** Ends all at once. */
  kill(): void {
    this.#running?.kill();
    this.simulation.kill();
    this.#sentinel.kill();
  }

  async close(): Promise<void> {
    await this.#sentinel.stop();
  }

  async #execute(spec: TrialSpec, aboutToStart: () => Promise<void>): Promise<TrialResult> {
    const { plan } = spec;
    const live = new LiveTrial(spec);
    this.#progress.begin(this.#labelOf(spec), plan.warmupSeconds + plan.durationSeconds, live);
    const { spec: equipped, remark } = await this.#sentinel.equip(spec);
    this.#running = this.#services.startTrial(
      equipped,
      (progress) => this.#progress.update(progress),
      aboutToStart,
      (gain) => {
        this.#journal.gained(gain);
        live.add(gain);
        this.#push.gained(live);
      },
    );
    if (this.#interrupt.requested) this.#running.stop();
    try {
      return this.#judged(spec, await this.#running.result, remark === undefined ? [] : [remark]);
    } catch (error) {
      throw this.explained(spec, error);
    } finally {
      this.#running = undefined;
    }
  }

  #labelOf({ arm, pair, policy }: TrialSpec): string {
    const { arms, pairs } = this.#experiment;
    if (arms.length > 1) return `${arm} (pair ${pair + 1} of ${pairs})`;
    return pairs > 1 ? `${policy.name} (${pair + 1} of ${pairs})` : policy.name;
  }

  /** The trial with what is to be said of its policy. @param remarks what is to be said of it besides. */
  #judged(spec: TrialSpec, trial: TrialResult, remarks: readonly Reason[] = []): TrialResult {
    const found = trialRemarks(this.#armOf(spec), spec.plan, spec, trial, this.#doubts.get(spec.arm) ?? []);
    return { ...trial, validity: [...remarks, ...found].reduce(withReason, trial.validity) };
  }

  #armOf({ arm }: TrialSpec): PlannedArm {
    return this.#experiment.arms.find(({ name }) => name === arm) as PlannedArm;
  }
}
