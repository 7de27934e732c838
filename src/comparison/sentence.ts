/** One contrast in words that can be quoted: no more than its pairs bear out. */

import { formatMeasured, type Metric, metricOf } from "../figures/metrics.ts";
import { formatNumber, formatPercent } from "../figures/number-format.ts";
import type { Contrast, MetricComparison } from "../result/comparison-schema.ts";
import { pairsForSigns } from "../stats/power.ts";
import { isEquivalent } from "./effects.ts";
import { chosen, chosenPercent, howMuch, pairsText, pText, rangeText } from "./wording.ts";

/** Closer to 1 than this, a ratio of few pairs is called "about the same". */
const SAME_WITHIN = 0.02;

export interface SentenceOptions {
  /** What the p-value of the first metric must come to for a verdict. */
  readonly level: number;
  readonly smallestEffect: number;
}

type Facts = Omit<Contrast, "sentence">;

/** What a sentence is made of. */
interface Subject extends SentenceOptions {
  readonly contrast: Facts;
  readonly metric: Metric;
  readonly facts: MetricComparison;
  /** The arm's name in the sentence, and the baseline's. */
  readonly label: string;
  readonly baseline: string;
}

/** The first metric in full, then what else was decided. @param label what the arm is called. */
export function sentenceOf(contrast: Facts, label: string, options: SentenceOptions): string {
  const facts = contrast.metrics[0];
  if (facts === undefined) return "";
  const metric = metricOf(facts.metric);
  const subject: Subject = {
    ...options,
    contrast,
    metric,
    facts,
    label,
    baseline: contrast.baseline,
  };
  return [leading(subject), ...others(contrast, options.smallestEffect)].join(" ");
}

function leading(subject: Subject): string {
  const { contrast, metric, facts, label, baseline } = subject;
  if (facts.verdict === "incomparable") return incomparable(subject);
  if (facts.effects.includes(null)) return fromNothing(subject);
  if (facts.estimate === null || (metric.effect === "ratio" && facts.estimate === 0)) return nothingLeft(subject);
  const { interval } = facts;
  if (interval === undefined) return points(subject, facts.estimate);
  const figures = measured(subject);
  const range = rangeText(metric, facts.estimate, interval);
  const of = `${metric.name} with ${label} was ${howMuch(metric, facts.estimate, baseline)}`;
  const confidence = `${formatPercent(interval.confidence)} interval`;
  const p = facts.adjustedPValue === null ? "" : `, ${pText(facts.adjustedPValue)}`;
  const basis = `${figures} (${meansNote(subject)}${confidence} ${range}, ${pairsText(contrast.pairs.length)}${p})`;
  switch (facts.verdict) {
    case "better":
    case "worse":
      return `${facts.verdict === "better" ? "Better" : "Worse"}: ${of}: ${basis}${isSmall(facts, subject.smallestEffect) ? `; a difference, but not one of the ${smallest(subject)} that matter` : ""}.`;
    case "equivalent":
      return `No difference that matters: ${of}, and the interval stays within ${smallest(subject)}: ${basis}.`;
    case "undecided":
      return `${excludesNone(subject) ? "Not decided" : "No clear difference"}: ${of}: ${basis}. ${more(subject)}`.trimEnd();
    default:
      return facts.verdict satisfies never;
  }
}

/** Few pairs, or ratios of nothing: what was seen, and no more. */
function points({ contrast, metric, facts, label, baseline }: Subject, estimate: number): string {
  const effects = facts.effects.filter((effect) => effect !== null);
  const count = pairsText(contrast.pairs.length);
  const [min, max] = [Math.min(...effects), Math.max(...effects)];
  const range = rangeText(metric, estimate, { low: min, high: max });
  const basis = effects.length === 1 ? count : `${meansNote({ metric, facts })}${count}, ${range}`;
  const figures = measured({ metric, facts });
  const name = `${metric.name} with ${label}`;
  if (isAboutTheSame(metric, estimate)) {
    const ratio = metric.effect === "ratio" ? `ratio ${formatNumber(estimate)}, ` : "";
    return `${capital(name)} was about the same as that of ${baseline}: ${figures} (${ratio}${basis}).`;
  }
  const neutral = metric.effect === "ratio" ? 1 : 0;
  const how = howMuch(metric, estimate, baseline);
  if (min < neutral && max > neutral) {
    return `No clear difference: ${name} was ${how}, but the pairs disagree: ${figures} (${basis}).`;
  }
  const isWorse = estimate > neutral !== (metric.better === "higher");
  return `${isWorse ? `Worse: ${name}` : capital(name)} was ${how}: ${figures} (${basis}).`;
}

/** A figure is missing or a lower bound. */
function incomparable({ contrast, metric, label, baseline }: Subject): string {
  return `${capital(metric.name)} of ${label} and ${baseline} cannot be compared: in some pair it is a lower bound or not known (${pairsText(contrast.pairs.length)}).`;
}

