/**
 * The result file: the authority on its fields, their names and units. Names carry their unit (`Ms`, `Seconds`, `Bytes`);
 * rates are per second; ratios are plain numbers. {@link SCHEMA_VERSION} grows when a field changes its meaning.
 */

// As a namespace: under vitest on Bun the package has no export named `z`.
import * as z from "zod";
import { comparisonSchema } from "./comparison-schema.ts";
import { assertionSchema, designSchema, invocationSchema } from "./design-schema.ts";
import { capacitySchema, governedSchema } from "./governor-schema.ts";
import { policySchema } from "./policy-schema.ts";
import { recoverySchema, trialRecoverySchema } from "./recovery-schema.ts";
import { sweepSchema } from "./sweep-schema.ts";

export const SCHEMA_VERSION = 2;

const count = z.int().nonnegative();
const seconds = z.number().nonnegative();
const ratio = z.number().nonnegative();

const latencySchema = z
  .strictObject({
    count,
    minMs: z.number(),
    meanMs: z.number(),
    p50Ms: z.number(),
    p90Ms: z.number(),
    p99Ms: z.number(),
    p999Ms: z.number(),
    maxMs: z.number(),
    censored: count.describe(
      "Values that are lower bounds (time-outs, unfinished calls); they take part with their bound.",
    ),
    hdr: z.string().describe("HdrHistogram V2, compressed, base64; values in microseconds."),
  })
  .describe("One latency distribution. An empty one has count 0 and zeros.");

const callsSchema = z
  .strictObject({
    planned: count,
    ok: count,
    throttled: count,
    budget: count,
    failed: count,
    broken: count,
    limited: count,
    deadline: count,
    dropped: count,
    unfinished: count,
  })
  .describe("Every planned call ends in exactly one outcome: planned is the sum of the others.");

const attemptsSchema = z
  .strictObject({
    made: count.describe("sent + local rejects (throttled, broken, limited, deadline); a denied retry is no attempt."),
    sent: count,
    accepted: count,
    overloaded: count,
    failed: count,
    clientFault: count,
    staleConnection: count,
    cancelled: count.describe("Copies of hedged calls, given up when another copy had ended the call.").optional(),
    inFlight: count.describe("Attempts still under way when the trial ended."),
  })
  .describe("sent = accepted + overloaded + failed + clientFault + staleConnection + cancelled + inFlight.");

const reasonSchema = z.strictObject({
  code: z.string().describe("Stable, kebab-case."),
  severity: z.enum(["note", "suspect", "invalid"]),
  message: z.string().describe("One sentence, with the figure in its unit."),
  figure: z.number(),
  limit: z.number(),
  hint: z.string().describe("What to do about it, one sentence."),
});

const seriesRowSchema = z
  .strictObject({
    second: count,
    offered: count,
    late: count,
    sent: count.describe("Attempts sent for the calls of this intended second, whenever they were sent."),
    sentInSecond: count.describe(
      "Attempts sent within this second of the trial, whichever call's: what the backend saw. The same as sent in files that are older than this count.",
    ),
    accepted: count,
    ok: count,
    throttled: count,
    budget: count,
    failed: count,
    broken: count,
    limited: count,
    deadline: count,
    dropped: count,
    unfinished: count,
  })
  .describe(
    "One row per second of the trial, with all counts but sentInSecond by the INTENDED second of the calls. The last rows may lie in the drain.",
  );

const targetStatsSchema = z
  .strictObject({
    accepted: count,
    rejected: count,
    abandoned: count.describe("Accepted work whose client had gone when its turn came."),
    cpuAcceptSeconds: seconds,
    cpuRejectSeconds: seconds,
    cpuTotalSeconds: seconds.describe("User and system time of the target's process, all its work included."),
    wallSeconds: seconds,
    askedSeconds: seconds
      .describe("Work that was asked for; what accepting and rejecting took beyond it, others took.")
      .optional(),
    busySeconds: seconds
      .describe("Time in which the target had something to do, or would have done it had it had a processor.")
      .optional(),
    queueMax: count,
    settings: z
      .record(z.string(), z.union([z.number(), z.string(), z.null()]))
      .describe("How the target was set, as it tells it.")
      .optional(),
  })
  .describe("What the built-in target counted between the start and the end of the trial.");

