/** Runs the trials of an experiment, in either world, and adds to each what is to be said of its policy. */

import { LiveTrial } from "../../engine/live-trial.ts";
import type { TrialSpec } from "../../engine/trial-spec.ts";
import { withReason } from "../../engine/validity.ts";
import type { ExperimentEvent, RealPorts, Target, VirtualPorts } from "../../experiment/experiment.ts";
import type { Governed } from "../../result/governor-schema.ts";
import type { Reason, TrialResult } from "../../result/schema.ts";
import { isPolicyFault } from "../../world/policy-module.ts";
import type { RunningTrial } from "../../world/worker-executor.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import { type PlannedArm, tellOfScope } from "../flags/arm-policy.ts";
import type { Progress } from "../live/progress.ts";
import type { LivePush } from "../push/live-push.ts";
import type { Services } from "../services.ts";
import type { BesideTrial } from "./beside-trial.ts";
import type { FurtherTrial } from "./further-trials.ts";
import { groupedRemarks } from "./grouped-remarks.ts";
import type { Interrupt } from "./interrupt.ts";
import type { JournalKeeper } from "./journal-keeper.ts";
import type { LoadCommand } from "./load-command.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";
import { planRemarks, trialRemarks } from "./policy-remarks.ts";
import { SentinelServer } from "./sentinel-server.ts";
import { Simulation } from "./simulation.ts";

/** What a trial under the governor is called while it runs. */
const SEARCH = "Finding the capacity";

export class TrialRunner {
  readonly #services: Services;
  readonly #progress: Progress;
  readonly #journal: JournalKeeper;
  readonly #interrupt: Interrupt;
  readonly #experiment: PlannedExperiment;
  readonly #push: LivePush;
  readonly #command: Pick<LoadCommand, "judged" | "beside">;
  readonly #sentinel = new SentinelServer();
  readonly simulation: Simulation;
  /** What was said of the policies before the run, by arm. */
  readonly #doubts: Map<string, readonly Reason[]> = new Map();
  #running: RunningTrial | undefined;
  #beside: BesideTrial | undefined;
  #gaveUp = false;

  constructor(
    services: Services,
    progress: Progress,
    journal: JournalKeeper,
    interrupt: Interrupt,
    experiment: PlannedExperiment,
    push: LivePush,
    command: Pick<LoadCommand, "judged" | "beside">,
  ) {
    this.#services = services;
    this.#progress = progress;
    this.#journal = journal;
    this.#interrupt = interrupt;
    this.#experiment = experiment;
    this.#push = push;
    this.#command = command;
    this.simulation = new Simulation(services, progress);
  }

  /** Starts the server that the generator measures its own error with. */
  beginSentinel(): void {
    this.#sentinel.begin(() => this.#services.startNullServer(false));
  }

