/** What follows from the trials of a recovery experiment: which policies come back after the trigger. */

import { formatPercent, formatRate, formatSeconds } from "../figures/number-format.ts";
import type { ArmRecovery, Recovery, TrialRecovery } from "../result/recovery-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { wilsonInterval } from "../stats/wilson.ts";
import { parseTrigger, type Trigger, triggerWords } from "./recovery-trigger.ts";

/** A base load of which less came back ok before the trigger is too much by itself. */
const SERVED_SHARE = 0.95;
/** From this share of stuck trials on a policy is metastable at the load. */
const METASTABLE_SHARE = 0.5;
/** What a rate has beyond them is rounding. */
const RPS_DIGITS = 12;

type Spread = ArmRecovery["seconds"];
type Terms = Pick<Recovery, "withinSeconds" | "horizonSeconds">;
type Verdict = ArmRecovery["verdict"];

/**
 * The result with what its trials say. Those that are invalid or were cut short take no part.
 *
 * @returns a result of another command as it is.
 */
export function concludeRecovery(result: Result): Result {
  const { recovery, design, trials } = result;
  if (recovery === undefined) return result;
  const arms = design.arms.map((arm) => armRecovery(arm, trials, recovery));
  const rps = baseRps(result.plan.rps, recovery);
  const known = rps === undefined ? recovery : { ...recovery, rps };
  return { ...result, recovery: { ...known, arms, conclusion: conclusionOf(arms, known) } };
}

/** Whether a trial takes part. */
function isTrusted(trial: TrialResult): trial is TrialResult & { readonly recovery: TrialRecovery } {
  return !trial.interrupted && trial.validity.verdict !== "invalid" && trial.recovery !== undefined;
}

/** What the trials of one arm say. */
export function armRecovery(arm: string, trials: readonly TrialResult[], terms: Terms): ArmRecovery {
  const own = trials.filter((trial) => trial.arm === arm).filter(isTrusted);
  const taken = own.map(({ recovery }) => recovery);
  const count = taken.reduce((sum, { stuck }) => sum + stuck, 0);
  const share = taken.length === 0 ? 0 : count / taken.length;
  const figures = {
    arm,
    trials: taken.length,
    stuck: { count, share, ...wilsonInterval(count, taken.length) },
    seconds: spreadOf(taken.map(({ seconds }) => seconds)),
    reactSeconds: spreadOf(taken.map((one) => one.reactSeconds)),
    depth: spreadOf(taken.map(({ depth }) => depth)),
    amplificationDuring: spreadOf(taken.map(({ amplificationDuring }) => amplificationDuring)),
    amplificationAfter: spreadOf(taken.map(({ amplificationAfter }) => amplificationAfter)),
    sentDuring: spreadOf(taken.map(({ sentDuring }) => sentDuring)),
  };
  const okBefore = taken.length === 0 ? 0 : median(taken.map((one) => one.okBefore));
  const verdict = verdictOf(figures, okBefore, terms);
  return { ...figures, verdict, sentence: sentenceOf(figures, verdict, okBefore, terms) };
}

/** @param values null is later than any that is known; the median of which is null where it is among those. */
function spreadOf(values: readonly (number | null)[]): Spread {
  if (values.length === 0) return { median: null, min: null, max: null };
  const known = values.map((value) => value ?? Number.POSITIVE_INFINITY);
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return { median: finite(median(known)), min: finite(Math.min(...known)), max: finite(Math.max(...known)) };
}

type Figures = Omit<ArmRecovery, "verdict" | "sentence">;

function verdictOf({ trials, stuck, seconds }: Figures, okBefore: number, { withinSeconds }: Terms): Verdict {
  if (trials === 0) return "unknown";
  if (okBefore < SERVED_SHARE) return "overloaded";
  if (stuck.share >= METASTABLE_SHARE) return "metastable";
  return stuck.count > 0 || (seconds.median ?? Number.POSITIVE_INFINITY) > withinSeconds ? "vulnerable" : "stable";
}

