/** One experiment under way, with all that must be ended when it ends. */

import { compareArms } from "../../comparison/compare-arms.ts";
import { emptyResult } from "../../experiment/empty-result.ts";
import {
  type ExperimentPorts,
  type ExperimentSpec,
  runExperiment,
  type Target,
  trialSpec,
} from "../../experiment/experiment.ts";
import { peakRps } from "../../plan/describe.ts";
import type { Result } from "../../result/schema.ts";
import type { ResultStore } from "../../result/store.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { withAssertions } from "../flags/assert-options.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { LiveLayout } from "../live/live-experiment.ts";
import type { Progress } from "../live/progress.ts";
import { createPush, type LivePush } from "../push/live-push.ts";
import type { Services } from "../services.ts";
import { deliverExports } from "./exports.ts";
import { Interrupt } from "./interrupt.ts";
import { JournalKeeper } from "./journal-keeper.ts";
import type { LoadCommand } from "./load-command.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";
import { remarksBefore } from "./remarks.ts";
import { withUrl } from "./resolve.ts";
import { retire } from "./resume.ts";
import { exitCodeOf, printResult, saveResult } from "./save-result.ts";
import { TargetSite } from "./target-site.ts";
import { TrialRunner } from "./trial-runner.ts";
import { type TwinContext, withTwin } from "./twin-run.ts";

export class LoadSession {
  readonly #host: Host;
  readonly #services: Services;
  readonly #flags: LoadFlags;
  readonly #progress: Progress;
  readonly #command: LoadCommand;
  readonly #planned: PlannedExperiment;
  readonly #store: ResultStore;
  readonly #interrupt: Interrupt;
  readonly #site: TargetSite;
  readonly #journal: JournalKeeper;
  readonly #runner: TrialRunner;
  readonly #push: LivePush;
  /** Where the trials that ended are, while the experiment goes on. */
  #savedPath: string | undefined;

