/** Tasks by time, tasks of one time in the order they came: the event queue of both worlds. */

import type { Task } from "./ports.ts";
import { TaskHeap } from "./task-heap.ts";
import { TaskLine } from "./task-line.ts";

/**
 * Two places. Most tasks come in the order of their times (the answers of a backend whose delay is constant do, however many
 * are under way): they stand in line, O(1) each, in memory that is read in order. The others lie in a binary heap, O(log n).
 * A last one in line that would keep newcomers out (a bound far ahead) goes to the heap itself.
 *
 * Times and sequence numbers lie in typed arrays, so that pushing and popping allocate nothing.
 */
export class TaskQueue {
  readonly #line = new TaskLine();
  readonly #heap = new TaskHeap();
  #pushed = 0;

  get size(): number {
    return this.#line.size + this.#heap.size;
  }

  /** Time of the first task; infinity when there is none. */
  get nextSeconds(): number {
    const line = this.#line.firstSeconds;
    const heap = this.#heap.firstSeconds;
    return line < heap ? line : heap;
  }

  push(timeSeconds: number, task: Task): void {
    const line = this.#line;
    this.#pushed += 1;
    if (timeSeconds < line.lastSeconds) {
      if (timeSeconds < line.lastButOneSeconds) {
        this.#heap.push(timeSeconds, this.#pushed, task);
        return;
      }
      line.moveLastTo(this.#heap);
    }
    line.push(timeSeconds, this.#pushed, task);
  }

  /** Takes the first task out. Must not be called on an empty queue. */
  pop(): Task {
    const line = this.#line;
    const heap = this.#heap;
    const lineTime = line.firstSeconds;
    const heapTime = heap.firstSeconds;
    const fromLine = lineTime === heapTime ? line.firstSequence < heap.firstSequence : lineTime < heapTime;
    return fromLine ? line.pop() : heap.pop();
  }
}
