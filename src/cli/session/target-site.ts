/** Where the load goes: finds that it can be reached, or starts the built-in target, which is to be stopped again. */

import type { ConnectionSpec, TrialSpec } from "../../engine/trial-spec.ts";
import type { Target } from "../../experiment/experiment.ts";
import { formatScript } from "../../plan/script.ts";
import { isCertificateCode } from "../../policy/fault-codes.ts";
import type { EndpointOptions } from "../../world/real/endpoint-target.ts";
import { type TargetProcess, TargetUsageError } from "../../world/real/target-process.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { LoadFlags } from "../flags/load-options.ts";
import type { Progress } from "../live/progress.ts";
import type { Services } from "../services.ts";
import type { Destination } from "./resolve.ts";

/** Where the target is, and the target: none in a virtual world, where each trial has its own. */
export interface OpenTarget {
  readonly url: string;
  readonly target: Target | undefined;
  /** The same, for trials in which its script does not run. */
  readonly steady: Target | undefined;
}

export class TargetSite {
  readonly #services: Services;
  readonly #flags: LoadFlags;
  readonly #progress: Progress;
  readonly #stopRequested: () => boolean;
  #builtIn: TargetProcess | undefined;

  constructor(services: Services, flags: LoadFlags, progress: Progress, stopRequested: () => boolean) {
    this.#services = services;
    this.#flags = flags;
    this.#progress = progress;
    this.#stopRequested = stopRequested;
  }

  /** @throws CliError */
  async open(destination: Destination, world: TrialSpec["world"]): Promise<OpenTarget> {
    if (destination.kind === "virtual" || world.kind === "virtual") {
      return { url: "", target: undefined, steady: undefined };
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
    const options: EndpointOptions = {
      url,
      connections,
      pauseSeconds: this.#flags.pause ?? 0,
      // The counters are asked for at the URL's own host: with another way to the target that is another server.
      stats: this.#flags.stats && connections.unixPath === undefined && connections.resolve.length === 0,
      scripted: this.#flags.script !== undefined,
      died: () => this.#builtIn?.died(),
      stopRequested: this.#stopRequested,
    };
    const target = this.#services.endpointTarget(options);
    return { url, target, steady: this.#services.endpointTarget({ ...options, steady: true }) };
  }

  async stop(): Promise<void> {
    await this.#builtIn?.stop();
  }

  /** Ends the built-in target at once. */
  kill(): void {
    this.#builtIn?.kill();
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
    const { script } = this.#flags;
    this.#progress.begin("Starting the built-in target", 0);
    try {
      this.#builtIn = await this.#services.startTarget({
        spec,
        ...(script === undefined ? {} : { script: formatScript(script) }),
        pin: this.#flags.pin,
        stopRequested: this.#stopRequested,
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
}
