/** Whether what a tool reports is what happened. */

import type { Row } from "./rows.ts";
import type { ToolRun } from "./run-tool.ts";
import type { Report, Tool } from "./tools/tool.ts";
import type { Truth } from "./truth.ts";

/** What a tool that saw everything would report. */
export interface Expected {
  readonly ok: number;
  readonly failed: number;
  /** Up to so many more may have failed without the server's knowledge: their connections were turned away. */
  readonly unseen: number;
  /** What the server got, and what the plan would have sent it; undefined where that is not known. */
  readonly sent: { readonly received: number; readonly planned: number } | undefined;
  readonly latency: Readonly<Partial<Record<Figure, ExpectedTime>>>;
}

interface ExpectedTime {
  readonly ms: number;
  /** How far off a report may be, either way; infinite upwards where only a lower bound is known. */
  readonly below: number;
  readonly above: number;
}

type Figure = "meanMs" | "p50Ms" | "p99Ms" | "maxMs";

const NAMES: Readonly<Record<Figure, string>> = { meanMs: "mean", p50Ms: "p50", p99Ms: "p99", maxMs: "max" };

/** Counts may be off by a little: at most rows' rates, what is under way on ten connections when the tool looks away. */
const COUNT_RATIO = 0.015;
const COUNT_MIN = 2;
/** Times may be off by a part, and by what a busy machine adds. */
const TIME_RATIO = { meanMs: 0.1, p50Ms: 0.1, p99Ms: 0.25 };
const TIME_MS = { meanMs: 1.5, p50Ms: 1.5, p99Ms: 5 };
/** In a stall all that matters takes seconds, and theory gives it exactly. */
const STALL_RATIO = 0.05;
/** Of a rate: some tools overrun their time. */
const RATE_RATIO = 0.05;
/** Fewer than this share of connections turned away would leave a p99 where it was. */
const TURNED_AWAY_RATIO_MIN = 0.03;
/** The count is the machine's: one or two may have been somebody else's. */
const TURNED_AWAY_MIN = 5;
/** Of those turned away, this share may have been cut off at the end. */
const CUT_OFF_RATIO = 0.25;

export const TOLERANCES = `Tolerances: counts ${100 * COUNT_RATIO} % (at least ${COUNT_MIN}); mean and p50 ${100 * TIME_RATIO.p50Ms} % + ${TIME_MS.p50Ms} ms; p99 ${100 * TIME_RATIO.p99Ms} % + ${TIME_MS.p99Ms} ms; in the stall ${100 * STALL_RATIO} %; requests sent ${100 * RATE_RATIO} %, where the tool knows a rate and ten connections suffice for it.`;

export interface Circumstances {
  readonly truth: Truth;
  /** How long the server stood still, where it was stopped. */
  readonly stalledSeconds: number;
  /** Connections that the kernel turned away because nobody took them. */
  readonly turnedAway: number;
}

/** @param loop of the tool: a closed one has no plan. */
export function expectedOf(row: Row, loop: Tool["loop"], circumstances: Circumstances): Expected {
  const { truth, stalledSeconds, turnedAway } = circumstances;
  const ok = truth.okService.count;
  const planned = row.sustainable && loop !== "closed" ? row.rps * row.seconds : undefined;
  return {
    ok,
    failed: truth.requests - ok,
    unseen: row.latency?.kind === "turned-away" ? turnedAway : 0,
    sent: planned === undefined ? undefined : { received: truth.requests, planned },
    latency: latencyOf(),
  };

  function latencyOf(): Expected["latency"] {
    const { latency } = row;
    switch (latency?.kind) {
      case undefined:
        return {};
      case "service": {
        const { meanMs, p50Ms, p99Ms } = truth.okService;
        return { meanMs: near("meanMs", meanMs), p50Ms: near("p50Ms", p50Ms), p99Ms: near("p99Ms", p99Ms) };
      }
      case "stall":
        return stallOf(row, stalledSeconds);
      case "turned-away":
        return turnedAwayOf(turnedAway, truth.requests, latency.atLeastMs);
      default:
        return latency satisfies never;
    }
  }
}

