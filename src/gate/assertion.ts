/** An assertion over the figures of a result, as a tree. */

import type { Unit } from "./unit.ts";

export type Comparator = "<" | "<=" | ">" | ">=" | "==" | "!=";
export type Operator = "+" | "-" | "*" | "/";
/** What makes one figure of those of an arm's trials. */
export type Fold = "min" | "max" | "median" | "mean";

/**
 * Where a figure is found: in each trial, once for an arm (what a comparison or a sweep says of it), or once in the result.
 */
export type Scope = "trial" | "arm" | "result";

/** A figure of the result, by its path. */
export interface FigureName {
  readonly scope: Scope;
  /** The path as the result file has it; the last part of a percentile that the file does not have is as in `p99.9Ms`. */
  readonly path: readonly string[];
  readonly unit: Unit;
}

export type Expression =
  | { readonly kind: "number"; readonly value: number }
  /** `5%` has the value 5. */
  | { readonly kind: "percent"; readonly value: number }
  | { readonly kind: "duration"; readonly seconds: number }
  /** @property arm undefined: the arm that the assertion is evaluated for. */
  | { readonly kind: "figure"; readonly arm: string | undefined; readonly figure: FigureName }
  | { readonly kind: "negate"; readonly operand: Expression }
  | {
      readonly kind: "binary";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** The operand is evaluated for each trial of one arm. */
  | { readonly kind: "fold"; readonly fold: Fold; readonly operand: Expression };

export interface Assertion {
  /** As it was written. */
  readonly text: string;
  readonly left: Expression;
  readonly comparator: Comparator;
  readonly right: Expression;
}

/** The arms that a figure in the expression names itself; undefined stands for the arm that it is evaluated for. */
export function armsIn(expression: Expression): ReadonlySet<string | undefined> {
  const arms = new Set<string | undefined>();
  for (const { arm, figure } of figuresIn(expression)) if (figure.scope !== "result") arms.add(arm);
  return arms;
}

/** All figures of an expression, from left to right. */
export function figuresIn(expression: Expression): readonly Extract<Expression, { readonly kind: "figure" }>[] {
  switch (expression.kind) {
    case "number":
    case "percent":
    case "duration":
      return [];
    case "figure":
      return [expression];
    case "negate":
    case "fold":
      return figuresIn(expression.operand);
    case "binary":
      return [...figuresIn(expression.left), ...figuresIn(expression.right)];
    default:
      return expression satisfies never;
  }
}
