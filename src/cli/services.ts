/** The worlds and the file system behind the commands, in one object: the real ones are wired here, tests bring others. */

import type { Target } from "../experiment/experiment.ts";
import { type CalibrationStore, FileCalibrationStore } from "../result/calibration-store.ts";
import { fileJournals, type Journals } from "../result/journals.ts";
import { claimFile, type NewFile } from "../result/new-file.ts";
import { fileReports, type ReportFiles } from "../result/report-file.ts";
import type { Result } from "../result/schema.ts";
import { FileResultStore, type FileStoreOptions, type ResultStore } from "../result/store.ts";
import { readEnvironment } from "../world/environment.ts";
import { type EndpointOptions, EndpointTarget } from "../world/real/endpoint-target.ts";
import { busyShare } from "../world/real/machine-load.ts";
import { startNullServer } from "../world/real/null-process.ts";
import { preflight } from "../world/real/preflight.ts";
import type { ProgramProcess } from "../world/real/program-process.ts";
import { whyUnreachable } from "../world/real/reach.ts";
import {
  startTarget,
  type TargetName,
  type TargetOptions,
  type TargetProcess,
  targetCommand,
} from "../world/real/target-process.ts";
import { defaultWorkers, startTrials } from "../world/trial-pool.ts";
import { startTrial } from "../world/worker-executor.ts";
import { type HookShell, hookShell } from "./hook-shell.ts";
import type { Host } from "./host.ts";
import { sendPush } from "./push/push-request.ts";
import { readVersion } from "./version.ts";

export interface Services {
  startTrial: typeof startTrial;
  startTrials: typeof startTrials;
  defaultWorkers: typeof defaultWorkers;
  startTarget(options: TargetOptions): Promise<TargetProcess>;
  startNullServer(pin: boolean): Promise<ProgramProcess>;
  targetCommand(name: TargetName): { readonly command: string; readonly args: readonly string[] };
  endpointTarget(options: EndpointOptions): Target;
  whyUnreachable: typeof whyUnreachable;
  preflight: typeof preflight;
  busyShare: typeof busyShare;
  resultStore(options: FileStoreOptions): ResultStore;
  readonly journals: Journals;
  calibrationStore(env: Host["env"]): CalibrationStore;
  claimFile(path: string): Promise<NewFile>;
  readonly reports: ReportFiles;
  sendPush: typeof sendPush;
  hookShell(): HookShell;
  environment(): Result["environment"];
  version(): string;
}

export const realServices: Services = {
  startTrial,
  startTrials,
  defaultWorkers,
  startTarget,
  startNullServer,
  targetCommand,
  endpointTarget: (options) => new EndpointTarget(options),
  whyUnreachable,
  preflight,
  busyShare,
  resultStore: (options) => new FileResultStore(options),
  journals: fileJournals,
  calibrationStore: (env) => new FileCalibrationStore(env),
  claimFile,
  reports: fileReports(),
  sendPush,
  hookShell: () => hookShell(),
  environment: readEnvironment,
  version: readVersion,
};
