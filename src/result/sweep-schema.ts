/** What a sweep adds to a result: its axes, where each arm lies on them, and what it recommends. */

import * as z from "zod";

const point = z.record(z.string(), z.string()).describe("The value on each axis, as the flags write it.");

const standingSchema = z.strictObject({
  arm: z.string(),
  verdict: z
    .enum(["best", "equivalent", "undecided", "lower", "worse", "excluded"])
    .describe(
      "equivalent: the interval lies within the smallest difference that matters. undecided: not told apart from the best. lower: less in every pair, and by what matters, in pairs too few to prove it. worse: proven. excluded: it broke a limit or cannot be trusted.",
    ),
  ratio: z.number().nullable().describe("Its goodput over the best one's, geometric mean over the pairs."),
  low: z.number().describe("95 % interval of the ratio, from five pairs on.").optional(),
  high: z.number().optional(),
  pValue: z.number().nullable().describe("Exact test by sign flips over the pairs, one-sided, for all cells together."),
});

const recommendationSchema = z
  .strictObject({
    load: point.describe("Where on the axes of the load; empty when no axis is one."),
    arm: z.string().nullable().describe("null when no arm keeps the limits, or none can be trusted."),
    plateau: z.array(z.string()).describe("Arms within the limits whose goodput cannot be told from the best one's."),
    excluded: z
      .array(z.strictObject({ arm: z.string(), why: z.string() }))
      .describe("Arms that take no part, and the limit that they broke."),
    reasons: z.array(z.string()).describe("One sentence each."),
    sentence: z.string().describe("What to ship, in plain words."),
    best: z
      .string()
      .describe("The arm within the limits with the highest goodput; absent when there is none.")
      .optional(),
    standings: z
      .array(standingSchema)
      .describe("Every arm of this load, in the order of the cells, against the best one.")
      .optional(),
  })
  .describe("What to ship at one load.");

const overallSchema = z
  .strictObject({
    point: point.nullable().describe("On the axes of the policy alone; null when nothing holds for all loads."),
    reasons: z.array(z.string()).describe("One sentence each."),
    sentence: z.string().describe("What to ship, in plain words."),
  })
  .describe("What to ship over all loads, where there are several.");

export const sweepSchema = z.strictObject({
  axes: z.array(
    z.strictObject({
      name: z.string(),
      of: z.enum(["policy", "load"]).describe("Arms that differ in their policy alone get the same arrivals."),
      values: z.array(z.string()),
    }),
  ),
  cells: z.array(
    z.strictObject({
      arm: z.string(),
      point,
      k: z
        .number()
        .describe("K of a throttle that counts its own rejections, without a cap: what the closed form is of.")
        .optional(),
      changes: z.int().nonnegative().describe("Options that differ from their policy's defaults.").optional(),
    }),
  ),
  limits: z.array(z.string()).describe("What every recommended arm must keep, as assertions."),
  closedForm: z
    .strictObject({
      capacity: z.number().describe("C: accepted attempts per second."),
      rejectCost: z.number().describe("r: a rejection's cost as a fraction of an accepted attempt's."),
      source: z.string().describe("Where the two come from, one sentence."),
    })
    .describe("For C / (1 + r (K - 1)).")
    .optional(),
  recovery: z
    .array(
      z.strictObject({
        arm: z.string(),
        seconds: z
          .number()
          .nullable()
          .describe("Until 95 % of the calls are served again; null: not within the horizon."),
        horizonSeconds: z.number(),
      }),
    )
    .describe("Simulated: how long after a disturbance each arm takes to come back.")
    .optional(),
  recoveryScenario: z.string().describe("The disturbance that was simulated, one sentence.").optional(),
  recommendations: z.array(recommendationSchema),
  overall: overallSchema.optional(),
});

export type Sweep = z.infer<typeof sweepSchema>;
export type SweepStanding = z.infer<typeof standingSchema>;
export type SweepOverall = z.infer<typeof overallSchema>;
export type SweepRecommendation = z.infer<typeof recommendationSchema>;
