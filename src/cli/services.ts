/** The worlds and the file system behind the commands, in one object: the real ones are wired here, tests bring others. */

import type { Target } from "../experiment/experiment.ts";
import type { Result } from "../result/schema.ts";
import { FileResultStore, type FileStoreOptions, type ResultStore } from "../result/store.ts";
import { readEnvironment } from "../world/environment.ts";
import { type EndpointOptions, EndpointTarget } from "../world/real/endpoint-target.ts";
import { preflight } from "../world/real/preflight.ts";
import { whyUnreachable } from "../world/real/reach.ts";
import { startTarget, type TargetOptions, type TargetProcess, targetCommand } from "../world/real/target-process.ts";
import { ModelTarget } from "../world/virtual/model-target.ts";
import { startTrial } from "../world/worker-executor.ts";
import { readVersion } from "./version.ts";

export interface Services {
  startTrial: typeof startTrial;
  startTarget(options: TargetOptions): Promise<TargetProcess>;
  targetCommand(): { readonly command: string; readonly args: readonly string[] };
  endpointTarget(options: EndpointOptions): Target;
  modelTarget(): Target;
  whyUnreachable: typeof whyUnreachable;
  preflight: typeof preflight;
  resultStore(options: FileStoreOptions): ResultStore;
  environment(): Result["environment"];
  version(): string;
}

export const realServices: Services = {
  startTrial,
  startTarget,
  targetCommand,
  endpointTarget: (options) => new EndpointTarget(options),
  modelTarget: () => new ModelTarget(),
  whyUnreachable,
  preflight,
  resultStore: (options) => new FileResultStore(options),
  environment: readEnvironment,
  version: readVersion,
};
