/** Keeps ceilings between runs, in one file of the user's cache folder (XDG Base Directory Specification). */

import * as nodeFs from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import {
  CALIBRATION_FORMAT,
  CALIBRATION_VERSION,
  CALIBRATION_VERSIONS,
  type Calibration,
  type CalibrationKey,
  calibrationFileSchema,
  matches,
} from "./calibration-schema.ts";
import { type FileSystem, replaceFile } from "./publish.ts";
import { describeIssue } from "./schema-issue.ts";
import { describeFault, errorCode } from "./store-error.ts";

/** The oldest ones are forgotten beyond this. */
const KEPT_MAX = 100;

/** What was found, and what was wrong with the place where it should be. */
export interface FoundCalibration {
  readonly calibration: Calibration | undefined;
  /** The file that was looked into. */
  readonly path?: string;
  readonly problem?: string;
}

/** Where a calibration went, or why it went nowhere. */
export type SavedCalibration = { readonly path: string } | { readonly problem: string };

export interface CalibrationStore {
  /** Never throws: a calibration that cannot be read is one that there is not. */
  find(key: CalibrationKey): Promise<FoundCalibration>;
  /** Puts it in the place of the one with the same key. Never throws. */
  save(calibration: Calibration): Promise<SavedCalibration>;
}

interface Content {
  readonly calibrations: readonly Calibration[];
  readonly problem?: string;
  /** Whether the file may be replaced: one of another program or a later version is not ours to lose. */
  readonly foreign: boolean;
}

const NONE: Content = { calibrations: [], foreign: false };

export class FileCalibrationStore implements CalibrationStore {
  readonly #path: string | undefined;
  readonly #fs: FileSystem & Pick<typeof nodeFs, "readFile">;

  /** @param env the environment, of which XDG_CACHE_HOME and HOME are read. */
  constructor(
    env: Readonly<Record<string, string | undefined>>,
    fs: FileSystem & Pick<typeof nodeFs, "readFile"> = nodeFs,
  ) {
    const folder = cacheFolder(env);
    this.#path = folder === undefined ? undefined : join(folder, "overload-bench", "calibration.json");
    this.#fs = fs;
  }

  async find(key: CalibrationKey): Promise<FoundCalibration> {
    const { calibrations, problem } = await this.#read();
    const calibration = calibrations.find((kept) => matches(kept, key));
    return {
      calibration,
      ...(this.#path === undefined ? {} : { path: this.#path }),
      ...(problem === undefined ? {} : { problem }),
    };
  }

  async save(calibration: Calibration): Promise<SavedCalibration> {
    const path = this.#path;
    if (path === undefined) return { problem: "there is no cache folder: neither XDG_CACHE_HOME nor HOME is set" };
    const { calibrations, problem, foreign } = await this.#read();
    if (foreign) return { problem: problem as string };
    const kept = [calibration, ...calibrations.filter((other) => !matches(other, calibration))].slice(0, KEPT_MAX);
    const file = { format: CALIBRATION_FORMAT, version: CALIBRATION_VERSION, calibrations: kept };
    try {
      await this.#fs.mkdir(dirname(path), { recursive: true });
      await replaceFile(this.#fs, path, `${JSON.stringify(file, undefined, 2)}\n`, 0o666);
      return { path };
    } catch (error) {
      return { problem: `'${path}' could not be written: ${describeFault(error)}` };
    }
  }

  async #read(): Promise<Content> {
    const path = this.#path;
    if (path === undefined) return NONE;
    let text: string;
    try {
      text = await this.#fs.readFile(path, "utf8");
    } catch (error) {
      if (errorCode(error) === "ENOENT") return NONE;
      return { ...NONE, problem: `'${path}' could not be read: ${describeFault(error)}` };
    }
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      return { ...NONE, problem: `'${path}' is damaged: it is not JSON` };
    }
    const { format, version } = (document ?? {}) as { format?: unknown; version?: unknown };
    if (format !== CALIBRATION_FORMAT || !CALIBRATION_VERSIONS.includes(version as number)) {
      return { calibrations: [], foreign: true, problem: `'${path}' is not of this version of overload-bench` };
    }
    const parsed = calibrationFileSchema.safeParse(document);
    if (parsed.success) return { calibrations: parsed.data.calibrations, foreign: false };
    return { ...NONE, problem: `'${path}' is damaged: ${describeIssue(parsed.error)}` };
  }
}

/** Relative paths in XDG_CACHE_HOME are to be ignored. */
function cacheFolder({
  XDG_CACHE_HOME: cache,
  HOME: home,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (cache !== undefined && isAbsolute(cache)) return cache;
  return home === undefined || home === "" ? undefined : join(home, ".cache");
}
