/** The rows of the conformance table: what is done to a generator, and which of its figures are then looked at. */

import type { PathologyName } from "./pathologies.ts";

export interface Row {
  readonly name: string;
  readonly pathology: PathologyName;
  readonly rps: number;
  readonly seconds: number;
  readonly timeoutSeconds: number;
  /** Whether ten connections suffice for the rate: then whoever was asked for it has no excuse. */
  readonly sustainable: boolean;
  /** Where the truth about latency comes from; undefined: only counts are compared. */
  readonly latency?: LatencyTruth;
  /** Why this tool is wrong here over undici, where it is and we know. */
  readonly overUndici?: string;
}

export type LatencyTruth =
  /** The server's own times from request to answer: nothing on the way adds to them. */
  | { readonly kind: "service" }
  /** The server is stopped (SIGSTOP) for a time, from so long after its first request. */
  | { readonly kind: "stall"; readonly afterSeconds: number; readonly forSeconds: number }
  /** The kernel turned connections away, and each waits for at least this long before it tries again (RFC 6298, 2.1). */
  | { readonly kind: "turned-away"; readonly atLeastMs: number };

const QUICK_SECONDS = 1;
const QUICK_STALL = { seconds: 4, latency: { kind: "stall", afterSeconds: 1, forSeconds: 1 } } as const;
const SERVICE: LatencyTruth = { kind: "service" };

const behaves = (pathology: PathologyName, change: Partial<Row> = {}): Row => ({
  name: pathology,
  pathology,
  rps: 400,
  seconds: 2,
  timeoutSeconds: 1,
  sustainable: true,
  ...change,
});

export const ROWS: readonly Row[] = [
  behaves("fixed", { rps: 500, seconds: 5, latency: SERVICE }),
  behaves("exponential", { rps: 500, seconds: 5, latency: SERVICE }),
  behaves("instant", {
    name: "stall",
    rps: 500,
    seconds: 12,
    timeoutSeconds: 5,
    sustainable: false,
    latency: { kind: "stall", afterSeconds: 4, forSeconds: 2 },
  }),
  behaves("half-503", { seconds: 5, latency: SERVICE }),
  behaves("black-hole", { rps: 100, sustainable: false }),
  behaves("connect-delay", {
    timeoutSeconds: 10,
    sustainable: false,
    latency: { kind: "turned-away", atLeastMs: 1000 },
  }),
  behaves("idle-close", { rps: 200 }),
  behaves("endless-headers", { rps: 100, sustainable: false }),
  behaves("endless-body", { rps: 100, sustainable: false }),
  behaves("half-close"),
  behaves("garbage"),
  behaves("interim-103", { seconds: 5, latency: SERVICE }),
  behaves("interim-100", {
    seconds: 5,
    latency: SERVICE,
    overUndici:
      "undici refuses a 100 that nobody asked for, though a client may simply discard it (RFC 9110, 15.2.1): counted as failed, and the trial is invalid",
  }),
  behaves("trickle", { rps: 20, seconds: 3, latency: SERVICE }),
  behaves("reset"),
];

/** The same in less time. */
export function quick(row: Row): Row {
  return row.latency?.kind === "stall" ? { ...row, ...QUICK_STALL } : { ...row, seconds: QUICK_SECONDS };
}
