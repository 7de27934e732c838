/** What a trial with a trigger adds to its record, and what follows from many: does the system come back? */

import * as z from "zod";

const count = z.int().nonnegative();
const ratio = z.number().nonnegative();
const nullableSeconds = z.number().nonnegative().nullable();

const triggerSchema = z
  .strictObject({
    kind: z.enum(["spike", "slowdown", "outage", "hook"]),
    text: z.string().describe("As --trigger writes it."),
    fromSeconds: z.number().describe("In seconds of the measured window; of a hook as it was, not as it was planned."),
    toSeconds: z.number(),
    hook: z.string().describe("The command that did it, where one did.").optional(),
  })
  .describe("What disturbed the system, and when.");

export const trialRecoverySchema = z
  .strictObject({
    trigger: triggerSchema,
    okBefore: ratio.describe("Share of the calls before the trigger that came back ok."),
    reactSeconds: nullableSeconds.describe(
      "From the trigger's start to the first second in which more than a tenth of the calls were refused by the policy; null: it never reacted.",
    ),
    seconds: nullableSeconds.describe(
      "From the trigger's end to the first second from which on 95 % of the calls of five seconds came back ok; null: not within the horizon.",
    ),
    stuck: count.describe("1 where seconds is null, else 0."),
    horizonSeconds: z.number().describe("How long it was looked at after the trigger."),
    depth: ratio.describe(
      "1 - the lowest share of the calls of five seconds that came back ok, from the trigger's start on.",
    ),
    amplificationDuring: ratio.describe("Attempts sent per call, in the seconds of the trigger ..."),
    amplificationAfter: ratio.describe("... and in those after it."),
    sentDuring: ratio.describe("Attempts sent per second during the trigger; of an outage its last half: the probes."),
  })
  .describe("How the trial took its trigger.");

const spreadSchema = z.strictObject({
  median: z.number().nullable().describe("null: more than half of them are censored or missing."),
  min: z.number().nullable(),
  max: z.number().nullable(),
});

const armRecoverySchema = z.strictObject({
  arm: z.string(),
  verdict: z
    .enum(["stable", "vulnerable", "metastable", "overloaded", "unknown"])
    .describe(
      "stable: every trial came back, and the median did within the bound. vulnerable: some were stuck, or the median came back later. metastable: at least half were stuck. overloaded: the base load was not served before the trigger either. unknown: no trial can be trusted.",
    ),
  trials: count,
  stuck: z.strictObject({ count, share: ratio, low: ratio, high: ratio }).describe("With its 95 % interval (Wilson)."),
  seconds: spreadSchema,
  reactSeconds: spreadSchema,
  depth: spreadSchema,
  amplificationDuring: spreadSchema,
  amplificationAfter: spreadSchema,
  sentDuring: spreadSchema,
  sentence: z.string(),
});

const mapPointSchema = z.strictObject({
  rps: z.number(),
  triggered: z.boolean().describe("Whether the trigger came."),
  trials: count,
  stuck: count.describe(
    "With the trigger: trials that did not come back within the horizon. Without it: those of which less than 95 % of the calls came back ok.",
  ),
});

const armMapSchema = z.strictObject({
  arm: z.string(),
  served: z
    .number()
    .nullable()
    .describe("The highest load that is served without the trigger, per second; null: none that was tried."),
  survives: z.number().nullable().describe("The highest load that survives the trigger."),
  gap: z.number().nullable().describe("Hysteresis: 1 - survives / served; null: one of them is not known."),
  servedUpTo: z.number().nullable().describe("The lowest load that was not served; null: all that were tried were."),
  survivesUpTo: z.number().nullable().describe("The lowest load that did not survive."),
  points: z.array(mapPointSchema),
  sentence: z.string(),
});

export const recoverySchema = z
  .strictObject({
    trigger: z.string().describe("As --trigger writes it."),
    hook: z.string().describe("The command that brings it about, where one does.").optional(),
    rps: z.number().describe("The base load, per second.").optional(),
    settleSeconds: z.number().describe("How long the base load lasts before the trigger.").optional(),
    withinSeconds: z.number().describe("Later than this is not stable."),
    horizonSeconds: z.number(),
    ageSeconds: z.number().describe("The healthy past that every client was given; 0: cold clients."),
    arms: z.array(armRecoverySchema),
    map: z
      .strictObject({
        lowRps: z.number(),
        highRps: z.number(),
        tolerance: ratio,
        seeds: count.describe("Trials of each load.").optional(),
        horizonSeconds: z.number().describe("How long each of them was looked at after the trigger.").optional(),
        arms: z.array(armMapSchema),
      })
      .describe("By bisection between the two loads, down to intervals of that relative width.")
      .optional(),
    conclusion: z.string(),
  })
  .describe("Which policies come back after the trigger, at this load.");

export type TrialRecovery = z.infer<typeof trialRecoverySchema>;
export type Recovery = z.infer<typeof recoverySchema>;
export type ArmRecovery = z.infer<typeof armRecoverySchema>;
export type ArmMap = z.infer<typeof armMapSchema>;
