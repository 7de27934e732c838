/** A load balancer: which backend an attempt goes to. */

import type { BackendsSpec } from "../../engine/trial-spec.ts";

/** O(1) a pick, O(backends) where the least loaded one is looked for. Allocates nothing. */
export class Balancer {
  readonly #count: number;
  readonly #balance: BackendsSpec["balance"];
  /** By backend: attempts handed on that have not been answered and whose clients have not given up. */
  readonly #load: Uint32Array;
  /** The one that got the last attempt; ties go to the next after it. */
  #last: number;

  constructor({ count, balance }: BackendsSpec) {
    this.#count = count;
    this.#balance = balance;
    this.#load = new Uint32Array(count);
    this.#last = count - 1;
  }

  /** Whether it must be told when an attempt that it handed on is over. */
  get counts(): boolean {
    return this.#balance === "least-loaded";
  }

  pick(user: number): number {
    switch (this.#balance) {
      case "round-robin":
        this.#last = this.#after(this.#last);
        return this.#last;
      case "least-loaded":
        this.#last = this.#leastLoaded();
        return this.#last;
      case "pinned":
        return user % this.#count;
      default:
        return this.#balance satisfies never;
    }
  }

  handedOn(backend: number): void {
    this.#load[backend] = (this.#load[backend] as number) + 1;
  }

  /** It was answered, or its client gave up. */
  over(backend: number): void {
    this.#load[backend] = (this.#load[backend] as number) - 1;
  }

  #leastLoaded(): number {
    let least = this.#after(this.#last);
    let candidate = least;
    for (let looked = 1; looked < this.#count; looked += 1) {
      candidate = this.#after(candidate);
      if ((this.#load[candidate] as number) < (this.#load[least] as number)) least = candidate;
    }
    return least;
  }

  #after(backend: number): number {
    return backend + 1 === this.#count ? 0 : backend + 1;
  }
}
