/** Expressions at random, and what they come to by an evaluator that shares nothing with the real one. */

import fc from "fast-check";
import type { Expression, Fold, Operator } from "../../src/gate/assertion.ts";
import { findFigure } from "../../src/gate/catalogue.ts";

const RATES = ["goodput", "offered", "sent", "accepted"] as const;
const FOLDS: readonly Fold[] = ["min", "max", "median", "mean"];

/** Figures of one unit, so that they can be added, and numbers; quotients are never of a rate and a count. */
export function rateExpression(arms: readonly (string | undefined)[]): fc.Arbitrary<Expression> {
  const figure = fc.record({
    kind: fc.constant("figure" as const),
    arm: fc.constantFrom(...arms),
    figure: fc.constantFrom(...RATES).map((name) => findFigure([name])!),
  });
  const number = fc.record({
    kind: fc.constant("number" as const),
    value: fc
      .double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true })
      .map((value) => (value === 0 ? 0 : value)),
  });
  const withoutFold = tree(
    fc.oneof(
      figure.map((each) => ({ ...each, arm: undefined })),
      number,
    ),
  );
  const fold = fc
    .record({ kind: fc.constant("fold" as const), fold: fc.constantFrom(...FOLDS), operand: withoutFold })
    .filter(({ operand }) => names(operand));
  return tree(
    fc.oneof({ weight: 4, arbitrary: figure }, { weight: 4, arbitrary: number }, { weight: 1, arbitrary: fold }),
  );
}

/** Sums and negations of rates and numbers: all of them have a unit. */
function tree(leaf: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  return fc.letrec<{ node: Expression }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      fc.record({ kind: fc.constant("negate" as const), operand: tie("node") }),
      fc.record({
        kind: fc.constant("binary" as const),
        operator: fc.constantFrom<Operator>("+", "-"),
        left: tie("node"),
        right: tie("node"),
      }),
      fc.record({
        kind: fc.constant("binary" as const),
        operator: fc.constantFrom<Operator>("*", "/"),
        left: tie("node"),
        right: fc.integer({ min: 0, max: 9 }).map((value): Expression => ({ kind: "number", value })),
      }),
    ),
  })).node;
}

function names(expression: Expression): boolean {
  return JSON.stringify(expression).includes('"figure"');
}

/** Any tree that the grammar can write, whatever its units. */
export function anyExpression(): fc.Arbitrary<Expression> {
  const arm = fc.option(fc.string({ unit: "grapheme", maxLength: 8 }), { nil: undefined });
  const paths = [
    "rates.goodput",
    "latency.response.ok.p95Ms",
    "latency.wait.p99.9Ms",
    "statuses.503",
    "calls.ok",
    "waste",
  ];
  const figure = fc.oneof(
    fc.constantFrom(...paths).map((path) => findFigure(path.split("."))!),
    fc.string({ unit: "grapheme", minLength: 1 }).map((code) => findFigure(["errors", code])!),
  );
  const positive = fc
    .double({ min: 0, noNaN: true, noDefaultInfinity: true })
    .map((value) => (value === 0 ? 0 : value));
  return tree(
    fc.oneof(
      fc.record({ kind: fc.constant("figure" as const), arm, figure }),
      positive.map((value): Expression => ({ kind: "number", value })),
    ),
  );
}

/** A duration or a percentage alone: beside a rate they have no unit in common. */
export const literal: fc.Arbitrary<Expression> = fc.oneof(
  fc
    .double({ min: 0, max: 1e9, noNaN: true })
    .map((value): Expression => ({ kind: "duration", seconds: value === 0 ? 0 : value })),
  fc
    .double({ min: 0, max: 1e9, noNaN: true })
    .map((value): Expression => ({ kind: "percent", value: value === 0 ? 0 : value })),
);

export type Trial = Readonly<Record<(typeof RATES)[number], number>>;

/** By hand: the value, or NaN where there is none. */
export function byHand(expression: Expression, arms: Readonly<Record<string, readonly Trial[]>>, arm: string): number {
  const median = (values: readonly number[]): number => {
    const sorted = [...values].sort((a, b) => a - b);
    const middle = (sorted.length - 1) / 2;
    const [low, high] = [sorted[Math.floor(middle)]!, sorted[Math.ceil(middle)]!];
    return low === high ? low : low / 2 + high / 2;
  };
  const at = (node: Expression, trial: Trial | undefined): number => {
    switch (node.kind) {
      case "number":
        return node.value;
      case "figure": {
        const name = node.figure.path.at(-1) as keyof Trial;
        return trial === undefined ? median(arms[node.arm ?? arm]!.map((each) => each[name])) : trial[name];
      }
      case "negate":
        return -at(node.operand, trial);
      case "binary": {
        const [a, b] = [at(node.left, trial), at(node.right, trial)];
        if (node.operator === "/") return b === 0 ? Number.NaN : a / b;
        return node.operator === "+" ? a + b : node.operator === "-" ? a - b : a * b;
      }
      case "fold": {
        const values = arms[arm]!.map((each) => at(node.operand, each));
        if (values.some(Number.isNaN)) return Number.NaN;
        if (node.fold === "median") return median(values);
        if (node.fold === "mean") return values.reduce((total, value) => total + value, 0) / values.length;
        return node.fold === "min" ? Math.min(...values) : Math.max(...values);
      }
      default:
        throw new Error(`Not by hand: ${node.kind}`);
    }
  };
  return at(expression, undefined);
}
