/** What a run of the validation found, as it stands in its JSON file. */

import type { Experiment, Finding } from "./experiment.ts";
import { agrees } from "./experiment.ts";

/** Grows when a field changes its meaning. */
export const REPORT_VERSION = 1;

export type World = "virtual" | "real";

/** JSON knows no infinity: `null` stands for it; below a band for the negative one, and a band of nothing else means "never". */
export interface ReportedFinding extends Omit<Finding, "measured" | "band"> {
  readonly measured: number | null;
  readonly band: readonly [least: number | null, most: number | null];
  readonly agrees: boolean;
}

export interface ExperimentReport {
  readonly id: string;
  readonly title: string;
  /** Heading of this folder's README. */
  readonly derivation: string;
  readonly world: World;
  readonly seconds: number;
  readonly findings: readonly ReportedFinding[];
  /** Why there are none. */
  readonly error?: string;
}

export interface ValidationReport {
  readonly schemaVersion: typeof REPORT_VERSION;
  readonly kind: "validation";
  readonly tool: { readonly name: "overload-bench"; readonly version: string };
  readonly environment: Readonly<Record<string, string | number>>;
  /** ISO 8601; a label. */
  readonly startedAt: string;
  readonly seconds: number;
  /** True with fewer seeds than the claims are made for. */
  readonly quick: boolean;
  /** True while it is going on, and for good when it was cut short. */
  readonly partial: boolean;
  /** Of the virtual experiments: those of medians, and those of shares. */
  readonly seeds: readonly number[];
  readonly manySeeds: readonly number[];
  readonly experiments: readonly ExperimentReport[];
}

export function reported(finding: Finding): ReportedFinding {
  const { measured, band, ...rest } = finding;
  const [least, most] = band;
  return { ...rest, measured: finite(measured), band: [finite(least), finite(most)], agrees: agrees(finding) };
}

export function succeeded({ experiments }: ValidationReport): boolean {
  return experiments.every(({ findings, error }) => error === undefined && findings.every((finding) => finding.agrees));
}

/** Carries one experiment out in one world. Errors go into the report, and what was interrupted is `undefined`. */
export async function carryOut(
  { id, title, derivation }: Experiment,
  world: World,
  find: () => Promise<readonly Finding[]>,
  signal?: AbortSignal,
): Promise<ExperimentReport | undefined> {
  const claim = { id, title, derivation, world };
  const startMs = performance.now();
  const seconds = (): number => (performance.now() - startMs) / 1000;
  try {
    const findings = await find();
    if (findings.length === 0) throw new Error("It found nothing");
    return { ...claim, seconds: seconds(), findings: findings.map(reported) };
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    return { ...claim, seconds: seconds(), findings: [], error: (error as Error).message };
  }
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
