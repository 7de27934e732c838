/** A binary heap of tasks by time, tasks of one time in the order they came: the event queue of both worlds. */

import type { Task } from "./ports.ts";

const INITIAL_CAPACITY = 64;

/** Times and sequence numbers lie in typed arrays, so that pushing and popping allocate nothing. O(log n). */
export class TaskQueue {
  #times = new Float64Array(INITIAL_CAPACITY);
  #sequences = new Float64Array(INITIAL_CAPACITY);
  readonly #tasks: Task[] = [];
  #size = 0;
  #pushed = 0;

  get size(): number {
    return this.#size;
  }

  /** Time of the first task; infinity when there is none. */
  get nextSeconds(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] as number);
  }

  push(timeSeconds: number, task: Task): void {
    if (this.#size === this.#times.length) this.#grow();
    this.#pushed += 1;
    const sequence = this.#pushed;
    let hole = this.#size;
    this.#size += 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      // A newcomer has the highest sequence: it stays below a parent of the same time.
      if ((this.#times[parent] as number) <= timeSeconds) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#place(hole, timeSeconds, sequence, task);
  }

  /** Takes the first task out. Must not be called on an empty queue. */
  pop(): Task {
    const first = this.#tasks[0] as Task;
    this.#size -= 1;
    const last = this.#size;
    const task = this.#tasks[last] as Task;
    if (last > 0) this.#sink(this.#times[last] as number, this.#sequences[last] as number, task);
    this.#tasks.length = last;
    return first;
  }

  #sink(time: number, sequence: number, task: Task): void {
    let hole = 0;
    const size = this.#size;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#before(child + 1, child)) child += 1;
      const childTime = this.#times[child] as number;
      if (time < childTime || (time === childTime && sequence < (this.#sequences[child] as number))) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#place(hole, time, sequence, task);
  }

  #before(a: number, b: number): boolean {
    const timeA = this.#times[a] as number;
    const timeB = this.#times[b] as number;
    return timeA < timeB || (timeA === timeB && (this.#sequences[a] as number) < (this.#sequences[b] as number));
  }

  #move(from: number, to: number): void {
    this.#place(to, this.#times[from] as number, this.#sequences[from] as number, this.#tasks[from] as Task);
  }

  #place(index: number, time: number, sequence: number, task: Task): void {
    this.#times[index] = time;
    this.#sequences[index] = sequence;
    this.#tasks[index] = task;
  }

  #grow(): void {
    const times = new Float64Array(2 * this.#size);
    times.set(this.#times);
    this.#times = times;
    const sequences = new Float64Array(2 * this.#size);
    sequences.set(this.#sequences);
    this.#sequences = sequences;
  }
}
