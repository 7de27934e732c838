/** Whether an assertion holds of a result. A figure that does not exist fails it, and so does one that cannot be told. */

import { isSearch } from "../figures/is-search.ts";
import type { AssertionOutcome } from "../result/design-schema.ts";
import type { Result, TrialResult } from "../result/schema.ts";
import { median } from "../stats/median.ts";
import { type Assertion, armsIn, type Comparator, type Expression, type Fold } from "./assertion.ts";
import { shortName } from "./catalogue.ts";
import { formatExpression } from "./format.ts";
import { type Known, known, type Missing, missing } from "./known.ts";
import { armsOf, baselinesOf, figureOfArm, figureOfResult, trialsThatCount } from "./lookup.ts";
import { inUnit, type Measured, negatedOf, productOf, quotientOf, sumOf } from "./measured.ts";
import { isPoint, point, type Span } from "./span.ts";
import { figureOfTrial, type PercentileReader, whyNotOfSearch } from "./trial-lookup.ts";
import { BARE, commonUnit, PLAIN, SECONDS, SHARE, type Unit } from "./unit.ts";
import { sidesText } from "./value-text.ts";

export interface EvaluateOptions {
  /** Reads percentiles that the result file does not have; without it they fail an assertion. */
  readonly percentile?: PercentileReader;
}

/**
 * An outcome for each arm that the assertion is about: all but the baseline where a result compares arms, every cell of a
 * sweep, the only arm of a run; one outcome where the assertion names its arms itself, or asks of none.
 *
 * Never throws on a result that keeps its schema.
 */
export function evaluate(assertion: Assertion, result: Result, options: EvaluateOptions = {}): AssertionOutcome[] {
  const asked = new Set([...armsIn(assertion.left), ...armsIn(assertion.right)]);
  if (!asked.has(undefined)) return [evaluateForArm(assertion, result, "", options)];
  const arms = subjectsOf(result);
  if (arms.length > 0) return arms.map((arm) => evaluateForArm(assertion, result, arm, options));
  return [
    { text: assertion.text, arm: "", holds: false, left: null, right: null, message: "There is no arm to ask it of." },
  ];
}

/** The arms that figures without an arm of their own are of. */
function subjectsOf(result: Result): readonly string[] {
  const arms = armsOf(result);
  const all = result.command === "sweep" || result.command === "recovery" || arms.length === 1;
  return all ? arms : arms.filter((arm) => !baselinesOf(result).has(arm));
}

/** The outcome for one arm, whatever else the result compares. */
export function evaluateForArm(
  assertion: Assertion,
  result: Result,
  arm: string,
  options: EvaluateOptions = {},
): AssertionOutcome {
  const { text, comparator } = assertion;
  const evaluator = new Evaluator(result, arm, options);
  const left = evaluator.value(assertion.left);
  const right = evaluator.value(assertion.right);
  const common = commonUnit(left.unit, right.unit) ?? BARE;
  const sides = [inUnit(left, common), inUnit(right, common)] as const;
  const cut = evaluator.cut ? " (of a trial that was cut short)" : "";
  const failure = sides.find((side): side is Missing => side.kind === "missing");
  const outcome = { text, arm, left: numberOf(sides[0]), right: numberOf(sides[1]) };
  const [a, b] = sides;
  if (failure !== undefined || a.kind === "missing" || b.kind === "missing") {
    return { ...outcome, holds: false, message: `It cannot hold: ${failure?.reason ?? ""}${cut}.` };
  }
  const holds = always(a.span, comparator, b.span);
  const [shownLeft, shownRight] = sidesText(a.span, b.span, common);
  const shown = `${shownLeft} ${comparator} ${shownRight}`;
  if (holds) return { ...outcome, holds, message: `${shown}${cut}.` };
  const isKnown = isPoint(a.span) && isPoint(b.span);
  const canBe = !isKnown && !always(a.span, OPPOSITE[comparator], b.span);
  const why = canBe ? ` cannot be told: ${boundText(a.span, b.span)}` : " is false";
  return { ...outcome, holds, message: `${shown}${why}${cut}.` };
}

class Evaluator {
  readonly #result: Result;
  readonly #arm: string;
  readonly #options: EvaluateOptions;
  /** In a fold: the trial that is looked at. */
  #trial: TrialResult | undefined;
  /** Whether a figure is of a trial that was cut short. */
  cut = false;

  constructor(result: Result, arm: string, options: EvaluateOptions) {
    this.#result = result;
    this.#arm = arm;
    this.#options = options;
  }

