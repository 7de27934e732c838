import type { Task } from "./ports.ts";

const INITIAL_CAPACITY = 64;

/** A binary heap of tasks by time, tasks of one time by their sequence numbers. O(log n). */
export class TaskHeap {
  #times = new Float64Array(INITIAL_CAPACITY);
  #sequences = new Float64Array(INITIAL_CAPACITY);
  readonly #tasks: Task[] = [];
  size = 0;

  /** Infinity when there is none. */
  get firstSeconds(): number {
    return this.size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] as number);
  }

  get firstSequence(): number {
    return this.#sequences[0] as number;
  }

  push(time: number, sequence: number, task: Task): void {
    if (this.size === this.#times.length) this.#grow();
    let hole = this.size;
    this.size += 1;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const parentTime = this.#times[parent] as number;
      if (parentTime < time || (parentTime === time && (this.#sequences[parent] as number) < sequence)) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#place(hole, time, sequence, task);
  }

  pop(): Task {
    const first = this.#tasks[0] as Task;
    this.size -= 1;
    const last = this.size;
    const task = this.#tasks[last] as Task;
    if (last > 0) this.#sink(this.#times[last] as number, this.#sequences[last] as number, task);
    this.#tasks.length = last;
    return first;
  }

  #sink(time: number, sequence: number, task: Task): void {
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.#before(child + 1, child)) child += 1;
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
    const times = new Float64Array(2 * this.size);
    times.set(this.#times);
    this.#times = times;
    const sequences = new Float64Array(2 * this.size);
    sequences.set(this.#sequences);
    this.#sequences = sequences;
  }
}
