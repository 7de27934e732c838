/**
 * The journal of a running experiment: JSON lines, appended while it runs, from which its result can be put together when
 * the program is killed. {@link JOURNAL_VERSION} grows when a line changes its meaning.
 *
 * A `header`; where the load is a multiple of a capacity, the trial that finds that, and a line `planned`; then for each trial a
 * line `trial` when it starts, a line `second` about once a second while a real one runs, and a line `ended` with all that was
 * measured of it. Virtual trials run several at a time, and end in any order. Of a run that continues another one the trials that
 * it kept come first, with no line but `ended`. The sum of a trial's `gained` up to any line and the `open` of that line is the
 * trial as if it had been cut off there.
 */

import * as z from "zod";
import { governedSchema } from "./governor-schema.ts";
import { resultSchema } from "./schema.ts";

export const JOURNAL_VERSION = 4;

const trialSchema = resultSchema.shape.trials.element;
const { calls, attempts, age, aborted, transport, connections, generator, validity } = trialSchema.shape;
const { windows, events, ...governorOptions } = governedSchema.omit({
  ended: true,
  offer: true,
  goodput: true,
  failedShare: true,
}).shape;
const count = z.int().nonnegative();
/** Left out where it is 0. */
const someCount = count.default(0);
const seconds = z.number().nonnegative();

const outcome = calls.omit({ planned: true }).keyof();
const attemptClass = attempts.omit({ made: true, sent: true, inFlight: true }).keyof();

const distributionSchema = z
  .strictObject({
    count,
    zeros: someCount,
    censored: someCount,
    sumSeconds: seconds,
    minSeconds: seconds,
    maxSeconds: seconds,
    bins: z.string().describe("See src/engine/bins-text.ts."),
  })
  .describe("Absent where there is no value.");

const tallySchema = z
  .strictObject({
    planned: someCount,
    made: someCount,
    sent: someCount,
    inFlight: someCount,
    startedAfterEnd: someCount,
    lateStarted: someCount,
    lateDropped: someCount,
    outcomes: z.partialRecord(outcome, count),
    classes: z.partialRecord(attemptClass, count),
    statuses: z.record(z.string().regex(/^\d{1,9}$/u), count),
    errors: z.record(z.string(), count),
    response: z.partialRecord(outcome, distributionSchema),
    service: z.partialRecord(attemptClass, distributionSchema),
    wait: distributionSchema.optional(),
    lateness: distributionSchema.optional(),
  })
  .describe("Absent where nothing was counted.");

const gainSchema = z.strictObject({
  warmup: tallySchema.optional(),
  measured: tallySchema.optional(),
  series: z
    .array(z.array(count))
    .describe("The seconds with an event: the second, then the columns of the result's series."),
});

const headerSchema = z.strictObject({
  kind: z.literal("header"),
  journalVersion: z.literal(JOURNAL_VERSION),
  writer: z
    .strictObject({
      pid: count,
      startedTicks: z.string().optional(),
      host: z.string(),
    })
    .describe("The process that writes, and what tells it from a later one of the same number."),
  result: resultSchema.describe(
    "The result without any trial: its design says which are to come, and when it may stop.",
  ),
  seeks: z
    .literal("capacity")
    .describe("The trials before a line planned look for the capacity of which the load is a multiple.")
    .optional(),
});

const plannedSchema = z
  .strictObject({
    kind: z.literal("planned"),
    result: resultSchema.describe(
      "In place of that of the header: the load is known now, and what it is a multiple of.",
    ),
  })
  .describe("The search for the capacity is over.");

const startedSchema = z.strictObject({
  kind: z.literal("trial"),
  planned: trialSchema.shape.plan.omit({ seed: true, arrivals: true }),
  spec: z
    .strictObject({
      arm: z.string(),
      pair: count,
      policy: z.strictObject({ name: z.string(), options: z.record(z.string(), z.union([z.number(), z.string()])) }),
      plan: z.strictObject({ seed: z.int(), warmupSeconds: count, durationSeconds: seconds }),
      world: z.strictObject({ kind: z.enum(["real", "virtual"]) }),
      maxInFlight: count,
      late: z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("send") }),
        z.strictObject({ kind: z.literal("drop"), afterSeconds: seconds }),
      ]),
      workers: count,
      governor: z.strictObject(governorOptions).optional(),
    })
    .describe("What a trial's record follows from; nothing of the request, which may hold secrets."),
  remarks: validity.shape.reasons.describe("What was to stand beside the verdict before the trial began."),
});

const secondSchema = z.strictObject({
  kind: z.literal("second"),
  elapsedSeconds: z.number(),
  arrivalsEndSeconds: seconds,
  drainSeconds: seconds,
  worstLatenessP99Seconds: seconds,
  gained: gainSchema,
  open: gainSchema,
  facts: z.strictObject({
    startedAt: z.string(),
    transport,
    connections,
    generator: generator.unwrap().omit({ sentinel: true, gaps: true }).optional(),
    age,
    remarks: validity.shape.reasons,
  }),
  governed: z
    .strictObject({ windows, events })
    .describe("What the governor did since the line before. Absent where it did nothing.")
    .optional(),
  aborted,
});

const endedSchema = z.strictObject({ kind: z.literal("ended"), trial: trialSchema });

export const journalLineSchema = z.discriminatedUnion("kind", [
  headerSchema,
  plannedSchema,
  startedSchema,
  secondSchema,
  endedSchema,
]);

/** A line as it is read: what was left out has its default. */
export type JournalLine = z.output<typeof journalLineSchema>;
export type JournalHeader = z.output<typeof headerSchema>;
export type JournalSecond = z.output<typeof secondSchema>;
export type JournalStarted = z.output<typeof startedSchema>;
export type JournalGain = z.output<typeof gainSchema>;
export type JournalTally = z.output<typeof tallySchema>;
export type JournalDistribution = z.output<typeof distributionSchema>;
/** A line as it is written. */
export type WrittenLine = z.input<typeof journalLineSchema>;
export type WrittenHeader = z.input<typeof headerSchema>;
export type WrittenSecond = z.input<typeof secondSchema>;
export type WrittenGain = z.input<typeof gainSchema>;
export type WrittenTally = z.input<typeof tallySchema>;
export type WrittenDistribution = z.input<typeof distributionSchema>;