const gapsSchema = z
  .strictObject({
    count: count.describe("Gaps looked at."),
    calls: count.describe(
      "Calls per gap: 1, or as many as are planned in a millisecond at the peak. Below that no generator, kernel or network keeps gaps.",
    ),
    cv: ratio.describe("Coefficient of variation of the gaps, each in units of what the plan's rate made expected."),
    plannedCv: ratio.describe("The same of the plan's own gaps."),
    jitter: ratio.describe("Standard deviation of (sent gap - planned gap), in mean gaps."),
    distance: ratio.describe(
      "Largest difference between the distribution functions of the sent and the planned gaps; gaps that differ by less than a quarter of the mean one count as equal.",
    ),
    law: z
      .strictObject({
        distance: ratio.describe("Kolmogorov-Smirnov distance of the sent gaps from the law."),
        score: ratio.describe("distance x sqrt(count); 1.95 is exceeded by chance once in a thousand."),
      })
      .describe("For Poisson arrivals: against the exponential (Erlang, where calls > 1) distribution.")
      .optional(),
  })
  .describe("How the gaps between the calls sent kept to the plan, over the measured window; of the worst worker.");

const sentinelSchema = z
  .strictObject({
    rps: ratio.describe("Probes per second and worker."),
    planned: count,
    ok: count,
    response: latencySchema.describe("From the intended time to the answer, of a server that does nothing."),
    worstP90Ms: z.number().describe("p90 of the worst worker's probes."),
  })
  .describe(
    "Probes of a null server in another process, sent by the generator beside its load: their response time is its own error.",
  );

