/** How an experiment was laid out, and what it was asked: part of the result file. */

import * as z from "zod";

const count = z.int().nonnegative();

export const designSchema = z
  .strictObject({
    arms: z.array(z.string()).describe("All arms, the baseline first."),
    pairs: count.describe("The most pairs; fewer were run where the experiment stopped early or was cut short."),
    seed: z.int().describe("Of the order of the arms within the pairs, and of the plan of the first pair."),
    chance: z
      .enum(["common", "own"])
      .describe(
        "Whether the arms of a pair share the random numbers of policies, network and model, or each has its own; arrivals they always share.",
      ),
    stopping: z.discriminatedUnion("rule", [
      z.strictObject({ rule: z.literal("all-pairs") }),
      z.strictObject({
        rule: z.literal("sequential"),
        alpha: z.number().describe("Chance of any false verdict, over all metrics, contrasts and looks."),
        smallestEffect: z.number(),
        looks: z.array(count).describe("After so many pairs it is asked whether to go on."),
      }),
    ]),
    smallestEffect: z
      .number()
      .describe("The smallest change of goodput that was said to matter, as a share: 0.05 is 5 %.")
      .optional(),
    idle: z
      .string()
      .describe("What was waited for between two trials, and for how long at most. Absent in simulations.")
      .optional(),
    resumed: z
      .array(
        z.strictObject({
          kept: count.describe("Complete trials of the runs before, which were not run again."),
          splitPairs: z.array(count).describe("Pairs of which one trial was kept and another one run."),
          differences: z
            .array(z.string())
            .describe("What was not the same as in the run before though it may matter: the runtime, the machine."),
        }),
      )
      .describe(
        "Each time the experiment was continued after it had been cut short. The environment is that of the last.",
      )
      .optional(),
    stopped: z
      .strictObject({
        pairs: count,
        because: z.enum(["decided", "hopeless"]),
        text: z.string().describe("Why, one sentence."),
      })
      .describe("Present when it stopped before all pairs were run.")
      .optional(),
  })
  .describe("How the experiment was laid out.");

export const invocationSchema = z
  .strictObject({
    command: z.string(),
    flags: z
      .record(z.string(), z.union([z.string(), z.array(z.string()), z.boolean()]))
      .describe(
        "The flags by their long names, as a configuration file writes them; those at their defaults are left out.",
      ),
    redacted: z.array(z.string()).describe("Flags whose values are secrets and must be given again."),
  })
  .describe("What was asked for: enough to run it again.");

export const assertionSchema = z.strictObject({
  text: z.string(),
  arm: z.string().describe("Whose figures; empty where the assertion names its arms itself."),
  holds: z.boolean(),
  left: z.number().nullable().describe("What the left side came to; null where a figure in it does not exist."),
  right: z.number().nullable(),
  message: z.string().describe("One sentence, with the values."),
});

export type Design = z.infer<typeof designSchema>;
export type Invocation = z.infer<typeof invocationSchema>;
export type AssertionOutcome = z.infer<typeof assertionSchema>;
