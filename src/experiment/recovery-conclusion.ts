/** What follows from the trials of a recovery experiment: which policies come back after the trigger. */

import { formatPercent, formatRate, formatSeconds } from "../figures/number-format.ts";
import type { ArmRecovery, Recovery, TrialRecovery } from "../result/recovery-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { BACK_SHARE, medianTime } from "../stats/recovery-time.ts";
import { wilsonInterval } from "../stats/wilson.ts";
import { parseTrigger, type Trigger, triggerWords } from "./recovery-trigger.ts";

/** From this share of stuck trials on a policy is metastable at the load. */
const METASTABLE_SHARE = 0.5;

type Spread = ArmRecovery["seconds"];
type Terms = Pick<Recovery, "withinSeconds" | "horizonSeconds">;
type Verdict = ArmRecovery["verdict"];

/**
 * The result with what its trials say. Those that are invalid or were cut short take no part; where there is none at all, it says
 * nothing.
 *
 * @returns a result of another command as it is.
 */
export function concludeRecovery(result: Result): Result {
  const { recovery, design, trials } = result;
  if (recovery === undefined) return result;
  if (trials.length === 0) return { ...result, recovery: { ...recovery, arms: [], conclusion: "" } };
  const arms = design.arms.map((arm) => armRecovery(arm, trials, recovery));
  return { ...result, recovery: { ...recovery, arms, conclusion: conclusionOf(arms, recovery) } };
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
  const isAborted = trials.some((trial) => trial.arm === arm && trial.aborted !== undefined);
  const sentence =
    verdict === "unknown" && isAborted
      ? `${arm}: nothing is known, as --abort-on ended its trial before it could be seen whether it comes back.`
      : sentenceOf(figures, verdict, okBefore, terms);
  return { ...figures, verdict, sentence };
}

/** @param values null is later than any that is known; the median of which is null where it is among those. */
function spreadOf(values: readonly (number | null)[]): Spread {
  const known = values.filter((value) => value !== null);
  return {
    median: medianTime(values),
    min: known.length === 0 ? null : Math.min(...known),
    max: known.length === 0 || known.length < values.length ? null : Math.max(...known),
  };
}

type Figures = Omit<ArmRecovery, "verdict" | "sentence">;

function verdictOf({ trials, stuck, seconds }: Figures, okBefore: number, { withinSeconds }: Terms): Verdict {
  if (trials === 0) return "unknown";
  if (okBefore < BACK_SHARE) return "overloaded";
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
      return isUndisturbed({ verdict, ...figures })
        ? `${arm} was not disturbed: calls came back ok all the time, so nothing is known of its recovery.`
        : `${arm} is stable: all came back, ${backText(figures)}.`;
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
  { holds: isUndisturbed, say: (arms) => `with ${arms} it was not disturbed, which shows nothing about recovery` },
  { holds: (arm) => arm.verdict === "stable" && !isUndisturbed(arm), say: (arms) => `with ${arms} it comes back` },
  { holds: ({ verdict }) => verdict === "overloaded", say: (arms) => `with ${arms} it was down before` },
  { holds: ({ verdict }) => verdict === "unknown", say: (arms) => `of ${arms} nothing is known` },
];

/** Calls came back ok all the time, in every trial. */
function isUndisturbed({ verdict, depth }: Pick<ArmRecovery, "verdict" | "depth">): boolean {
  return verdict === "stable" && depth.max !== null && depth.max <= 1 - BACK_SHARE;
}

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
function nameWithTime(one: ArmRecovery): string {
  const { arm, stuck, seconds } = one;
  return stuck.count > 0 || seconds.median === null || isUndisturbed(one)
    ? arm
    : `${arm} (${formatSeconds(seconds.median)})`;
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