  /** Says what theory has against the policies of the arms, and keeps it for their trials. */
  doubt(): void {
    const { arms, plan, common, command } = this.#experiment;
    for (const arm of arms) {
      const all = planRemarks(arm, arm.own?.plan ?? plan, { ...common, ...arm.own });
      // Whether a system comes back is asked of no steady state.
      const doubts = command === "recovery" ? all.filter(({ code }) => code !== "few-windows") : all;
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

  /**
   * For trials that are none of the experiment's: no journal and no push has them, and the command does not judge them.
   *
   * @param target undefined: they are simulated.
   */
  further(target: Target | undefined, further: FurtherTrial): RealPorts | VirtualPorts {
    if (target === undefined) return this.virtual(further);
    return { kind: "real", target, execute: (trial, aboutToStart) => this.#execute(trial, aboutToStart, further) };
  }

  virtual(further?: FurtherTrial): VirtualPorts {
    const { arms, common, workers } = this.#experiment;
    const label = common.governor === undefined ? (arms[0]?.policy.name ?? "") : SEARCH;
    return {
      kind: "virtual",
      simulate: (specs, hooks) =>
        this.simulation.run(specs, hooks, {
          workers,
          label: further?.label ?? label,
          stopRequested: () => this.#interrupt.requested || this.#gaveUp,
          judged: (spec, trial) => {
            this.#tellOfGovernor(spec, trial.governor?.events ?? []);
            const judged = this.#judged(spec, trial);
            return further === undefined ? this.#judgedByCommand(judged) : judged;
          },
          explained: (spec, error) => this.explained(spec, error),
        }),
    };
  }

  /** Whether there is no use in further trials. */
  get gaveUp(): boolean {
    return this.#gaveUp;
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
    this.#beside?.stop();
    this.simulation.stop();
  }

  /** Ends all at once. */
  kill(): void {
    this.#beside?.kill();
    this.#running?.kill();
    this.simulation.kill();
    this.#sentinel.kill();
  }

  async close(): Promise<void> {
    await this.#sentinel.stop();
  }

  async #execute(spec: TrialSpec, aboutToStart: () => Promise<void>, further?: FurtherTrial): Promise<TrialResult> {
    const { plan } = spec;
    const live = new LiveTrial(spec);
    this.#progress.begin(further?.label ?? this.#labelOf(spec), plan.warmupSeconds + plan.durationSeconds, live);
    const { spec: equipped, remark } = await this.#sentinel.equip(spec);
    // A search for the capacity comes before what is asked of it.
    const beside =
      spec.governor !== undefined || further?.triggered === false
        ? undefined
        : this.#command.beside?.(spec, {
            note: (text) => this.#progress.note(text),
            giveUp: () => {
              this.#gaveUp = true;
              this.#running?.stop();
            },
          });
    this.#beside = beside;
    this.#running = this.#services.startTrial(
      equipped,
      (progress) => {
        beside?.progress(progress.elapsedSeconds);
        this.#progress.update(progress);
      },
      aboutToStart,
      (gain) => {
        live.add(gain);
        if (further === undefined) {
          this.#journal.gained(gain);
          this.#push.gained(live);
        }
        this.#tellOfGovernor(spec, gain.governed?.events ?? []);
      },
    );
    if (this.#interrupt.requested) this.#running.stop();
    try {
      const trial = await this.#running.result.finally(() => beside?.ended());
      const found = this.#judged(spec, trial, remark === undefined ? [] : [remark]);
      const judged = further === undefined ? this.#judgedByCommand(found) : found;
      return beside?.judged(judged) ?? judged;
    } catch (error) {
      throw this.explained(spec, error);
    } finally {
      this.#running = undefined;
      this.#beside = undefined;
    }
  }

  /** One line for each movement, with the time in the trial. */
  #tellOfGovernor(spec: TrialSpec, events: readonly Governed["events"][number][]): void {
    const whose = this.#experiment.pairs > 1 ? `${spec.pair + 1}: ` : "";
    for (const { level, atSeconds, text } of events) {
      if (level !== "debug") this.#progress.told(`${whose}${atSeconds.toFixed(1).padStart(6)} s  ${text}`);
    }
  }

  #labelOf({ arm, pair, policy, governor }: TrialSpec): string {
    const { arms, pairs } = this.#experiment;
    if (governor !== undefined && arms.length * pairs === 1) return SEARCH;
    if (arms.length > 1) return `${arm} (pair ${pair + 1} of ${pairs})`;
    return pairs > 1 ? `${policy.name} (${pair + 1} of ${pairs})` : policy.name;
  }

  /** The trial with what is to be said of its policy. @param remarks what is to be said of it besides. */
  #judged(spec: TrialSpec, trial: TrialResult, remarks: readonly Reason[] = []): TrialResult {
    const found = trialRemarks(this.#armOf(spec), spec.plan, spec, trial, this.#doubts.get(spec.arm) ?? []);
    // A guard ended it: what it guards is not loaded again.
    if (trial.aborted !== undefined) {
      this.#gaveUp = true;
      this.simulation.stop();
    }
    return { ...trial, validity: [...remarks, ...found].reduce(withReason, trial.validity) };
  }

  #judgedByCommand(trial: TrialResult): TrialResult {
    return this.#command.judged?.(trial) ?? trial;
  }

  #armOf({ arm }: TrialSpec): PlannedArm {
    return this.#experiment.arms.find(({ name }) => name === arm) as PlannedArm;
  }
}
