import type { Assertion } from "../../src/gate/assertion.ts";
import { formatExpression } from "../../src/gate/format.ts";

export function formatAssertion({ left, comparator, right }: Omit<Assertion, "text">): string {
  return `${formatExpression(left)} ${comparator} ${formatExpression(right)}`;
}
