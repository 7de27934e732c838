/** One experiment under way, with all that must be ended when it ends. */

import { compareArms } from "../../comparison/compare-arms.ts";
import { emptyResult } from "../../experiment/empty-result.ts";
import {
  type ExperimentPorts,
  type ExperimentSpec,
  type RealPorts,
  runExperiment,
  type Target,
  trialSpec,
  type VirtualPorts,
} from "../../experiment/experiment.ts";
import { whyNotFound, withSearch } from "../../experiment/found-capacity.ts";
import { peakRps } from "../../plan/describe.ts";
import { renderResult } from "../../report/result-text.ts";
import type { Result } from "../../result/schema.ts";
import type { ResultStore } from "../../result/store.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { withAssertions } from "../flags/assert-options.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { LiveLayout } from "../live/live-experiment.ts";
import type { Progress } from "../live/progress.ts";
import { createPush, type LivePush } from "../push/live-push.ts";
import type { Services } from "../services.ts";
import { loadsText, withoutPlan } from "./capacity-loads.ts";
import { hinted } from "./capacity-search.ts";
import { deliverExports } from "./exports.ts";
import { type FurtherTrial, runFurther } from "./further-trials.ts";
import { Interrupt } from "./interrupt.ts";
import { JournalKeeper } from "./journal-keeper.ts";
import type { LoadCommand } from "./load-command.ts";
import type { KnownExperiment, PlannedCourse, PlannedSearch } from "./planned-course.ts";
import type { PlannedExperiment } from "./planned-experiment.ts";
import { remarksBefore } from "./remarks.ts";
import { withUrl } from "./resolve.ts";
import { retire } from "./resume.ts";
import { exitCodeOf, printResult, saveResult } from "./save-result.ts";
import { type OpenTarget, TargetSite } from "./target-site.ts";
import { TrialRunner } from "./trial-runner.ts";
import { type TwinContext, withTwin } from "./twin-run.ts";

/** What was measured, and what went wrong after it, which costs none of it. */
interface Outcome {
  readonly result: Result;
  /** Undefined: nothing did. */
  readonly failure?: unknown;
}

export class LoadSession {
  readonly #host: Host;
  readonly #services: Services;
  readonly #flags: LoadFlags;
  readonly #progress: Progress;
  readonly #course: PlannedCourse;
  readonly #store: ResultStore;
  readonly #interrupt: Interrupt;
  readonly #site: TargetSite;
  readonly #journal: JournalKeeper;
  readonly #push: LivePush;
  /** As it is planned: once the capacity is found, if its load is a multiple of one. */
  #known: KnownExperiment;
  /** What runs the trials: of the search for the capacity, then those of the experiment. */
  #runner: TrialRunner;
  /** Where the trials that ended are, while the experiment goes on. */
  #savedPath: string | undefined;
  /** With what was simulated by then, once all trials have ended. */
  #finishedSoFar: Result | undefined;