/** The baseline had nothing in some pair: there are no ratios, and a verdict all the same. */
function fromNothing(subject: Subject): string {
  const { contrast, metric, facts, label, baseline } = subject;
  const pairs = contrast.pairs.length;
  const count = pairsText(pairs);
  const isGoodput = metric.key === "goodput";
  if (facts.baseline === 0 && facts.arm === 0 && facts.balance === 0) {
    return isGoodput
      ? `Neither ${baseline} nor ${label} got anything served (${count}).`
      : `${capital(metric.name)} was 0 with ${baseline} and ${label} (${count}).`;
  }
  const zeros = facts.effects.filter((effect) => effect === null).length;
  const basis = [
    pairs === 1 ? count : `medians of ${count}`,
    ...(zeros === pairs ? [] : [`nothing at all with ${baseline} in ${zeros} of them`]),
    ...decidedBy(facts),
  ].join(", ");
  const from = facts.baseline === 0 ? "nothing" : formatMeasured(metric, facts.baseline);
  const to = facts.arm === 0 ? "nothing" : formatMeasured(metric, facts.arm);
  return `${judged(facts, metric.name)} went from ${from} with ${baseline} to ${to} with ${label} (${basis}).`;
}

/** The arm had nothing in some pair: a mean of ratios says no more than that. */
function nothingLeft({ contrast, metric, facts, label, baseline }: Subject): string {
  const [arm, base] = [formatMeasured(metric, facts.arm), formatMeasured(metric, facts.baseline)];
  const basis = `(${[pairsText(contrast.pairs.length), ...decidedBy(facts)].join(", ")})`;
  const zeros = facts.effects.filter((effect) => effect === 0).length;
  if (zeros < contrast.pairs.length) {
    return `${judged(facts, metric.name)} with ${label} was 0 in ${zeros} of the pairs: ${arm} against ${base} with ${baseline} ${basis}.`;
  }
  return metric.key === "goodput"
    ? `Worse: with ${label} nothing was served, against ${base} with ${baseline} ${basis}.`
    : `${judged(facts, metric.name)} with ${label} was 0, against ${base} with ${baseline} ${basis}.`;
}

/** `Better: goodput`, or `Goodput` where nothing was decided. */
function judged({ verdict }: MetricComparison, name: string): string {
  if (verdict !== "better" && verdict !== "worse") return capital(name);
  return `${verdict === "better" ? "Better" : "Worse"}: ${name}`;
}

function decidedBy({ verdict, adjustedPValue }: MetricComparison): string[] {
  return (verdict === "better" || verdict === "worse") && adjustedPValue !== null ? [pText(adjustedPValue)] : [];
}

/** Where the ratio of the two medians, which anybody works out, is another than the mean of the ratios that is told. */
function meansNote({ metric, facts }: Pick<Subject, "metric" | "facts">): string {
  const { estimate, arm, baseline } = facts;
  if (metric.effect !== "ratio" || estimate === null || arm === null || baseline === null) return "";
  const ofMedians = arm / baseline;
  return Math.abs(estimate / ofMedians - 1) <= SAME_WITHIN
    ? ""
    : "these are medians, the ratio is the geometric mean of the pairs; ";
}

/** What else was decided and matters: all that got worse, and all that got better. The share of ok calls is what goodput said already. */
function others({ metrics }: Facts, smallestEffect: number): string[] {
  const rest = metrics
    .slice(1)
    .filter(({ metric }) => metric !== "okShare" || metrics[0]?.metric !== "goodput")
    .filter((facts) => !isSmall(facts, smallestEffect));
  const listed = (verdict: "better" | "worse"): string =>
    rest
      .filter((facts) => facts.verdict === verdict)
      .map((facts) => {
        const metric = metricOf(facts.metric);
        return `${metric.name} (${formatMeasured(metric, facts.baseline)} to ${formatMeasured(metric, facts.arm)})`;
      })
      .join(", ");
  const [worse, better] = [listed("worse"), listed("better")];
  return [...(worse === "" ? [] : [`Worse in ${worse}.`]), ...(better === "" ? [] : [`Better in ${better}.`])];
}

/** What it takes to know. */
function more(subject: Subject): string {
  const { contrast, facts, level } = subject;
  const pairs = contrast.pairs.length;
  const fewest = pairsForSigns(level);
  if (pairs < fewest) return `${pairs} pairs cannot decide, however clear they are: it takes ${fewest}.`;
  const { suggestedPairs } = contrast;
  if (suggestedPairs === null) return "";
  if (suggestedPairs > pairs) return `About ${suggestedPairs} pairs would find a difference of ${smallest(subject)}.`;
  const isBounded = typeof facts.interval?.low === "number" && typeof facts.interval.high === "number";
  return facts.detectable === null || !isBounded
    ? ""
    : `A difference of ${smallest(subject)} would most likely have been found.`;
}

function measured({ metric, facts }: Pick<Subject, "metric" | "facts">): string {
  return `${formatMeasured(metric, facts.arm)} against ${formatMeasured(metric, facts.baseline)}`;
}

function isAboutTheSame(metric: Metric, estimate: number): boolean {
  return metric.effect === "ratio" ? Math.abs(estimate - 1) < SAME_WITHIN : Math.abs(estimate) < SAME_WITHIN;
}

/** Whether all that the interval holds is less than what matters. */
function isSmall({ effect, interval }: MetricComparison, smallestEffect: number): boolean {
  return isEquivalent(effect, interval, smallestEffect);
}

function smallest({ metric, smallestEffect }: Subject): string {
  return metric.effect === "ratio"
    ? chosenPercent(smallestEffect)
    : metric.unit === "share"
      ? `${chosen(smallestEffect)} percentage points`
      : formatNumber(smallestEffect);
}

/** Whether the interval leaves out "no difference", though the test does not decide. */
function excludesNone({ metric, facts: { interval } }: Subject): boolean {
  const neutral = metric.effect === "ratio" ? 1 : 0;
  return interval !== undefined && ((interval.low ?? neutral) > neutral || (interval.high ?? neutral) < neutral);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