const trialSchema = z.strictObject({
  arm: z.string(),
  pair: count,
  world: z.enum(["real", "virtual"]),
  model: z.string().describe("The server model of a virtual trial, with its parameters.").optional(),
  script: z.string().describe("What changed at the backend, in seconds of the measured window.").optional(),
  policy: policySchema,
  plan: z.strictObject({
    hash: z.string(),
    seed: z.int(),
    arrivals: count,
    users: count,
    rate: z.string().describe("The rate over the measured window, as the flags write it."),
    rps: z.number().describe("Its mean, per second."),
  }),
  startedAt: z.string().describe("Wall time of the start, ISO 8601; a label, never a measurement."),
  durationSeconds: seconds.describe(
    "The measured window over which rates are taken, or as far as an interrupted trial came.",
  ),
  warmup: z
    .strictObject({ seconds, calls: callsSchema, attempts: attemptsSchema })
    .describe("Calls intended before the measured window: in the series, in no other figure.")
    .optional(),
  late: z
    .strictObject({
      boundMs: z.number().describe("Calls to which it came later than this after their time are counted here."),
      sent: count.describe("Those handed to their client all the same, whatever that made of them."),
      dropped: count.describe(
        "Of the dropped calls, those given up for being late: beyond the bound of --late drop, or beyond the end of the drain.",
      ),
    })
    .describe("Calls to which this generator came late."),
  age: z
    .strictObject({
      seconds,
      calls: count.describe("Calls of that past, all of them simulated."),
      throttled: count.describe("Those of them that the policy refused, though all was well."),
    })
    .describe("The healthy past that each client's policy lived through before the trial. Absent: cold clients.")
    .optional(),
  governor: governedSchema.optional(),
  recovery: trialRecoverySchema.optional(),
  aborted: z
    .strictObject({ atSeconds: seconds, text: z.string().describe("The condition of --abort-on, and the figure.") })
    .describe("Present when a guard ended the trial.")
    .optional(),
  drainSeconds: seconds.describe("Time from the end of the arrivals to the last outcome."),
  interrupted: z.boolean(),
  recovered: z
    .boolean()
    .describe("True when the generator was killed and the trial was put together from its journal.")
    .optional(),
  calls: callsSchema,
  attempts: attemptsSchema,
  statuses: z.record(z.string(), count),
  errors: z.record(z.string(), count),
  rates: z.strictObject({ offered: ratio, sent: ratio, accepted: ratio, goodput: ratio }),
  amplification: ratio.describe("sent / planned calls."),
  waste: ratio.describe("(sent - accepted) / sent."),
  latency: z.strictObject({
    response: z.partialRecord(
      z.enum(["ok", "failed", "budget", "throttled", "broken", "limited", "deadline", "unfinished"]),
      latencySchema,
    ),
    service: z.partialRecord(
      z.enum(["accepted", "overloaded", "failed", "clientFault", "staleConnection", "cancelled"]),
      latencySchema,
    ),
    wait: latencySchema.describe("From handing an attempt over to having a connection for it."),
    lateness: latencySchema.describe(
      "Of every planned call: from its intended time to the moment at which the generator came to it, sent or not.",
    ),
  }),
  series: z.array(seriesRowSchema),
  users: z
    .strictObject({
      count,
      active: count.describe("Users with at least one planned call."),
      jain: z.number().describe("Jain's fairness index of ok calls over the active users; 1 is equal."),
      okMin: count,
      okMax: count,
    })
    .describe("Absent in a trial that was recovered from a journal.")
    .optional(),
  criticality: z
    .array(
      z.strictObject({
        class: z.enum(["CRITICAL_PLUS", "CRITICAL", "SHEDDABLE_PLUS", "SHEDDABLE"]),
        planned: count,
        ok: count,
        sent: count,
      }),
    )
    .describe("Calls of the measured window by how much they matter, the classes that had any.")
    .optional(),
  transport: z
    .enum(["wire", "undici", "http2"])
    .describe("What sent the requests: one of the two HTTP/1.1 clients, or the HTTP/2 one.")
    .optional(),
  connections: z
    .strictObject({
      wanted: count.describe("Attempts to open a connection: wanted = opened + failed + given up while opening."),
      opened: count,
      failed: count,
      preopened: count.describe("Of the opened ones, those opened before the first arrival."),
      reused: count.describe("Requests sent on a connection that had carried one before."),
      closedByPeer: count.describe("Connections that the target closed or reset."),
      peak: count.describe("The most connections that were open at once."),
      stale: count.describe("Requests that met a connection which the target had closed, and were sent again."),
      resumed: count.describe("Of the opened ones, those whose TLS handshake took up an earlier session.").optional(),
      addresses: z.record(z.string(), count).describe("Connections opened, by the address they went to."),
    })
    .describe("Over the whole trial, its warm-up included; summed over workers.")
    .optional(),
  generator: z
    .strictObject({
      cpuSeconds: seconds,
      wallSeconds: seconds,
      workers: count,
      inFlightMax: count.describe(
        "The most calls under way at once; with several workers the sum of theirs, an upper bound.",
      ),
      stealRatio: ratio.describe("Share of the machine's CPU time that its host took away during the trial."),
      rssMaxBytes: count,
      busyRatio: ratio
        .describe(
          "Of the busiest worker: the share of the time in which its thread had a processor that it computed, idle spinning left out.",
        )
        .optional(),
      waitRatio: ratio
        .describe("Share of it that the worst worker's thread could have run but had no processor (Linux).")
        .optional(),
      throttledRatio: ratio.describe("Share of it that a cgroup's CPU limit held this process back.").optional(),
      stallMaxMs: z.number().describe("The longest time that a worker's event loop stood still."),
      clockJumpMs: z.number().describe("The largest step of the wall clock against the monotonic one."),
      gaps: gapsSchema.optional(),
      sentinel: sentinelSchema.optional(),
    })
    .optional(),
  target: targetStatsSchema.optional(),
  validity: z.strictObject({ verdict: z.enum(["valid", "suspect", "invalid"]), reasons: z.array(reasonSchema) }),
});

const twinFigureSchema = z.strictObject({
  real: z.number().nullable().describe("null where it was not measured: no call came back ok."),
  twin: z.number().nullable(),
  ratio: z.number().nullable().describe("twin / real; 1 where both are zero, null where only the real one is."),
});