  constructor(
    host: Host,
    services: Services,
    flags: LoadFlags,
    progress: Progress,
    course: PlannedCourse,
    store: ResultStore,
  ) {
    this.#host = host;
    this.#services = services;
    this.#flags = flags;
    this.#progress = progress;
    this.#course = course;
    this.#known = course.known;
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
    this.#push = createPush(host, services, flags, progress, course.known.command.command);
    const { search } = course;
    this.#runner =
      search === undefined
        ? this.#runnerOf(this.#planned, this.#command)
        : this.#runnerOf(search.experiment, { judged: hinted });
    this.#interrupt.onRequest(() => {
      progress.note(
        "Stopping: no more arrivals; calls under way are drained, what was measured is written (again to quit)",
      );
      this.#runner.stop();
    });
  }

  get #command(): LoadCommand {
    return this.#known.command;
  }

  get #planned(): PlannedExperiment {
    return this.#known.planned;
  }

  #runnerOf(planned: PlannedExperiment, command: Pick<LoadCommand, "judged" | "beside">): TrialRunner {
    const runner = new TrialRunner(
      this.#services,
      this.#progress,
      this.#journal,
      this.#interrupt,
      planned,
      this.#push,
      command,
    );
    if (planned.common.world.kind === "real" && this.#flags.sentinel) runner.beginSentinel();
    return runner;
  }

  /** From the target to the exit code. @throws CliError */
  async run(): Promise<ExitCode> {
    const { common, destination } = this.#planned;
    const place = await this.#site.open(destination, common.world);
    const { search } = this.#course;
    if (search !== undefined && !this.#interrupt.requested) {
      const ended = await this.#searched(search, place);
      if (ended !== undefined) return ended;
    }
    const measured = await this.#measured(place);
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

  /** Finds the capacity, and plans the experiment with it. @returns the exit code where that is all. */
  async #searched({ experiment, planAt }: PlannedSearch, { url, steady }: OpenTarget): Promise<ExitCode | undefined> {
    const { loads } = this.#course;
    const empty = this.#concluded(emptyResult(this.#planned, this.#maker()));
    const unplanned = loads === undefined ? empty : withoutPlan(empty, loads);
    await this.#journal.begin(this.#store, { result: unplanned, seeks: "capacity" });
    const spec = { ...experiment, common: withUrl(experiment.common, url) };
    const measured = await runExperiment(spec, { ...this.#ports(steady), saveSoFar: async () => {} });
    if (measured === undefined) return undefined;
    const result = withSearch(unplanned, measured.trials);
    const why = whyNotFound(result.capacity, measured.trials);
    if (result.capacity === undefined || why !== undefined) {
      return await this.#deliverSearch(result, new CliError(`The capacity was not found: ${why ?? ""}`, EXIT.invalid));
    }
    const found = { capacity: result.capacity, trials: measured.trials };
    try {
      this.#known = await planAt(found);
    } catch (error) {
      return await this.#deliverSearch(result, error);
    }
    await this.#save(result, false);
    await this.#runner.close();
    this.#runner = this.#runnerOf(this.#planned, this.#command);
    const { sentence, goodput } = result.capacity;
    this.#progress.note(loads === undefined ? sentence : `${sentence} So ${loadsText(this.#planned, loads, goodput)}.`);
    if (steady !== undefined) this.#progress.begin("The target is let go idle", 0);
    return undefined;
  }

  #maker() {
    return {
      tool: { name: "overload-bench", version: this.#services.version() },
      environment: this.#services.environment(),
    } as const;
  }

  #ports(target: Target | undefined): Omit<ExperimentPorts, "saveSoFar"> {
    return {
      ...this.#maker(),
      world: target === undefined ? this.#runner.virtual() : this.#runner.real(target),
      compare: compareArms,
      happened: (event) => this.#journal.happened(this.#runner.withDoubts(event)),
      stopRequested: () => this.#interrupt.requested || this.#runner.gaveUp,
    };
  }

  /** @returns undefined when it was stopped before anything was. */
  async #measured(place: OpenTarget): Promise<Outcome | undefined> {
    if (this.#interrupt.requested && this.#planned.found === undefined) return undefined;
    const { url, target } = place;
    const spec = await this.#placed(url, target);
    this.#runner.doubt();
    const empty = this.#concluded(emptyResult(spec, this.#maker()));
    // The layout, which does not follow from the trials.
    const layout = {
      ...(empty.sweep === undefined ? {} : { sweep: empty.sweep }),
      ...(empty.recovery === undefined ? {} : { recovery: empty.recovery }),
    };
    const ports: ExperimentPorts = {
      ...this.#ports(target),
      saveSoFar: async (soFar) => {
        this.#progress.ended(soFar);
        await this.#save({ ...soFar, ...layout }, false);
      },
    };
    if (this.#course.search === undefined) await this.#journal.begin(this.#store, { result: empty });
    else this.#journal.planned(empty);
    this.#journal.kept(spec.resumed?.trials ?? []);
    this.#progress.planned(layoutOf(spec), spec.resumed?.trials ?? []);
    const result = await this.#pushed(() => runExperiment(spec, ports));
    this.#tellOfStop(result);
    if (result === undefined) return undefined;
    try {
      return { result: await this.#finished(result, spec, place) };
    } catch (failure) {
      return { result: this.#finishedSoFar ?? result, failure };
    }
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
  async #finished(result: Result, experiment: ExperimentSpec, place: OpenTarget): Promise<Result> {
    if (this.#flags.twin === true) return await this.#withTwin(result, experiment);
    const { finished } = this.#command;
    if (finished === undefined) return result;
    return await finished(this.#concluded(result), {
      ...this.#simulating(),
      workers: this.#flags.workers ?? this.#services.defaultWorkers(),
      specOf: (arm) => trialSpec(experiment, arm, 0),
      further: (trials) =>
        runFurther(trials, (trial) => this.#furtherWorld(place, trial), {
          remarks: experiment.remarks,
          stopRequested: () => this.#interrupt.requested || this.#runner.gaveUp,
        }),
    });
  }

  #furtherWorld({ target, steady }: OpenTarget, trial: FurtherTrial): RealPorts | VirtualPorts {
    return this.#runner.further(trial.triggered ? target : steady, trial);
  }

  /** The experiment with the place of its target, what is waited for there, and what is said of this machine before it. */
  async #placed(url: string, target: Target | undefined): Promise<ExperimentSpec> {
    const { plan, arms } = this.#planned;
    const common = withUrl(this.#planned.common, url);
    const note = (text: string): void => this.#progress.note(text);
    const script = this.#flags.script ?? [];
    const heaviest = arms.map(({ own }) => own?.plan ?? plan).reduce((a, b) => (peakRps(b) > peakRps(a) ? b : a), plan);
    const remarks = await remarksBefore(this.#host, this.#services, common, heaviest, script, arms, note);
    const preceded = this.#course.search !== undefined;
    const isWaitedFor = target !== undefined && (preceded || arms.length * this.#planned.pairs > 1);
    const idle = isWaitedFor ? { idle: await target.idleRule() } : {};
    return { ...this.#planned, common, remarks: [...this.#planned.remarks, ...remarks], preceded, ...idle };
  }

  #tellOfStop(result: Result | undefined): void {
    const text = result?.design.stopped?.text;
    if (text !== undefined) this.#progress.note(text);
  }

  /** The file, the report, the exit code. @throws what went wrong, once all that was measured is where it belongs */
  async #deliver({ result: measured, failure }: Outcome): Promise<ExitCode> {
    const result = withAssertions(this.#concluded(measured), this.#flags);
    const path = await this.#save(result, true);
    await this.#journal.remove();
    await this.#retire(result);
    const render = result.trials.length === 0 ? renderResult : this.#command.render;
    printResult(this.#host, this.#flags.json, result, path, render);
    const out = this.#flags.json === undefined ? this.#host.stdout : this.#host.stderr;
    const saved = { path, result, page: this.#command.page === true };
    const isReported = await deliverExports(this.#host, this.#services, this.#flags, saved, out);
    const { exitCode } = this.#interrupt;
    // Of what was interrupted it goes without saying that it is not whole.
    if (failure !== undefined && (exitCode === undefined || !(failure instanceof CliError))) throw failure;
    return exitCode ?? exitCodeOf(result, isReported);
  }

  /** The same where all that came of it is the search for the capacity. @param failure why there is no more. */
  async #deliverSearch(result: Result, failure: unknown): Promise<ExitCode> {
    this.#progress.end();
    await this.#push.finish();
    return await this.#deliver({ result, failure });
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
        this.#finishedSoFar = soFar;
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
