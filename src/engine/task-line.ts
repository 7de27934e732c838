import type { Task } from "./ports.ts";
import type { TaskHeap } from "./task-heap.ts";

/** Capacities are powers of two, so that a place wraps with a mask. */
const INITIAL_CAPACITY = 64;

/** Tasks whose times do not decrease, in a ring that doubles when it is full. */
export class TaskLine {
  #times = new Float64Array(INITIAL_CAPACITY);
  #sequences = new Float64Array(INITIAL_CAPACITY);
  readonly #tasks: (Task | undefined)[] = new Array<undefined>(INITIAL_CAPACITY).fill(undefined);
  #head = 0;
  size = 0;
  /** Infinity when there is none. */
  firstSeconds = Number.POSITIVE_INFINITY;
  /** Minus infinity when there is none: anything may follow. */
  lastSeconds = Number.NEGATIVE_INFINITY;

  get firstSequence(): number {
    return this.#sequences[this.#head] as number;
  }

  get lastButOneSeconds(): number {
    return this.size < 2 ? Number.NEGATIVE_INFINITY : (this.#times[this.#place(this.size - 2)] as number);
  }

  push(timeSeconds: number, sequence: number, task: Task): void {
    if (this.size === this.#times.length) this.#grow();
    const place = this.#place(this.size);
    this.#times[place] = timeSeconds;
    this.#sequences[place] = sequence;
    this.#tasks[place] = task;
    if (this.size === 0) this.firstSeconds = timeSeconds;
    this.lastSeconds = timeSeconds;
    this.size += 1;
  }

  pop(): Task {
    const task = this.#tasks[this.#head] as Task;
    this.#tasks[this.#head] = undefined;
    this.#head = this.#place(1);
    this.#shrink();
    return task;
  }

  moveLastTo(heap: TaskHeap): void {
    const place = this.#place(this.size - 1);
    heap.push(this.#times[place] as number, this.#sequences[place] as number, this.#tasks[place] as Task);
    this.#tasks[place] = undefined;
    this.lastSeconds = this.lastButOneSeconds;
    this.#shrink();
  }

  #shrink(): void {
    this.size -= 1;
    if (this.size > 0) this.firstSeconds = this.#times[this.#head] as number;
    else {
      this.firstSeconds = Number.POSITIVE_INFINITY;
      this.lastSeconds = Number.NEGATIVE_INFINITY;
    }
  }

  /** Where the task stands that is `behind` the first one. */
  #place(behind: number): number {
    return (this.#head + behind) & (this.#times.length - 1);
  }

  #grow(): void {
    const capacity = this.#times.length;
    this.#times = unrolled(this.#times, this.#head);
    this.#sequences = unrolled(this.#sequences, this.#head);
    const tasks = this.#tasks;
    const inOrder = [...tasks.slice(this.#head), ...tasks.slice(0, this.#head)];
    for (let place = 0; place < 2 * capacity; place += 1) tasks[place] = inOrder[place];
    this.#head = 0;
  }
}

/** A full ring in one of twice its length, from the start. */
function unrolled(ring: Float64Array, head: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(2 * ring.length);
  longer.set(ring.subarray(head), 0);
  longer.set(ring.subarray(0, head), ring.length - head);
  return longer;
}
