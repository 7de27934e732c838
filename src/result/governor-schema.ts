/** What a trial under the backpressure governor adds to its record, and what follows from such trials: a capacity. */

import * as z from "zod";

const count = z.int().nonnegative();
const ratio = z.number().nonnegative();
const nullableMs = z.number().nullable();

const windowSchema = z
  .strictObject({
    fromSeconds: z.number().describe("Since the start of the trial."),
    toSeconds: z.number(),
    offer: ratio.describe("In force while it lasted: calls per second, or calls at once."),
    calls: count.describe("Calls that arrived in it."),
    sent: count.describe("Attempts sent in it."),
    successes: count.describe("Attempts that ended in it and were accepted ..."),
    failures: count.describe(
      "... and those that were overloaded or failed. Faults of the generator's own are in neither.",
    ),
    ok: count.describe("Calls that ended ok in it."),
    decision: z.enum(["up", "down", "hold", "none"]).describe("none: no attempt ended in it, so nothing was decided."),
    lastBad: z.number().nullable().describe("The offer remembered as bad after it."),
    p50Ms: nullableMs.describe("Service time of the accepted attempts; null where there was none."),
    p99Ms: nullableMs,
  })
  .describe("One window of the governor.");

const governorEventSchema = z.strictObject({
  atSeconds: z.number().describe("Since the start of the trial."),
  level: z.enum(["debug", "info", "warn"]),
  kind: z.string(),
  text: z.string().describe("One line: the signal, the figure, and old -> new."),
});

export const governedSchema = z
  .strictObject({
    control: z.enum(["rate", "concurrency"]).describe("rate: an open loop. concurrency: a closed one."),
    high: ratio.describe("Share of failed attempts above which the offer is lowered: the declared failure bound."),
    low: ratio.describe("Below it the offer is raised."),
    floor: ratio,
    ceiling: z.number().nullable().describe("null: none."),
    start: ratio,
    windowSeconds: z.number(),
    holdWindows: count.describe("So many windows in a row within holdBand end the trial ..."),
    holdBand: z
      .number()
      .describe(
        "... where the highest offer is at most 1 + holdBand times the lowest one, or 1 above it, once attempts failed or the ceiling was reached.",
      ),
    ended: z.enum(["held", "duration", "interrupted", "aborted"]),
    offer: z
      .number()
      .nullable()
      .describe(
        "Mean over the windows at rest, as all figures here: the last ones within holdBand, at most holdWindows; of two offers 1 apart that are further apart than the band, those of the lower one. Null before there were any.",
      ),
    goodput: z.number().nullable().describe("Calls ok per second in them."),
    failedShare: z.number().nullable().describe("failures / (successes + failures) in them."),
    windows: z.array(windowSchema),
    events: z.array(governorEventSchema),
  })
  .describe("What the governor did.");

const kneeSchema = z.strictObject({
  offer: z.number().describe("Mean offer of the windows that were taken together."),
  windows: count,
  goodput: ratio,
  failedShare: ratio,
  p50Ms: nullableMs.describe("Median over the windows."),
  p99Ms: nullableMs,
});

export const capacitySchema = z
  .strictObject({
    control: z.enum(["rate", "concurrency"]),
    failureBound: ratio.describe("The share of failed attempts that was declared bearable; the figures belong to it."),
    held: z.boolean().describe("False: the offer did not come to rest, and the figures are those of the last windows."),
    saturated: z
      .boolean()
      .describe("More attempts failed than the bound allows: a saturation artefact, and no capacity."),
    uncaused: z
      .boolean()
      .describe(
        "Present, and true, where attempts fail as often at much lower offers: the offer rests among failures that the load does not cause, which is no capacity, and held is false.",
      )
      .optional(),
    offer: z.number(),
    goodput: z.number().describe("Calls ok per second: the capacity at the failure bound."),
    failedShare: ratio,
    interval: z
      .strictObject({
        low: z.number(),
        high: z.number(),
        confidence: z.number(),
        windows: count,
        effectiveWindows: z.number(),
      })
      .describe(
        "Of the goodput: of one search over the held windows, whose correlation is taken into account; of several between them, and effectiveWindows is their number.",
      )
      .nullable(),
    knee: z.array(kneeSchema).describe("How latency and failures go with the offer, from the lowest offer on."),
    kneeOffer: z
      .number()
      .nullable()
      .describe(
        "The lowest offer from which on the median latency is twice what it was at low offers; null: none was reached.",
      ),
    sentence: z.string(),
    remarks: z.array(z.string()).describe("One sentence each."),
  })
  .describe("What the target takes, from the trials under the governor.");

export type Governed = z.infer<typeof governedSchema>;
export type GovernedWindowRow = z.infer<typeof windowSchema>;
export type Capacity = z.infer<typeof capacitySchema>;
