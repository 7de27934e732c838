/** What is pushed while a trial runs, once, for every format: families of points with units. */

/** What is known of a trial under way. Counts are those since its measured window began, or of the warm-up before it. */
export interface PushSample {
  readonly tool: { readonly name: string; readonly version: string };
  readonly command: string;
  readonly arm: string;
  /** 0-based. */
  readonly pair: number;
  readonly policy: string;
  readonly world: "real" | "virtual";
  readonly phase: "warmup" | "measured";
  /** Since when the counts are counted, and when this was known, in milliseconds of Unix time. */
  readonly startMs: number;
  readonly atMs: number;
  readonly calls: Readonly<Record<string, number>>;
  /** Attempts that were sent and have ended, by class. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly planned: number;
  readonly sent: number;
  /** Calls under way. */
  readonly inFlight: number;
  /** Over the last few seconds. */
  readonly rates: { readonly offered: number; readonly sent: number; readonly goodput: number } | undefined;
  readonly responseOk: { readonly p50Seconds: number; readonly p99Seconds: number } | undefined;
  readonly latenessP99Seconds: number;
  readonly verdict: "valid" | "suspect" | "invalid" | undefined;
}

export type Attributes = Readonly<Record<string, string>>;

export interface Point {
  /** Beside those of the sample, see {@link sampleAttributes}. */
  readonly attributes: Attributes;
  readonly value: number;
}

export interface Family {
  /** In words joined by dots, as OpenTelemetry has them; without a unit. */
  readonly name: string;
  readonly help: string;
  /** UCUM, as OpenTelemetry has it: `s`, `{call}`, `{call}/s`; `1` for what has none. */
  readonly unit: string;
  /** A `counter` only grows, from the sample's start on. A `summary` has quantiles. */
  readonly kind: "counter" | "gauge" | "summary";
  readonly points: readonly Point[];
}

const VERDICTS = ["valid", "suspect", "invalid"] as const;

/** What all points of a sample have in common. */
export function sampleAttributes({ command, arm, pair, policy, world, phase }: PushSample): Attributes {
  return { command, arm, pair: String(pair + 1), policy, world, phase };
}

/** Families without a point are left out. */
export function families(sample: PushSample): Family[] {
  const { calls, attempts, planned, sent, inFlight, rates, responseOk, latenessP99Seconds, verdict } = sample;
  const all: Family[] = [
    counter("calls", "Calls that ended, by outcome", "{call}", by("outcome", calls)),
    counter("calls.planned", "Calls of the plan that came due", "{call}", one(planned)),
    counter("attempts", "Attempts that were sent and ended, by class", "{attempt}", by("class", attempts)),
    counter("attempts.sent", "Attempts that were sent", "{attempt}", one(sent)),
    gauge("calls.in_flight", "Calls under way", "{call}", one(inFlight)),
    gauge("offered", "Calls that came due, over the last seconds", "{call}/s", one(rates?.offered)),
    gauge("sent", "Attempts sent, over the last seconds", "{attempt}/s", one(rates?.sent)),
    gauge("goodput", "Calls that ended ok, over the last seconds", "{call}/s", one(rates?.goodput)),
    summary("response", "From a call's intended time to its end, so far, by its outcome", [
      ...quantile("0.5", responseOk?.p50Seconds, { outcome: "ok" }),
      ...quantile("0.99", responseOk?.p99Seconds, { outcome: "ok" }),
    ]),
    summary("lateness", "From a call's intended time to the moment at which the generator came to it, so far", [
      ...quantile("0.99", latenessP99Seconds),
    ]),
    gauge(
      "verdict",
      "1 for what the generator says of its own measurement, so far",
      "1",
      verdict === undefined
        ? []
        : VERDICTS.map((is) => ({ attributes: { verdict: is }, value: is === verdict ? 1 : 0 })),
    ),
  ];
  return all.filter(({ points }) => points.length > 0);
}

function counter(name: string, help: string, unit: string, points: readonly Point[]): Family {
  return { name, help, unit, kind: "counter", points };
}

function gauge(name: string, help: string, unit: string, points: readonly Point[]): Family {
  return { name, help, unit, kind: "gauge", points };
}

function one(value: number | undefined): Point[] {
  return value === undefined ? [] : [{ attributes: {}, value }];
}

function by(key: string, counts: Readonly<Record<string, number>>): Point[] {
  return Object.entries(counts).map(([name, value]) => ({ attributes: { [key]: name }, value }));
}

function summary(name: string, help: string, points: readonly Point[]): Family {
  return { name, help, unit: "s", kind: "summary", points };
}

function quantile(is: string, value: number | undefined, attributes: Attributes = {}): Point[] {
  return value === undefined ? [] : [{ attributes: { ...attributes, quantile: is }, value }];
}
