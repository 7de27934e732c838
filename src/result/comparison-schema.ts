/** What a comparison of arms says: part of the result file, and what `compare` prints. */

import * as z from "zod";
import { policySchema } from "./policy-schema.ts";

const count = z.int().nonnegative();

const armSummarySchema = z.strictObject({
  arm: z.string(),
  policy: policySchema,
  trials: count,
  goodput: z.number().describe("Median over the arm's trials that were not cut short, as all figures of a summary."),
  offered: z.number(),
  sent: z.number(),
  amplification: z.number(),
  waste: z.number(),
  responseOkP50Ms: z.number().nullable().describe("null where no call came back ok."),
  responseOkP99Ms: z.number().nullable(),
  cpuRejectRatio: z
    .number()
    .describe("Share of the target's CPU time for requests that went into rejections.")
    .optional(),
});

const effectVerdict = z
  .enum(["better", "worse", "equivalent", "undecided", "incomparable"])
  .describe(
    "better, worse: the adjusted p-value is at most alpha, whichever way the tested effects point. equivalent: not so, and the interval lies within the smallest effect that matters, from 1 / (1 + s) to 1 + s of a ratio. incomparable: in some pair a figure is missing or a lower bound.",
  );

const metricComparisonSchema = z.strictObject({
  metric: z.string().describe("A key of the metrics that comparisons know: goodput, responseOkP99Ms, ..."),
  effect: z.enum(["ratio", "difference"]).describe("The arm's figure over the baseline's, or minus it."),
  better: z.enum(["higher", "lower"]).describe("Which direction is an improvement."),
  baseline: z.number().nullable().describe("Median over the pairs; null where some trial has no figure."),
  arm: z.number().nullable(),
  effects: z
    .array(z.number().nullable())
    .describe("Pair by pair, in the order of the contrast's pairs; null where there is none."),
  estimate: z
    .number()
    .nullable()
    .describe(
      "Geometric mean of the ratios, or mean of the differences; null where some pair has no effect or a ratio of 0 (but 0 where all have).",
    ),
  balance: z
    .number()
    .describe(
      "Only where a ratio has a figure of 0 in some pair: the mean of (arm - baseline) / (arm + baseline) over the pairs, 0 where both are 0. It is tested in place of the logarithm.",
    )
    .optional(),
  interval: z
    .strictObject({
      low: z.number().nullable().describe("null: no bound."),
      high: z.number().nullable(),
      confidence: z.number(),
      method: z.literal("studentised-bootstrap"),
    })
    .describe("Of the estimate, over the pairs. Absent below five pairs: those are points.")
    .optional(),
  pValue: z
    .number()
    .nullable()
    .describe("Exact test by sign flips over the pairs, two-sided; null where the metric is incomparable."),
  adjustedPValue: z
    .number()
    .nullable()
    .describe(
      "Corrected for all metrics, contrasts and looks: goodput is tested first with 0.8 of alpha, the others together (Westfall and Young, step-down) with 0.2, or all of it once goodput is rejected; over contrasts Bonferroni.",
    ),
  detectable: z
    .number()
    .nullable()
    .describe(
      "The smallest effect, as |ratio - 1| or |difference|, that so many pairs would find in 80 % of experiments.",
    ),
  verdict: effectVerdict,
});

const lookSchema = z.strictObject({
  pairs: count,
  pValue: z.number(),
  level: z.number().describe("What the p-value must not exceed at this look for the experiment to be decided."),
});

const contrastSchema = z
  .strictObject({
    arm: z.string(),
    baseline: z.string(),
    pairs: z.array(count).describe("The complete pairs of valid or suspect trials that take part."),
    metrics: z.array(metricComparisonSchema).describe("Goodput first."),
    looks: z
      .array(lookSchema)
      .describe("Of the sequential test of goodput, where the experiment could stop early.")
      .optional(),
    suggestedPairs: count
      .nullable()
      .describe(
        "Pairs that would find the smallest effect that matters in at least 80 % of experiments; null: not known.",
      ),
    sentence: z.string().describe("What follows for this arm, in plain words."),
  })
  .describe("One arm against the baseline.");

export const comparisonSchema = z.strictObject({
  baseline: z.string(),
  alpha: z.number().describe("Chance of any false verdict, better or worse, over all metrics, contrasts and looks."),
  smallestEffect: z.number().describe("The smallest change of goodput that matters, as a share: 0.05 is 5 %."),
  arms: z.array(armSummarySchema),
  contrasts: z.array(contrastSchema),
  conclusion: z.string().describe("What follows, in plain words."),
});

export type Comparison = z.infer<typeof comparisonSchema>;
export type Contrast = z.infer<typeof contrastSchema>;
export type MetricComparison = z.infer<typeof metricComparisonSchema>;
export type EffectVerdict = z.infer<typeof effectVerdict>;
export type ArmSummary = z.infer<typeof armSummarySchema>;
