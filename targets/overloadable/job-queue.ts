interface Node<Job> {
  readonly job: Job;
  next: Node<Job> | undefined;
}

/** A first-in first-out queue with a bound: both ends in O(1) and memory for what waits, not for the bound. */
export class JobQueue<Job> {
  readonly #capacity: number;
  #head: Node<Job> | undefined;
  #tail: Node<Job> | undefined;
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a job, or returns false when the queue is full. */
  push(job: Job): boolean {
    if (this.#length >= this.#capacity) return false;
    const node: Node<Job> = { job, next: undefined };
    if (this.#tail === undefined) this.#head = node;
    else this.#tail.next = node;
    this.#tail = node;
    this.#length += 1;
    return true;
  }

  /** Takes the oldest job, or undefined when nothing waits. */
  shift(): Job | undefined {
    const node = this.#head;
    if (node === undefined) return undefined;
    this.#head = node.next;
    if (this.#head === undefined) this.#tail = undefined;
    this.#length -= 1;
    return node.job;
  }
}