function sentenceOf(figures: Figures, verdict: Verdict, okBefore: number, terms: Terms): string {
  const { arm, trials, stuck } = figures;
  const horizon = formatSeconds(terms.horizonSeconds);
  const of = `${stuck.count} of ${trials} trials`;
  switch (verdict) {
    case "unknown":
      return `${arm}: no trial can be trusted, so nothing is known.`;
    case "overloaded":
      return `${arm} is overloaded without a trigger: of the base load ${formatPercent(okBefore)} came back ok before it.`;
    case "metastable":
      return `${arm} is metastable: ${of} were not back ${horizon} after the trigger (95 % interval of the share: ${formatPercent(stuck.low)} to ${formatPercent(stuck.high)}).`;
    case "vulnerable":
      return stuck.count > 0
        ? `${arm} is vulnerable: ${of} ${stuck.count === 1 ? "was" : "were"} not back ${horizon} after the trigger (95 % interval of the share: ${formatPercent(stuck.low)} to ${formatPercent(stuck.high)}).`
        : `${arm} is vulnerable: all came back, but ${backText(figures)}, later than the bound of ${formatSeconds(terms.withinSeconds)}.`;
    case "stable":
      return `${arm} is stable: all came back, ${backText(figures)}.`;
    default:
      return verdict satisfies never;
  }
}

function backText({ trials, seconds }: Figures): string {
  const { median: middle, max } = seconds;
  const known = (value: number | null): string => (value === null ? "never" : formatSeconds(value));
  if (trials === 1) return `after ${known(middle)}`;
  return `after ${known(middle)} in the median and ${known(max)} at most`;
}

/** What is said of the system with some of the arms, in the order in which it is told. */
const CLAIMS: readonly {
  readonly holds: (arm: ArmRecovery) => boolean;
  readonly say: (arms: string) => string;
}[] = [
  { holds: ({ verdict }) => verdict === "metastable", say: (arms) => `with ${arms} the system stays down` },
  { holds: isStuckAtTimes, say: (arms) => `with ${arms} it stays down now and then` },
  {
    holds: (arm) => arm.verdict === "vulnerable" && !isStuckAtTimes(arm),
    say: (arms) => `with ${arms} it comes back, but late`,
  },
  { holds: ({ verdict }) => verdict === "stable", say: (arms) => `with ${arms} it comes back` },
  { holds: ({ verdict }) => verdict === "overloaded", say: (arms) => `with ${arms} it was down before` },
  { holds: ({ verdict }) => verdict === "unknown", say: (arms) => `of ${arms} nothing is known` },
];

function isStuckAtTimes({ verdict, stuck }: ArmRecovery): boolean {
  return verdict === "vulnerable" && stuck.count > 0;
}

function conclusionOf(arms: readonly ArmRecovery[], { trigger, hook, rps }: Recovery): string {
  const parts = CLAIMS.flatMap(({ holds, say }) => {
    const names = arms.filter(holds).map(nameWithTime);
    return names.length === 0 ? [] : [say(listed(names))];
  });
  const load = rps === undefined ? "" : ` at ${formatRate(rps)}`;
  return `After ${wordsOf(trigger, hook)}${load}: ${parts.join("; ")}.`;
}

/** Stuck ones have no time of their own, whatever the median says. */
function nameWithTime({ arm, stuck, seconds }: ArmRecovery): string {
  return stuck.count > 0 || seconds.median === null ? arm : `${arm} (${formatSeconds(seconds.median)})`;
}

/** From the mean over the whole window, in which a spike is. */
function baseRps(meanRps: number, { trigger, settleSeconds, horizonSeconds }: Recovery): number | undefined {
  const parsed = triggerOf(trigger);
  if (parsed === undefined || settleSeconds === undefined) return undefined;
  if (parsed.kind !== "spike") return meanRps;
  const atBase = settleSeconds + horizonSeconds;
  const rps = (meanRps * (atBase + parsed.seconds)) / (atBase + parsed.factor * parsed.seconds);
  return Number(rps.toPrecision(RPS_DIGITS));
}

/** A file may hold any text. */
function triggerOf(text: string): Trigger | undefined {
  try {
    return parseTrigger(text);
  } catch {
    return undefined;
  }
}

function wordsOf(trigger: string, hook: string | undefined): string {
  const parsed = triggerOf(trigger);
  if (parsed === undefined) return trigger;
  return hook === undefined || parsed.kind === "hook" ? triggerWords(parsed) : `${triggerWords(parsed)} by the hook`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
