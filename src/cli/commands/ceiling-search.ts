/** Runs the trials of `calibrate` against a null server of its own, as `run` runs its own. */

import type { TrialSpec } from "../../engine/trial-spec.ts";
import { SENTINEL_P90_MS } from "../../engine/validity/limits.ts";
import { findCeiling } from "../../experiment/calibrate.ts";
import type { CalibrationStep } from "../../result/calibration-schema.ts";
import type { TrialResult } from "../../result/schema.ts";
import type { ProgramProcess } from "../../world/real/program-process.ts";
import type { RunningTrial } from "../../world/worker-executor.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Host } from "../host.ts";
import type { Progress } from "../live/progress.ts";
import type { Services } from "../services.ts";
import { Interrupt } from "../session/interrupt.ts";

/** Answers that must be there for a rate to hold: a server that does nothing fails nobody. */
const OK_SHARE_MIN = 0.999;

export interface SearchEnd {
  /** Undefined when no rate held. */
  readonly ceilingRps: number | undefined;
  readonly steps: readonly CalibrationStep[];
}

export class CeilingSearch {
  readonly #services: Services;
  readonly #progress: Progress;
  readonly #tell: (step: CalibrationStep) => void;
  readonly #interrupt: Interrupt;
  #server: ProgramProcess | undefined;
  #running: RunningTrial | undefined;

  /** @param tell is told of each trial. */
  constructor(host: Host, services: Services, progress: Progress, tell: (step: CalibrationStep) => void) {
    this.#services = services;
    this.#progress = progress;
    this.#tell = tell;
    this.#interrupt = new Interrupt(host, (exitCode) => {
      this.#running?.kill();
      this.#server?.kill();
      host.exit(exitCode);
    });
    this.#interrupt.onRequest(() => this.#running?.stop());
  }

  /** The exit code that tells of a signal; undefined when there was none. */
  get interruptedWith(): ExitCode | undefined {
    return this.#interrupt.exitCode;
  }

  /**
   * @param trialAt the trial at a rate, of the server at a URL.
   * @param stepSeconds how long each trial loads.
   * @returns undefined when it was interrupted.
   * @throws CliError when the null server does not get ready, or is gone.
   */
  async run(
    trialAt: (rps: number, url: string) => Promise<TrialSpec>,
    stepSeconds: number,
  ): Promise<SearchEnd | undefined> {
    this.#progress.begin("Looking for this generator's ceiling", stepSeconds);
    const server = await this.#start();
    const steps: CalibrationStep[] = [];
    const ceilingRps = await findCeiling(async (rps) => {
      if (this.#interrupt.requested) return undefined;
      const trial = await this.#execute(await trialAt(rps, server.url));
      const why = server.died();
      if (why !== undefined) throw new CliError(`The null server ended by itself (${why})`, EXIT.failed);
      if (this.#interrupt.requested) return undefined;
      const step = stepOf(rps, trial);
      steps.push(step);
      this.#tell(step);
      return step.holds;
    });
    if (ceilingRps === undefined) return undefined;
    return { ceilingRps: ceilingRps === 0 ? undefined : ceilingRps, steps };
  }

  async close(): Promise<void> {
    await this.#server?.stop();
    this.#interrupt.close();
  }

  async #start(): Promise<ProgramProcess> {
    try {
      this.#server = await this.#services.startNullServer(true);
      return this.#server;
    } catch (error) {
      throw new CliError(`The null server could not be started: ${(error as Error).message}`, EXIT.failed);
    }
  }

  async #execute(spec: TrialSpec): Promise<TrialResult> {
    this.#running = this.#services.startTrial(
      spec,
      (progress) => this.#progress.update(progress),
      async () => {},
    );
    if (this.#interrupt.requested) this.#running.stop();
    try {
      return await this.#running.result;
    } finally {
      this.#running = undefined;
    }
  }
}

/** Each call is what the sentinel's probes are in other trials: its response time is the generator's own error. */
function stepOf(rps: number, { validity, calls, latency }: TrialResult): CalibrationStep {
  const responseP90Ms = latency.response.ok?.p90Ms ?? 0;
  const answered = calls.ok >= OK_SHARE_MIN * calls.planned;
  // A low rate in a short trial makes few calls: it holds when these do.
  const severe = validity.reasons.filter(({ severity, code }) => severity !== "note" && code !== "few-samples");
  const reasons = [
    ...severe.toSorted((a, b) => a.severity.localeCompare(b.severity)).map(({ code }) => code),
    ...(answered ? [] : ["unanswered"]),
    ...(responseP90Ms <= SENTINEL_P90_MS.suspect ? [] : ["late-answers"]),
  ];
  return {
    rps,
    holds: reasons.length === 0,
    verdict: validity.verdict,
    reasons,
    latenessP99Ms: latency.lateness.p99Ms,
    responseP90Ms,
  };
}
