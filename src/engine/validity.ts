/**
 * The harness judges itself first: from a trial's figures to `valid`, `suspect` or `invalid`, with reasons as data. A
 * generator that fell behind must never report a number that looks like the target's.
 */

import type { Reason, TrialResult } from "../result/schema.ts";
import { isCertificateCode, isNameCode, isOwnCertificateCode } from "./fault-codes.ts";

/** The share of the machine's CPU time taken away by its host above which nothing measured can be trusted to be ours. */
const STEAL_SUSPECT = 0.02;
const STEAL_INVALID = 0.2;
/** Lateness p99: suspect above the first, invalid above the second. */
const LATENESS_SUSPECT_MS = 10;
const LATENESS_INVALID_MS = 50;
/** One stall of the event loop that long hides what the target did meanwhile. */
const STALL_SUSPECT_MS = 250;
/** Share of the plan that must have been handed over while the arrivals lasted. */
const ACHIEVED_SUSPECT = 0.99;
const ACHIEVED_INVALID = 0.9;
/** Share of the calls given up for being late: suspect with the first one, invalid above this. */
const LATE_DROPS_INVALID = 0.01;
/** Share of the attempts that met a stale connection above which it is no longer the odd idle connection. */
const STALE_SUSPECT = 0.01;
/** Share of the calls of which only a lower bound is known above which the percentiles are bounds too. */
const UNFINISHED_SUSPECT = 0.05;
/** Fewer calls than this say nothing about a p99. */
const SAMPLES_SUSPECT = 100;

/** What the verdict rests on. */
export interface ValidityFacts {
  readonly world: "real" | "virtual";
  readonly interrupted: boolean;
  /** As far as the trial came: the warm-up, and the measured window to which the other figures belong. */
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  readonly calls: TrialResult["calls"];
  readonly attempts: TrialResult["attempts"];
  readonly errors: TrialResult["errors"];
  readonly late: TrialResult["late"];
  /** p99 is that of the worst worker, so that it cannot hide among the others. */
  readonly lateness: { readonly p99Ms: number; readonly maxMs: number };
  /** Calls that were started later than the planned end of the arrivals. */
  readonly startedAfterEnd: number;
  readonly maxInFlight: number;
  readonly workers: number;
  readonly stealRatio: number;
  /** The policy's window in seconds; 0 when it has none. */
  readonly policyWindowSeconds: number;
}

export type Validity = TrialResult["validity"];

/** The verdict on one trial: the worst of its reasons; notes leave it valid. */
export function judge(facts: ValidityFacts): Validity {
  const reasons = [
    ...(facts.world === "real" ? realReasons(facts) : []),
    ...boundReasons(facts),
    ...sampleReasons(facts),
  ];
  return { verdict: worst(reasons), reasons };
}

/** Adds a reason found out later (a target that died) to a verdict. */
export function withReason(validity: Validity, reason: Reason): Validity {
  const reasons = [...validity.reasons, reason];
  return { verdict: worst(reasons), reasons };
}

function worst(reasons: readonly Reason[]): Validity["verdict"] {
  if (reasons.some((reason) => reason.severity === "invalid")) return "invalid";
  if (reasons.some((reason) => reason.severity === "suspect")) return "suspect";
  return "valid";
}

function realReasons(facts: ValidityFacts): Reason[] {
  const reasons: Reason[] = [];
  const { p99Ms, maxMs } = facts.lateness;
  if (p99Ms > LATENESS_SUSPECT_MS) {
    const invalid = p99Ms > LATENESS_INVALID_MS;
    const whose = facts.workers > 1 ? " of the worst worker" : "";
    reasons.push({
      code: "lateness",
      severity: invalid ? "invalid" : "suspect",
      message: `1 % of the calls${whose} started ${round(p99Ms)} ms or more after their time`,
      figure: p99Ms,
      limit: invalid ? LATENESS_INVALID_MS : LATENESS_SUSPECT_MS,
      hint: "Lower --rps, give the generator a core of its own, or run it on another machine than the target",
    });
  }
  if (maxMs > STALL_SUSPECT_MS) {
    reasons.push({
      code: "stall",
      severity: "suspect",
      message: `The generator stood still: a call came up ${round(maxMs)} ms after its time`,
      figure: maxMs,
      limit: STALL_SUSPECT_MS,
      hint: "Look for another busy process, a suspended machine, or memory pressure",
    });
  }
  const started = facts.calls.planned - facts.calls.dropped;
  const achieved = started === 0 ? 1 : 1 - facts.startedAfterEnd / started;
  if (achieved < ACHIEVED_SUSPECT) {
    const invalid = achieved < ACHIEVED_INVALID;
    reasons.push({
      code: "achieved-rate",
      severity: invalid ? "invalid" : "suspect",
      message: `Only ${round(100 * achieved)} % of the calls could be started while the arrivals lasted`,
      figure: achieved,
      limit: invalid ? ACHIEVED_INVALID : ACHIEVED_SUSPECT,
      hint: "The plan is beyond this generator: lower --rps",
    });
  }
  if (facts.stealRatio > STEAL_SUSPECT) {
    const invalid = facts.stealRatio > STEAL_INVALID;
    reasons.push({
      code: "steal",
      severity: invalid ? "invalid" : "suspect",
      message: `The host took ${round(100 * facts.stealRatio)} % of this machine's CPU time away`,
      figure: facts.stealRatio,
      limit: invalid ? STEAL_INVALID : STEAL_SUSPECT,
      hint: "Run again when the host is quiet, or on a machine of its own",
    });
  }
  return reasons;
}

