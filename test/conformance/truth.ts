/** What a server knows of what happened to it: the truth against which a generator's report is held. */

/** How a request ended, seen from the server. */
export type Fate =
  /** A whole final answer was handed to the kernel while the client was still there. */
  | "answered"
  /** The server ended the connection before the answer was whole. */
  | "brokenOff"
  /** The client was gone first. */
  | "left";

export interface Truth {
  /** Connections taken. */
  readonly connections: number;
  /** Of these, the ones that are open now. */
  readonly open: number;
  /** Whole requests read: the sum of `answered`, `brokenOff`, `left` and `waiting`. */
  readonly requests: number;
  /** By the status of the final answer. */
  readonly answered: Readonly<Record<string, number>>;
  readonly brokenOff: number;
  readonly left: number;
  readonly waiting: number;
  /** From the first request to the last, in seconds. */
  readonly spanSeconds: number;
  /** From having read a request to having written the last byte of its answer with 200. */
  readonly okService: ServiceTimes;
}

/** Exact, by nearest rank; zeros when there are none. */
export interface ServiceTimes {
  readonly count: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How many service times are kept; more end the process that asked for them. */
const TIMES_MAX = 20_000_000;

export class TruthRecorder {
  #connections = 0;
  #open = 0;
  #requests = 0;
  #firstMs = 0;
  #lastMs = 0;
  readonly #answered = new Map<number, number>();
  readonly #ended = { answered: 0, brokenOff: 0, left: 0 };
  readonly #okMs: number[] = [];

  connected(): void {
    this.#connections += 1;
    this.#open += 1;
  }

  disconnected(): void {
    this.#open -= 1;
  }

  /** @returns the number of the request, the first is 0. */
  requested(atMs: number): number {
    if (this.#requests === 0) this.#firstMs = atMs;
    this.#lastMs = atMs;
    this.#requests += 1;
    return this.#requests - 1;
  }

  /** @param status of the answer; only where there was one. */
  ended(fate: Fate, tookMs: number, status = 0): void {
    this.#ended[fate] += 1;
    if (fate !== "answered") return;
    this.#answered.set(status, (this.#answered.get(status) ?? 0) + 1);
    if (status !== 200) return;
    if (this.#okMs.length === TIMES_MAX) throw new RangeError(`Cannot keep more than ${TIMES_MAX} service times`);
    this.#okMs.push(tookMs);
  }

  truth(): Truth {
    const { answered, brokenOff, left } = this.#ended;
    return {
      connections: this.#connections,
      open: this.#open,
      requests: this.#requests,
      answered: Object.fromEntries([...this.#answered].map(([status, count]) => [String(status), count])),
      brokenOff,
      left,
      waiting: this.#requests - answered - brokenOff - left,
      spanSeconds: (this.#lastMs - this.#firstMs) / 1000,
      okService: serviceTimes(this.#okMs),
    };
  }
}

function serviceTimes(timesMs: readonly number[]): ServiceTimes {
  const sorted = Float64Array.from(timesMs).sort();
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return {
    count: sorted.length,
    meanMs: sorted.length > 0 ? sum / sorted.length : 0,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
  };
}
