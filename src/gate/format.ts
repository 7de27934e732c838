/** An expression as text again, with the full paths of its figures: an assertion of it is read back as the same tree. */

import type { Expression, FigureName, Operator } from "./assertion.ts";

const PRECEDENCE: Readonly<Record<Operator, number>> = { "+": 1, "-": 1, "*": 2, "/": 2 };
const TIGHTEST = 3;
const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/u;
/** A part after the first: `503`, `p99.9Ms`. */
const PART = /^(?:[A-Za-z0-9_]+|p\d+\.\d+Ms)$/u;

export function formatExpression(expression: Expression): string {
  switch (expression.kind) {
    case "number":
      return String(expression.value);
    case "percent":
      return `${expression.value}%`;
    case "duration":
      return `${plainDecimal(expression.seconds)}s`;
    case "figure":
      return (expression.arm === undefined ? "" : `${word(expression.arm)}:`) + formatFigureName(expression.figure);
    case "negate":
      return `-${within(expression.operand, TIGHTEST)}`;
    case "fold":
      return `${expression.fold}(${formatExpression(expression.operand)})`;
    case "binary": {
      const { operator, left, right } = expression;
      const precedence = PRECEDENCE[operator];
      // To the right of an operator of its own rank only parentheses keep the order.
      return `${within(left, precedence)} ${operator} ${within(right, precedence + 1)}`;
    }
    default:
      return expression satisfies never;
  }
}

function formatFigureName({ path }: FigureName): string {
  return path.map((part, index) => (index === 0 ? word(part) : PART.test(part) ? part : quoted(part))).join(".");
}

function within(expression: Expression, precedence: number): string {
  const text = formatExpression(expression);
  return expression.kind === "binary" && PRECEDENCE[expression.operator] < precedence ? `(${text})` : text;
}

function word(name: string): string {
  return WORD.test(name) ? name : quoted(name);
}

function quoted(name: string): string {
  return `"${name.replace(/["\\]/gu, "\\$&")}"`;
}

/** Without an exponent, which durations are not written with. */
function plainDecimal(value: number): string {
  const [digits = "0", exponent] = String(value).split("e");
  if (exponent === undefined) return digits;
  const [whole = "0", fraction = ""] = digits.split(".");
  const shift = Number(exponent);
  const all = whole + fraction;
  const point = whole.length + shift;
  if (point <= 0) return `0.${"0".repeat(-point)}${all}`;
  return point >= all.length ? all.padEnd(point, "0") : `${all.slice(0, point)}.${all.slice(point)}`;
}
