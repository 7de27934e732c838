/** A clock and random numbers that a test sets by hand. */

import { readFileSync } from "node:fs";
import { CallRecord } from "../../src/policy/call-record.ts";
import type { Clock, Random } from "../../src/policy/policy.ts";

export class ManualClock implements Clock {
  seconds: number;

  constructor(seconds = 0) {
    this.seconds = seconds;
  }

  now(): number {
    return this.seconds;
  }
}

/** Gives the numbers of a list in order, then its last one for ever, and counts the draws. */
export class ScriptedRandom implements Random {
  draws = 0;
  readonly numbers: readonly number[];

  constructor(...numbers: readonly number[]) {
    this.numbers = numbers;
  }

  random(): number {
    const number = this.numbers[Math.min(this.draws, this.numbers.length - 1)];
    this.draws++;
    if (number === undefined) throw new Error("the test drew a number that it did not expect");
    return number;
  }
}

export function attemptNumber(attempt: number): CallRecord {
  const call = new CallRecord();
  call.attempt = attempt;
  return call;
}

export function readGolden<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../golden/${file}`, import.meta.url), "utf8")) as T;
}
