/** What a sweep adds to a result: its axes, where each arm lies on them, and what it recommends. */

import * as z from "zod";

const point = z.record(z.string(), z.string()).describe("The value on each axis, as the flags write it.");

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
  })
  .describe("What to ship at one load.");

export const sweepSchema = z.strictObject({
  axes: z.array(
    z.strictObject({
      name: z.string(),
      of: z.enum(["policy", "load"]).describe("Arms that differ in their policy alone get the same arrivals."),
      values: z.array(z.string()),
    }),
  ),
  cells: z.array(z.strictObject({ arm: z.string(), point })),
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
});

export type Sweep = z.infer<typeof sweepSchema>;
export type SweepRecommendation = z.infer<typeof recommendationSchema>;
