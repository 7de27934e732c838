/** What `run`, `ab` and `demo` have in common: a destination, an experiment, a result file, a verdict. */

import { isIP } from "node:net";
import { isCertificateCode } from "../engine/fault-codes.ts";
import type { ConnectionSpec, TrialSpec } from "../engine/trial-spec.ts";
import { type Arm, type ExperimentSpec, runExperiment, type Target } from "../experiment/experiment.ts";
import { peakRps } from "../plan/describe.ts";
import type { PlanSpec } from "../plan/plan.ts";
import { compareArms } from "../report/comparison.ts";
import type { Reason, Result, TrialResult } from "../result/schema.ts";
import type { ResultStore } from "../result/store.ts";
import { StoreError } from "../result/store-error.ts";
import { hostOf } from "../world/real/addresses.ts";
import { STREAMS_MAX } from "../world/real/http2/connection.ts";
import { type TargetProcess, TargetUsageError } from "../world/real/target-process.ts";
import type { RunningTrial } from "../world/worker-executor.ts";
import { resolvePlan } from "./arrival-options.ts";
import { CliError } from "./cli-error.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Host } from "./host.ts";
import { Interrupt } from "./interrupt.ts";
import type { LoadFlags } from "./load-options.ts";
import { createProgress, type Progress } from "./progress.ts";
import { checkFlags, type Destination, describeConfig, destinationOf, resolveCommon, withUrl } from "./resolve.ts";
import type { Services } from "./services.ts";

export interface LoadCommand {
  readonly command: Result["command"];
  readonly arms: readonly Arm[];
  readonly pairs: number;
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
  #builtIn: TargetProcess | undefined;
  #running: RunningTrial | undefined;
  /** Where the trials that ended are, while the experiment goes on. */
  #savedPath: string | undefined;

