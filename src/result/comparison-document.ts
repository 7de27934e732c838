/** The document that `compare --json` prints. {@link COMPARISON_VERSION} grows when a field changes its meaning. */

import * as z from "zod";
import { comparisonSchema } from "./comparison-schema.ts";
import { assertionSchema } from "./design-schema.ts";

export const COMPARISON_VERSION = 1;

const count = z.int().nonnegative();

const fileSchema = z.strictObject({
  name: z.string().describe("What the file is called in the comparison."),
  path: z.string(),
  command: z.string().describe("The command whose result it is."),
  version: z.string().describe("Of the overload-bench that measured."),
  startedAt: z.string().describe("Wall time of the first trial, ISO 8601; empty without trials."),
  partial: z.boolean(),
  arms: z.array(z.string()).describe("Arms of the file that were compared, by their names in the file."),
});

const toleranceSchema = z.strictObject({
  metric: z.string(),
  tolerance: z
    .number()
    .describe("How much worse it may get: a share of a ratio, or points of a difference between shares (0.05 is 5 %)."),
});

const regressionSchema = z
  .strictObject({
    arm: z.string(),
    baseline: z.string(),
    metric: z.string(),
    tolerance: z.number(),
    estimate: z
      .number()
      .nullable()
      .describe("null where a figure is 0 in some pair, so that no mean of ratios exists."),
    low: z.number().nullable().describe("Of the interval; below five pairs of the pairs. null: no bound."),
    high: z.number().nullable(),
    pairs: count,
    message: z.string().describe("One sentence, with the figures."),
  })
  .describe(
    "A metric that is worse than its tolerance: its verdict is worse, and the estimate lies beyond the tolerance; of so few pairs that none could decide, every pair lies beyond it.",
  );

export const comparisonDocumentSchema = z
  .strictObject({
    schemaVersion: z.literal(COMPARISON_VERSION),
    document: z.literal("comparison"),
    tool: z.strictObject({ name: z.literal("overload-bench"), version: z.string() }),
    files: z.array(fileSchema),
    forced: z.array(z.string()).describe("What speaks against comparing these, one sentence each: it was insisted on."),
    notes: z.array(z.string()).describe("What else may explain a difference, one sentence each."),
    comparison: comparisonSchema,
    tolerances: z.array(toleranceSchema),
    regressions: z.array(regressionSchema),
    unjudged: z
      .array(
        z.strictObject({
          arm: z.string(),
          baseline: z.string(),
          metric: z.string(),
          named: z.literal(true).describe("The tolerance named it, so that the exit code is 3.").optional(),
        }),
      )
      .describe("Metrics with a tolerance that could not be compared."),
    undecidable: z
      .array(
        z.strictObject({
          arm: z.string(),
          baseline: z.string(),
          metrics: z.array(z.string()),
          pairs: count.describe("So many there are."),
          needed: count.describe("So many could tell a regression from noise."),
        }),
      )
      .describe("Metrics with a tolerance whose pairs are too few for a verdict.")
      .optional(),
    assertions: z.array(assertionSchema).optional(),
  })
  .describe("Arms of one result, or of several, compared pair by pair.");

export type ComparisonDocument = z.infer<typeof comparisonDocumentSchema>;
export type Regression = z.infer<typeof regressionSchema>;
export type Undecidable = NonNullable<ComparisonDocument["undecidable"]>[number];
export type Tolerance = z.infer<typeof toleranceSchema>;