const serviceLawSchema = z
  .strictObject({
    source: z
      .enum(["counters", "client"])
      .describe("What the target counted about itself, or what could be seen from this side."),
    model: z.enum(["worker", "fifo"]),
    acceptMs: z.number().describe("What an accepted attempt takes the worker, overhead included."),
    rejectMs: z.number().describe("What a rejection takes it, overhead included."),
    overheadMs: z
      .number()
      .describe("Of both: reading the request, writing the answer, the connection; 0 where it is not known apart."),
    latencyMs: z.number().describe("What every answer takes beside: the network, and the generator itself."),
    queueMax: count.describe("Attempts that may wait."),
    assumptions: z.array(z.string()).describe("What was not measured, one sentence each."),
  })
  .describe("How the backend serves, as the real trial shows it.");

const twinSchema = z
  .discriminatedUnion("made", [
    z.strictObject({
      made: z.literal(true),
      law: serviceLawSchema,
      trial: trialSchema.describe("The virtual trial: the same plan and clients against that law."),
      figures: z.strictObject({
        goodput: twinFigureSchema,
        sent: twinFigureSchema,
        accepted: twinFigureSchema,
        throttled: twinFigureSchema,
        amplification: twinFigureSchema,
        waste: twinFigureSchema,
        responseOkP50Ms: twinFigureSchema,
        responseOkP99Ms: twinFigureSchema,
      }),
    }),
    z.strictObject({ made: z.literal(false), reason: z.string().describe("Why there is none, one sentence.") }),
  ])
  .describe("The virtual twin of the only trial of a run. Rates are per second.");

export const resultSchema = z
  .strictObject({
    schemaVersion: z.literal(SCHEMA_VERSION),
    command: z.enum(["run", "ab", "sweep", "demo", "capacity", "recovery"]),
    partial: z.boolean().describe("True while the experiment is going on, and for good when it was cut short."),
    tool: z.strictObject({ name: z.literal("overload-bench"), version: z.string() }),
    environment: z.strictObject({
      runtime: z.enum(["bun", "deno", "node"]),
      runtimeVersion: z.string(),
      platform: z.string(),
      arch: z.string(),
      cpuModel: z.string(),
      cpus: count,
      memoryBytes: count,
    }),
    config: z.record(z.string(), z.unknown()).describe("Every option as resolved, secrets redacted."),
    invocation: invocationSchema.optional(),
    design: designSchema,
    plan: z.strictObject({
      hash: z.string(),
      seed: z.int(),
      arrivals: count.describe("Planned calls of the first trial."),
      users: count,
      arrival: z.string().describe("The law of the arrivals, with its options."),
      dispersion: ratio
        .describe(
          "Burstiness: what variance / mean of the counts in long windows tends to, at the mean rate; 0 is even, 1 is Poisson. Absent for a replay.",
        )
        .optional(),
      rate: z.string().describe("The rate over the measured window, as the flags write it."),
      rps: z.number().describe("Mean rate over the measured window, per second."),
      warmupSeconds: seconds.describe("Load before the measured window; its calls stand in the series only."),
      durationSeconds: seconds,
    }),
    trials: z.array(trialSchema),
    comparison: comparisonSchema.optional(),
    sweep: sweepSchema.optional(),
    assertions: z.array(assertionSchema).describe("What was asserted of the result, and whether it holds.").optional(),
    twin: twinSchema.optional(),
    capacity: capacitySchema.optional(),
    capacityTrials: z
      .array(trialSchema)
      .describe("The trials by which a capacity was found, where the load of the experiment is a multiple of it.")
      .optional(),
    recovery: recoverySchema.optional(),
  })
  .describe("The result of one experiment.");

export type Result = z.infer<typeof resultSchema>;
export type TrialResult = z.infer<typeof trialSchema>;
export type LatencySummary = z.infer<typeof latencySchema>;
export type Reason = z.infer<typeof reasonSchema>;
export type SeriesRow = z.infer<typeof seriesRowSchema>;
export type TargetStats = z.infer<typeof targetStatsSchema>;
export type Twin = z.infer<typeof twinSchema>;
export type MadeTwin = Extract<Twin, { readonly made: true }>;
export type ServiceLaw = z.infer<typeof serviceLawSchema>;
export type TwinFigure = z.infer<typeof twinFigureSchema>;
