/** Arithmetic with values in their units. */

import { type Known, known, missing } from "./known.ts";
import { negated, product, quotient, type Span, sum } from "./span.ts";
import { BARE, commonUnit, convert, isScalar, productUnit, quotientUnit, toBase, type Unit } from "./unit.ts";

/** A value in its unit. */
export interface Measured {
  readonly value: Known;
  readonly unit: Unit;
}

export function negatedOf({ value, unit }: Measured): Measured {
  return { value: value.kind === "missing" ? value : known(negated(value.span)), unit };
}

export function sumOf(a: Measured, b: Measured): Measured {
  const unit = commonUnit(a.unit, b.unit) ?? BARE;
  return { unit, value: both(inUnit(a, unit), inUnit(b, unit), (x, y) => known(sum(x, y))) };
}

export function productOf(a: Measured, b: Measured): Measured {
  return { unit: productUnit(a.unit, b.unit), value: both(...factors(a, b), (x, y) => known(product(x, y))) };
}

/** @param zero the reason for which there is no quotient where the divisor may be zero. */
export function quotientOf(a: Measured, b: Measured, zero: () => string): Measured {
  const [above, below] = isScalar(b.unit) ? [a.value, b.value] : [inBase(a), inBase(b)];
  const value = both(above, below, (x, y) => {
    const span = quotient(x, y);
    return span === undefined ? missing(zero()) : known(span);
  });
  return { unit: quotientUnit(a.unit, b.unit) ?? BARE, value };
}

/** The value in another unit of the same dimension. */
export function inUnit({ value, unit }: Measured, to: Unit): Known {
  return mapped(value, (each) => convert(each, unit, to));
}

/** A factor without a dimension leaves milliseconds what they are; others are multiplied in seconds. */
function factors(a: Measured, b: Measured): readonly [Known, Known] {
  return isScalar(a.unit) || isScalar(b.unit) ? [a.value, b.value] : [inBase(a), inBase(b)];
}

/** The first that is missing, or what is made of the two. */
function both(a: Known, b: Known, of: (a: Span, b: Span) => Known): Known {
  if (a.kind === "missing") return a;
  return b.kind === "missing" ? b : of(a.span, b.span);
}

function inBase({ value, unit }: Measured): Known {
  return mapped(value, (each) => toBase(each, unit));
}

function mapped(value: Known, of: (value: number) => number): Known {
  return value.kind === "missing" ? value : known({ low: of(value.span.low), high: of(value.span.high) });
}