function boundReasons(facts: ValidityFacts): Reason[] {
  const reasons: Reason[] = [];
  const { dropped, planned, unfinished } = facts.calls;
  const lateDrops = planned === 0 ? 0 : facts.late.dropped / planned;
  if (lateDrops > 0) {
    const invalid = lateDrops > LATE_DROPS_INVALID;
    reasons.push({
      code: "late-drops",
      severity: invalid ? "invalid" : "suspect",
      message: `${facts.late.dropped} of ${planned} calls were dropped: this generator came to them too late`,
      figure: lateDrops,
      limit: invalid ? LATE_DROPS_INVALID : 0,
      hint: "Lower --rps, give the generator a core of its own, or raise the bound of --late",
    });
  }
  const refused = dropped - facts.late.dropped;
  if (refused > 0) {
    reasons.push({
      code: "in-flight-bound",
      severity: "invalid",
      message: `${refused} of ${planned} calls were dropped: ${facts.workers > 1 ? "a worker had its share of " : ""}${facts.maxInFlight} were under way already`,
      figure: refused,
      limit: 0,
      hint: "Raise --max-in-flight, or shorten --timeout, so that the generator does not limit the load itself",
    });
  }
  if (facts.attempts.clientFault > 0) {
    reasons.push({
      code: "client-fault",
      severity: "invalid",
      message: `${facts.attempts.clientFault} attempts failed on this side, never the target's doing (${codes(facts)})`,
      figure: facts.attempts.clientFault,
      limit: 0,
      hint: clientFaultHint(facts),
    });
  }
  if (facts.attempts.sent > 0 && facts.attempts.failed === facts.attempts.sent) {
    reasons.push({
      code: "nothing-understood",
      severity: "invalid",
      message: `No attempt was answered or refused in a way that could be understood (${codes(facts)})`,
      figure: facts.attempts.failed,
      limit: 0,
      hint:
        facts.errors.UND_ERR_RES_EXCEEDED_MAX_SIZE === undefined
          ? "Look at the URL, its scheme and its port: is it an HTTP server?"
          : "Raise --max-response: the answers are longer than that",
    });
  }
  const stale = facts.attempts.sent === 0 ? 0 : facts.attempts.staleConnection / facts.attempts.sent;
  if (stale > STALE_SUSPECT) {
    reasons.push({
      code: "stale-connections",
      severity: "suspect",
      message: `${round(100 * stale)} % of the attempts met a connection that the target had closed, and were sent again`,
      figure: stale,
      limit: STALE_SUSPECT,
      hint: "The target closes connections that it keeps alive: if it does so under load, these are resets, not idleness",
    });
  }
  if (unfinished > 0) {
    reasons.push({
      code: "unfinished",
      severity: unfinished > UNFINISHED_SUSPECT * planned ? "suspect" : "note",
      message: `${unfinished} calls were still under way when the drain ended: their latency is a lower bound`,
      figure: unfinished,
      limit: 0,
      hint: "Raise --drain to wait for them",
    });
  }
  return reasons;
}

/** The codes of the faults, most frequent first. */
function codes(facts: ValidityFacts): string {
  return Object.entries(facts.errors)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([code]) => code)
    .join(", ");
}

function clientFaultHint(facts: ValidityFacts): string {
  const codes = Object.keys(facts.errors);
  const all = codes.join();
  if (codes.some(isCertificateCode))
    return "Name an authority with --cacert or a name with --sni, or accept any certificate with --insecure";
  if (codes.some(isOwnCertificateCode)) return "The target wants a certificate that it trusts: use --cert and --key";
  if (codes.some(isNameCode))
    return "The target's name has no address now: look at the name and at DNS, or use --resolve";
  if (/EMFILE|ENFILE/.test(all))
    return "Too few open files are allowed: raise `ulimit -n`, or lower --rps or --timeout";
  if (codes.includes("ERR_NO_H2")) return "The target does not speak HTTP/2: leave --http2 out";
  if (/EACCES|EPERM/.test(all)) return "This user may not connect there: look at permissions and at the firewall";
  if (/EADDRNOTAVAIL/.test(all)) return "No port was left: widen the range of ephemeral ports, or lower --rps";
  return "The request itself may be at fault: look at the method, headers and body";
}

function sampleReasons(facts: ValidityFacts): Reason[] {
  const reasons: Reason[] = [];
  if (facts.calls.planned < SAMPLES_SUSPECT) {
    reasons.push({
      code: "few-samples",
      severity: "suspect",
      message: `Only ${facts.calls.planned} calls: too few for percentiles`,
      figure: facts.calls.planned,
      limit: SAMPLES_SUSPECT,
      hint: "Raise --duration or --rps",
    });
  }
  if (facts.interrupted) reasons.push(interruption(facts));
  const ranSeconds = facts.warmupSeconds + facts.durationSeconds;
  if (facts.policyWindowSeconds > ranSeconds) {
    reasons.push({
      code: "short-run",
      severity: "note",
      message: `The run was shorter than the policy's window of ${facts.policyWindowSeconds} s: its clients were cold`,
      figure: ranSeconds,
      limit: facts.policyWindowSeconds,
      hint: "Raise --duration or --warmup, or lower the policy's window to see its steady state",
    });
  }
  return reasons;
}

function interruption({ durationSeconds }: ValidityFacts): Reason {
  const measured = durationSeconds > 0;
  return {
    code: "interrupted",
    severity: measured ? "suspect" : "invalid",
    message: measured
      ? `Interrupted after ${round(durationSeconds)} s: the figures hold for that part only`
      : "Interrupted before the measured window began: nothing was measured",
    figure: durationSeconds,
    limit: 0,
    hint: "Run it again to the end",
  };
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