  constructor(host: Host, services: Services, flags: LoadFlags, progress: Progress) {
    this.#host = host;
    this.#services = services;
    this.#flags = flags;
    this.#progress = progress;
    this.#interrupt = new Interrupt(host, (exitCode) => {
      this.#running?.kill();
      this.#builtIn?.kill();
      host.exit(exitCode);
    });
    this.#interrupt.onRequest(() => {
      progress.note(
        "Stopping: no more arrivals; calls under way are drained, what was measured is written (again to quit)",
      );
      this.#running?.stop();
    });
  }

  async run(
    command: LoadCommand,
    plan: PlanSpec,
    common: ExperimentSpec["common"],
    store: ResultStore,
  ): Promise<ExitCode> {
    const destination = destinationOf(this.#flags);
    const { url, target } = await this.#openTarget(destination, common.world);
    if (this.#interrupt.exitCode !== undefined) {
      this.#progress.note("Nothing was measured: there is no result");
      return this.#interrupt.exitCode;
    }
    const remarks = this.#preflight(common, plan, command.arms, url);
    const spec: ExperimentSpec = {
      command: command.command,
      arms: command.arms,
      pairs: command.pairs,
      plan,
      common: withUrl(common, url),
      remarks,
      config: describeConfig(common, plan, command.arms, command.pairs, destination, this.#flags),
    };
    const result = await runExperiment(spec, {
      target,
      execute: (trial, aboutToStart) => this.#execute(trial, spec, aboutToStart),
      compare: compareArms,
      saveSoFar: async (soFar) => {
        await this.#save(store, soFar, false);
      },
      stopRequested: () => this.#interrupt.requested,
      tool: { name: "overload-bench", version: this.#services.version() },
      environment: this.#services.environment(),
    });
    this.#progress.end();
    if (result === undefined) {
      this.#progress.note("Nothing was measured: there is no result");
      return this.#interrupt.exitCode ?? EXIT.failed;
    }
    await this.#save(store, result, true, command.render);
    return this.#interrupt.exitCode ?? exitCodeOf(result.trials);
  }

  async close(): Promise<void> {
    this.#progress.end();
    if (this.#savedPath !== undefined) this.#progress.note(`What was measured so far is in ${this.#savedPath}`);
    await this.#builtIn?.stop();
    this.#interrupt.close();
  }

  /** What this machine may lack for the plan, told before the run and kept with each trial. */
  #preflight(common: ExperimentSpec["common"], plan: PlanSpec, arms: readonly Arm[], url: string): readonly Reason[] {
    if (common.world.kind === "virtual") return [];
    const { preopen, maxRequests, http2, unixPath } = common.world.connections;
    const peak = peakRps(plan);
    const attempts = Math.max(...arms.map(({ policy }) => policy.options.maxAttempts ?? 1));
    const underWay = Math.min(common.maxInFlight, Math.ceil(peak * common.timeoutSeconds * attempts));
    const remarks = this.#services.preflight({
      connectionsMax: Math.max(preopen, http2 ? Math.ceil(underWay / STREAMS_MAX) : underWay),
      newConnectionsPerSecond: maxRequests === undefined ? 0 : peak / maxRequests,
      usesPorts: unixPath === undefined,
      addresses: knownAddresses(url, common.world.connections),
    });
    for (const { message, hint } of remarks) this.#progress.note(`${message}: ${hint}`);
    return remarks;
  }

  async #openTarget(
    destination: Destination,
    world: TrialSpec["world"],
  ): Promise<{ readonly url: string; readonly target: Target }> {
    if (destination.kind === "virtual" || world.kind === "virtual") {
      return { url: "", target: this.#services.modelTarget() };
    }
    const { connections } = world;
    const url = destination.kind === "url" ? destination.url : await this.#startBuiltIn(destination.spec);
    const why = destination.kind === "url" ? await this.#whyUnreachable(url, connections) : undefined;
    if (why !== undefined) {
      const hint = isCertificateCode(why)
        ? " (its certificate does not verify: see --cacert, --sni and --insecure)"
        : "";
      const { unixPath } = connections;
      const place = unixPath === undefined ? `--url ${new URL(url).origin}` : `--unix ${unixPath}`;
      throw new CliError(`Cannot reach the target of ${place}: ${why}${hint}`, EXIT.failed);
    }
    const target = this.#services.endpointTarget({
      url,
      connections,
      pauseSeconds: this.#flags.pause ?? 0,
      // The counters are asked for at the URL's own host: with another way to the target that is another server.
      stats: this.#flags.stats && connections.unixPath === undefined && connections.resolve.length === 0,
      died: () => this.#builtIn?.died(),
      stopRequested: () => this.#interrupt.requested,
    });
    return { url, target };
  }

  async #whyUnreachable(url: string, connections: ConnectionSpec): Promise<string | undefined> {
    try {
      return await this.#services.whyUnreachable(url, connections);
    } catch (error) {
      if (error instanceof RangeError) throw new CliError(`--cacert, --cert, --key: ${error.message}`);
      throw error;
    }
  }

  async #startBuiltIn(spec: string): Promise<string> {
    this.#progress.begin("Starting the built-in target", 0);
    try {
      this.#builtIn = await this.#services.startTarget({
        spec,
        pin: this.#flags.pin,
        stopRequested: () => this.#interrupt.requested,
      });
    } catch (error) {
      if (error instanceof TargetUsageError) throw new CliError(`--target: ${error.message}`);
      throw new CliError((error as Error).message, EXIT.failed);
    }
    const { url, processor } = this.#builtIn;
    const where = processor === undefined ? "" : `, bound to processor ${processor}`;
    if (!this.#flags.quiet) this.#progress.note(`Built-in target at ${url}${where}`);
    return url;
  }

  async #execute(spec: TrialSpec, experiment: ExperimentSpec, aboutToStart: () => Promise<void>): Promise<TrialResult> {
    const { arm, pair, plan } = spec;
    const label = experiment.arms.length === 1 ? spec.policy.name : `${arm} (pair ${pair + 1} of ${experiment.pairs})`;
    this.#progress.begin(label, plan.warmupSeconds + plan.durationSeconds);
    this.#running = this.#services.startTrial(spec, (progress) => this.#progress.update(progress), aboutToStart);
    if (this.#interrupt.requested) this.#running.stop();
    try {
      return await this.#running.result;
    } catch (error) {
      if (this.#interrupt.exitCode !== undefined)
        throw new CliError("Quit: the trial under way is lost", this.#interrupt.exitCode);
      throw error;
    } finally {
      this.#running = undefined;
    }
  }

  async #save(store: ResultStore, result: Result, final: boolean, render?: LoadCommand["render"]): Promise<void> {
    let path: string | undefined;
    try {
      const saved = await store.save(result, { final });
      path = saved.path;
      this.#savedPath = final ? undefined : path;
      if (saved.fallbackReason !== undefined) this.#progress.note(`${saved.fallbackReason}: the result went elsewhere`);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.json !== undefined) this.#host.stdout.write(error.json);
      throw new CliError(error.message, EXIT.failed);
    }
    if (render === undefined) return;
    const { json } = this.#flags;
    if (json === undefined) this.#host.stdout.write(render(result));
    else this.#host.stdout.write(`${JSON.stringify(result, undefined, json === "pretty" ? 2 : undefined)}\n`);
    (json === undefined ? this.#host.stdout : this.#host.stderr).write(`Result: ${path}\n`);
  }
}

/** The target's addresses as far as they can be told without asking DNS. */
function knownAddresses(url: string, { resolve }: ConnectionSpec): readonly string[] {
  const [entry] = resolve;
  const host = hostOf(new URL(url));
  if (entry !== undefined) return entry.addresses;
  if (host === "localhost") return ["127.0.0.1"];
  return isIP(host) === 0 ? [] : [host];
}

function exitCodeOf(trials: readonly TrialResult[]): ExitCode {
  return trials.some((trial) => trial.validity.verdict === "invalid") ? EXIT.invalid : EXIT.ok;
}
