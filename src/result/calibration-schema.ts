/** What `calibrate` finds, as it is kept and as it is printed. */

// As a namespace: under vitest on Bun the package has no export named `z`.
import * as z from "zod";

/** What a ceiling holds for: another runtime, version or machine has another one. */
const keyFields = {
  toolVersion: z.string(),
  runtime: z.enum(["bun", "deno", "node"]),
  runtimeVersion: z.string(),
  cpuModel: z.string(),
  cpus: z.int().nonnegative(),
  pacing: z.enum(["precise", "timer"]),
  // Those of the first version of the file do not say it.
  transport: z.enum(["wire", "undici"]).default("undici"),
  workers: z.int().positive(),
};

const calibrationSchema = z.strictObject({
  ...keyFields,
  ceilingRps: z
    .int()
    .positive()
    .describe(
      "The highest rate of Poisson arrivals, in calls per second, at which a trial against a null server held.",
    ),
  stepSeconds: z.number().positive().describe("Length of the trials of the search."),
  measuredAt: z.string().describe("Wall time of the end of the search, ISO 8601; a label."),
});

export const CALIBRATION_FORMAT = "overload-bench calibrations";
export const CALIBRATION_VERSION = 2;
/** Versions that are read. */
export const CALIBRATION_VERSIONS: readonly number[] = [1, CALIBRATION_VERSION];

/** The file in the user's cache folder. */
export const calibrationFileSchema = z.strictObject({
  format: z.literal(CALIBRATION_FORMAT),
  version: z.union([z.literal(1), z.literal(CALIBRATION_VERSION)]),
  calibrations: z.array(calibrationSchema).describe("The newest first, one for each combination of the other fields."),
});

const stepSchema = z.strictObject({
  rps: z.int().positive(),
  holds: z
    .boolean()
    .describe(
      "The trial was valid, 999 calls in 1000 were answered, and 9 in 10 answers came within 10 ms of their call's time.",
    ),
  verdict: z.enum(["valid", "suspect", "invalid"]),
  reasons: z
    .array(z.string())
    .describe(
      "Why it does not hold: codes of the reasons against the trial, worst first, and `unanswered`, `late-answers`.",
    ),
  latenessP99Ms: z.number().nonnegative(),
  responseP90Ms: z.number().nonnegative().describe("Of the ok calls; 0 where there is none."),
});

/** What `calibrate --json` prints. */
export const calibrationReportSchema = z.strictObject({
  schemaVersion: z.literal(1),
  command: z.literal("calibrate"),
  calibration: calibrationSchema.nullable().describe("null where no rate held."),
  steps: z.array(stepSchema).describe("In order; empty when an earlier calibration was used."),
  savedTo: z.string().nullable().describe("The file in which `run` and `ab` find it; null when it is in none."),
  plan: z
    .strictObject({
      peakRps: z.number().positive().describe("The highest rate of calls of the plan that was asked about."),
      share: z.number().positive().describe("peakRps / ceilingRps."),
      fit: z.enum(["fits", "near", "beyond"]).describe("near: more than half of the ceiling."),
    })
    .optional(),
});

export type Calibration = z.infer<typeof calibrationSchema>;
export type CalibrationKey = Pick<Calibration, keyof typeof keyFields>;
export type CalibrationStep = z.infer<typeof stepSchema>;
export type CalibrationReport = z.infer<typeof calibrationReportSchema>;

/** True when `calibration` was made under the same circumstances. */
export function matches(calibration: Calibration, key: CalibrationKey): boolean {
  return (Object.keys(keyFields) as (keyof CalibrationKey)[]).every((field) => calibration[field] === key[field]);
}