  value(expression: Expression): Measured {
    switch (expression.kind) {
      case "number":
        return { value: known(point(expression.value)), unit: BARE };
      case "percent":
        return { value: known(point(expression.value / 100)), unit: SHARE };
      case "duration":
        return { value: known(point(expression.seconds)), unit: SECONDS };
      case "figure":
        return { value: this.#figure(expression), unit: expression.figure.unit };
      case "negate":
        return negatedOf(this.value(expression.operand));
      case "fold":
        return this.#fold(expression.fold, expression.operand);
      case "binary":
        return this.#binary(expression);
      default:
        return expression satisfies never;
    }
  }

  #figure({ arm: named, figure }: Extract<Expression, { readonly kind: "figure" }>): Known {
    const arm = named ?? this.#arm;
    switch (figure.scope) {
      case "result":
        return figureOfResult(this.#result, figure);
      case "arm":
        return this.#knowsArm(arm) ?? figureOfArm(this.#result, arm, figure);
      case "trial":
        return this.#trial === undefined
          ? this.#overTrials(arm, "median", (trial) => this.#ofTrial(trial, figure.path))
          : this.#ofTrial(this.#trial, figure.path);
      default:
        return figure.scope satisfies never;
    }
  }

  #fold(fold: Fold, operand: Expression): Measured {
    const arm = [...armsIn(operand)][0] ?? this.#arm;
    let unit: Unit = PLAIN;
    const value = this.#overTrials(arm, fold, (trial) => {
      this.#trial = trial;
      const measured = this.value(operand);
      this.#trial = undefined;
      unit = measured.unit;
      return measured.value;
    });
    return { value, unit };
  }

  #overTrials(arm: string, fold: Fold, of: (trial: TrialResult) => Known): Known {
    const unknown = this.#knowsArm(arm);
    if (unknown !== undefined) return unknown;
    const { trials, cut } = trialsThatCount(this.#result, arm);
    if (trials.length === 0) return missing(`${arm} has no trial`);
    this.cut ||= cut;
    const spans: Span[] = [];
    for (const trial of trials) {
      const value = of(trial);
      if (value.kind === "missing") {
        return trials.length === 1 ? value : missing(`in trial ${trial.pair + 1} of ${arm}, ${value.reason}`);
      }
      spans.push(value.span);
    }
    return known({
      low: foldNumbers(
        fold,
        spans.map(({ low }) => low),
      ),
      high: foldNumbers(
        fold,
        spans.map(({ high }) => high),
      ),
    });
  }

  #ofTrial(trial: TrialResult, path: readonly string[]): Known {
    const none = isSearch(this.#result) ? whyNotOfSearch(path) : undefined;
    return none === undefined ? figureOfTrial(trial, path, this.#options.percentile) : missing(none);
  }

  #knowsArm(arm: string): Missing | undefined {
    const arms = armsOf(this.#result);
    return arms.includes(arm) ? undefined : missing(`there is no arm '${arm}': the arms are ${arms.join(", ")}`);
  }

  #binary({ operator, left, right }: Extract<Expression, { readonly kind: "binary" }>): Measured {
    const a = this.value(left);
    const b = this.value(right);
    switch (operator) {
      case "+":
        return sumOf(a, b);
      case "-":
        return sumOf(a, negatedOf(b));
      case "*":
        return productOf(a, b);
      case "/":
        return quotientOf(a, b, () => zeroDivision(right));
      default:
        return operator satisfies never;
    }
  }
}

function zeroDivision(divisor: Expression): string {
  const text = divisor.kind === "figure" ? shortName(divisor.figure.path) : formatExpression(divisor);
  return `it divides by ${text}, which is zero`;
}

function foldNumbers(fold: Fold, values: readonly number[]): number {
  switch (fold) {
    case "min":
      return Math.min(...values);
    case "max":
      return Math.max(...values);
    case "median":
      return median(values);
    case "mean":
      return values.reduce((total, value) => total + value, 0) / values.length;
    default:
      return fold satisfies never;
  }
}

const OPPOSITE: Readonly<Record<Comparator, Comparator>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
  "==": "!=",
  "!=": "==",
};

/** Whether it holds wherever the true values lie. */
function always(a: Span, comparator: Comparator, b: Span): boolean {
  switch (comparator) {
    case "<":
      return a.high < b.low;
    case "<=":
      return a.high <= b.low;
    case ">":
      return a.low > b.high;
    case ">=":
      return a.low >= b.high;
    case "==":
      return isPoint(a) && isPoint(b) && a.low === b.low;
    case "!=":
      return a.high < b.low || a.low > b.high;
    default:
      return comparator satisfies never;
  }
}

function boundText(left: Span, right: Span): string {
  const which = isPoint(left) ? "the right side" : isPoint(right) ? "the left side" : "each side";
  return `of ${which} only a bound is known, as it rests on calls that were cut off (time-outs)`;
}

/** For the result file: the value, or the bound that is known of it. */
function numberOf(value: Known): number | null {
  if (value.kind === "missing") return null;
  const { low, high } = value.span;
  return Number.isFinite(low) ? low : Number.isFinite(high) ? high : null;
}