function near(figure: keyof typeof TIME_RATIO, ms: number): ExpectedTime {
  const off = TIME_RATIO[figure] * ms + TIME_MS[figure];
  return { ms, below: off, above: off };
}

/**
 * The response times of calls that come evenly, answered at once but for one stop of `stalled` seconds: those that come in it
 * wait for its end, so the slowest share `q` of all calls waited at least `stalled - q x duration`.
 */
function stallOf({ seconds }: Row, stalled: number): Expected["latency"] {
  const p99Ms = 1000 * (stalled - 0.01 * seconds);
  const meanMs = (1000 * stalled * stalled) / 2 / seconds;
  const within = (ms: number): ExpectedTime => ({ ms, below: STALL_RATIO * ms, above: STALL_RATIO * ms });
  return { meanMs: within(meanMs), p99Ms: within(p99Ms) };
}

/** Each connection that was turned away waited for at least `atLeastMs`, and a request waited for it. */
function turnedAwayOf(turnedAway: number, requests: number, atLeastMs: number): Expected["latency"] {
  const from = (ms: number, below: number): ExpectedTime => ({ ms, below, above: Number.POSITIVE_INFINITY });
  const share = turnedAway / requests;
  return {
    ...(turnedAway >= TURNED_AWAY_MIN ? { maxMs: from(atLeastMs, 0) } : {}),
    ...(share >= TURNED_AWAY_RATIO_MIN
      ? { p99Ms: from(atLeastMs, 0), meanMs: from(share * atLeastMs, CUT_OFF_RATIO * share * atLeastMs) }
      : {}),
  };
}

/** What is wrong, the worst first, in few words; empty when all is right. */
export function faultsOf(run: ToolRun, expected: Expected): string[] {
  const { end, report } = run;
  if (end.kind === "killed") return [`did not end within ${end.afterSeconds} s`];
  if (report === undefined)
    return [end.kind === "signal" ? `died (${end.name}), no report` : `no report, exit code ${end.code}`];
  return [...countFaults(report, expected), ...timeFaults(report, expected), ...rateFaults(expected)];
}

function* countFaults(report: Report, expected: Expected): Generator<string> {
  if (isOff(report.ok, expected.ok)) yield `${count(report.ok)} ok, truth ${count(expected.ok)}`;
  const { failed, repeated = 0 } = report;
  // How many of the requests that the server did not answer well the report leaves room for.
  const possible = Math.min(Math.max(expected.failed, failed - expected.unseen), failed + repeated);
  if (isOff(possible, expected.failed)) yield `${count(failed)} failed, truth ${count(expected.failed)}`;
}

function isOff(told: number, truth: number): boolean {
  return Math.abs(told - truth) > Math.max(COUNT_MIN, COUNT_RATIO * truth);
}

function* rateFaults({ sent }: Expected): Generator<string> {
  if (sent === undefined || Math.abs(sent.received - sent.planned) <= RATE_RATIO * sent.planned) return;
  yield `sent ${count(sent.received)} of ${count(sent.planned)}`;
}

/** Percentiles where there are any, else the mean: one figure is enough to be wrong. */
function* timeFaults(report: Report, { latency, ok }: Expected): Generator<string> {
  if (ok === 0) return;
  const hasPercentiles = report.p99Ms !== undefined;
  const figures: readonly Figure[] = [
    ...(hasPercentiles ? (["p99Ms", "p50Ms"] as const) : (["meanMs"] as const)),
    "maxMs",
  ];
  for (const figure of figures) {
    const expectedTime = latency[figure];
    if (expectedTime === undefined) continue;
    const told = report[figure];
    const { ms, below, above } = expectedTime;
    const truth = above === Number.POSITIVE_INFINITY ? `at least ${time(ms)}` : time(ms);
    if (told === undefined) yield `no ${NAMES[figure]}`;
    else if (told < ms - below || told > ms + above) yield `${NAMES[figure]} ${time(told)}, truth ${truth}`;
  }
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}

export function time(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms >= 100 ? ms.toFixed(0) : ms.toPrecision(2)} ms`;
}
