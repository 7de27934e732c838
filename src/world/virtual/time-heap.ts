/** Times of which the earliest is wanted: a binary heap in a typed array. */

const INITIAL_CAPACITY = 16;

/** Pushing and popping allocate nothing once it has grown to what it must hold. O(log n); pushing is O(1) for times that come in order. */
export class TimeHeap {
  #times = new Float64Array(INITIAL_CAPACITY);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Infinity when it is empty. */
  get first(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] as number);
  }

  push(seconds: number): void {
    if (this.#size === this.#times.length) this.#grow();
    let hole = this.#size;
    this.#size += 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = this.#times[parent] as number;
      if (above <= seconds) break;
      this.#times[hole] = above;
      hole = parent;
    }
    this.#times[hole] = seconds;
  }

  /** Puts `seconds` in the place of the first one. Must not be called on an empty heap. */
  replaceFirst(seconds: number): void {
    const size = this.#size;
    let hole = 0;
    for (let child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && (this.#times[child + 1] as number) < (this.#times[child] as number)) child += 1;
      const below = this.#times[child] as number;
      if (seconds <= below) break;
      this.#times[hole] = below;
      hole = child;
    }
    this.#times[hole] = seconds;
  }

  /** Drops the times up to `seconds`, that one included. */
  dropUntil(seconds: number): void {
    while (this.first <= seconds) {
      this.#size -= 1;
      if (this.#size > 0) this.replaceFirst(this.#times[this.#size] as number);
    }
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#size);
    times.set(this.#times);
    this.#times = times;
  }
}
