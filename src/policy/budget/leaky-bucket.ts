/** A bucket whose tokens and debts both expire. */

import type { SlicedSum } from "../sliced-sum.ts";

/**
 * The tokens of the last span and a fixed reserve; what is taken goes in as a negative amount and expires too, which is how
 * the reserve refills. Source: twitter/util util-core/src/main/scala/com/twitter/util/TokenBucket.scala (`newLeakyBucket`).
 */
export class LeakyBucket {
  private readonly sum: SlicedSum;
  private readonly reserve: number;

  constructor(sum: SlicedSum, reserve: number) {
    this.sum = sum;
    this.reserve = reserve;
  }

  /** @param now in the unit of the sum. */
  put(amount: number, now: number): void {
    this.sum.moveTo(now);
    this.sum.add(amount);
  }

  /** Takes `amount` if there is that much. */
  take(amount: number, now: number): boolean {
    this.sum.moveTo(now);
    if (!(this.sum.total + this.reserve >= amount)) return false;
    this.sum.add(-amount);
    return true;
  }
}