  constructor(
    host: Host,
    services: Services,
    flags: LoadFlags,
    progress: Progress,
    command: LoadCommand,
    planned: PlannedExperiment,
    store: ResultStore,
  ) {
    this.#host = host;
    this.#services = services;
    this.#flags = flags;
    this.#progress = progress;
    this.#command = command;
    this.#planned = planned;
    this.#store = store;
    this.#journal = new JournalKeeper(progress);
    this.#site = new TargetSite(services, flags, progress, () => this.#interrupt.requested);
    this.#interrupt = new Interrupt(host, (exitCode) => {
      this.#journal.abandon();
      this.#runner.kill();
      this.#site.kill();
      progress.end();
      host.exit(exitCode);
    });
    this.#push = createPush(host, services, flags, progress, command.command);
    this.#runner = new TrialRunner(services, progress, this.#journal, this.#interrupt, planned, this.#push);
    this.#interrupt.onRequest(() => {
      progress.note(
        "Stopping: no more arrivals; calls under way are drained, what was measured is written (again to quit)",
      );
      this.#runner.stop();
    });
  }

  /** From the target to the exit code. @throws CliError */
  async run(): Promise<ExitCode> {
    const measured = await this.#measured();
    this.#progress.end();
    if (measured === undefined) {
      this.#progress.note("Nothing was measured: there is no result");
      return this.#interrupt.exitCode ?? EXIT.failed;
    }
    return await this.#deliver(measured);
  }

  async close(): Promise<void> {
    this.#progress.end();
    const inJournal = await this.#journal.leave();
    if (this.#savedPath !== undefined && !inJournal) {
      this.#progress.note(`What was measured so far is in ${this.#savedPath}`);
    }
    await Promise.all([this.#site.stop(), this.#runner.close()]);
    this.#interrupt.close();
  }

  /** @returns undefined when it was stopped before anything was. */
  async #measured(): Promise<Result | undefined> {
    const { common, destination } = this.#planned;
    if (common.world.kind === "real" && this.#flags.sentinel) this.#runner.beginSentinel();
    const { url, target } = await this.#site.open(destination, common.world);
    if (this.#interrupt.requested) return undefined;
    const spec = await this.#placed(url, target);
    this.#runner.doubt();
    const maker = {
      tool: { name: "overload-bench", version: this.#services.version() },
      environment: this.#services.environment(),
    } as const;
    const empty = this.#concluded(emptyResult(spec, maker));
    // Of a sweep its layout, which does not follow from the trials.
    const layout = empty.sweep === undefined ? {} : { sweep: empty.sweep };
    const ports: ExperimentPorts = {
      ...maker,
      world: target === undefined ? this.#runner.virtual() : this.#runner.real(target),
      compare: compareArms,
      saveSoFar: async (soFar) => {
        this.#progress.ended(soFar);
        await this.#save({ ...soFar, ...layout }, false);
      },
      happened: (event) => this.#journal.happened(this.#runner.withDoubts(event)),
      stopRequested: () => this.#interrupt.requested,
    };
    await this.#journal.begin(this.#store, { result: empty });
    this.#journal.kept(spec.resumed?.trials ?? []);
    this.#progress.planned(layoutOf(spec), spec.resumed?.trials ?? []);
    const result = await this.#pushed(() => runExperiment(spec, ports));
    this.#tellOfStop(result);
    return result === undefined ? undefined : await this.#finished(result, spec);
  }

  /** Nothing more is pushed when it has ended, however it did. */
  async #pushed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      await this.#push.finish();
    }
  }

  /** What follows from the trials alone. */
  #concluded(result: Result): Result {
    return this.#command.concluded?.(result) ?? result;
  }

  /** What is simulated once all trials have ended. */
  async #finished(result: Result, experiment: ExperimentSpec): Promise<Result> {
    if (this.#flags.twin === true) return await this.#withTwin(result, experiment);
    const { finished } = this.#command;
    if (finished === undefined) return result;
    return await finished(this.#concluded(result), {
      ...this.#simulating(),
      workers: this.#flags.workers ?? this.#services.defaultWorkers(),
      specOf: (arm) => trialSpec(experiment, arm, 0),
    });
  }

  /** The experiment with the place of its target, what is waited for there, and what is said of this machine before it. */
  async #placed(url: string, target: Target | undefined): Promise<ExperimentSpec> {
    const { plan, arms } = this.#planned;
    const common = withUrl(this.#planned.common, url);
    const note = (text: string): void => this.#progress.note(text);
    const script = this.#flags.script ?? [];
    const heaviest = arms.map(({ own }) => own?.plan ?? plan).reduce((a, b) => (peakRps(b) > peakRps(a) ? b : a), plan);
    const remarks = await remarksBefore(this.#host, this.#services, common, heaviest, script, arms, note);
    const isRepeated = target !== undefined && arms.length * this.#planned.pairs > 1;
    const said = [...this.#planned.remarks, ...remarks];
    return { ...this.#planned, common, remarks: said, ...(isRepeated ? { idle: await target.idleRule() } : {}) };
  }

  #tellOfStop(result: Result | undefined): void {
    const text = result?.design.stopped?.text;
    if (text !== undefined) this.#progress.note(text);
  }

  /** The file, the report, the exit code. */
  async #deliver(measured: Result): Promise<ExitCode> {
    const result = withAssertions(this.#concluded(measured), this.#flags);
    const path = await this.#save(result, true);
    await this.#journal.remove();
    await this.#retire(result);
    printResult(this.#host, this.#flags.json, result, path, this.#command.render);
    const out = this.#flags.json === undefined ? this.#host.stdout : this.#host.stderr;
    const saved = { path, result, page: this.#command.page === true };
    const isReported = await deliverExports(this.#host, this.#services, this.#flags, saved, out);
    return this.#interrupt.exitCode ?? exitCodeOf(result, isReported);
  }

  /** What this experiment continued is of no use any more, unless it is again cut short: then it is all here too. */
  async #retire(result: Result): Promise<void> {
    const { resume } = this.#flags;
    if (resume === undefined) return;
    await retire(this.#host, this.#services, resume, result, (text) => this.#progress.note(text));
  }

  #withTwin(result: Result, experiment: ExperimentSpec): Promise<Result> {
    return withTwin(result, trialSpec(experiment, experiment.arms[0]?.name ?? "", 0), this.#simulating());
  }

  #simulating(): TwinContext {
    return {
      simulation: this.#runner.simulation,
      progress: this.#progress,
      stopRequested: () => this.#interrupt.requested,
      explained: (_spec, error) => this.#runner.explained(undefined, error),
      saveSoFar: async (soFar) => {
        await this.#save(soFar, false);
      },
    };
  }

  async #save(result: Result, final: boolean): Promise<string> {
    const path = await saveResult(this.#host, this.#store, result, final, (text) => this.#progress.note(text));
    this.#savedPath = final ? undefined : path;
    return path;
  }
}

function layoutOf({ arms, pairs, plan }: ExperimentSpec): LiveLayout {
  return {
    arms: arms.map(({ name, own }) => {
      const { warmupSeconds, durationSeconds } = own?.plan ?? plan;
      return { name, seconds: warmupSeconds + durationSeconds };
    }),
    pairs,
  };
}
