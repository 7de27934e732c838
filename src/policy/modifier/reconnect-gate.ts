/** Backoff between a client's attempts to reach a backend that takes no connection. */

import { GrpcBackoff } from "../backoff/grpc-backoff.ts";
import type { Backoff } from "../parts.ts";
import type { Fault, Random } from "../policy.ts";
import { Hold } from "./hold.ts";

/** The constants of grpc/grpc doc/connection-backoff.md. */
const BACKOFF: Backoff = new GrpcBackoff({ initialBackoff: 1, backoffMultiplier: 1.6, maxBackoff: 120 });

/**
 * Shut for `min(120 s, 1 s x 1.6^n) x U(0.8, 1.2)` after the n-th of consecutive refused or broken connections, n from 0; any
 * answer, whatever it says, proves a connection and starts anew. While it is shut nothing is sent, as calls through a gRPC
 * channel in TRANSIENT_FAILURE fail at once.
 *
 * Attempts that were under way together when the connection broke make one failure and not many: only those that began
 * since the last failure count.
 *
 * Source: grpc/grpc doc/connection-backoff.md. It leaves the first backoff without jitter and asks that backoffs that began
 * together disperse: here the first one has its jitter too, since a backend that restarts drops all its clients at once.
 */
export class ReconnectGate {
  private readonly hold = new Hold();
  private failures = 0;
  /** Grows with each failure: an attempt belongs to the one in which it began. */
  epoch = 0;

  /** @returns 0 when it is open. */
  remainingSeconds(nowSeconds: number): number {
    return this.hold.remainingSeconds(nowSeconds);
  }

  /** @param epoch what {@link epoch} was when the attempt was sent. */
  attemptEnded(fault: Fault, epoch: number, nowSeconds: number, jitter: Random): void {
    if (epoch !== this.epoch) return;
    if (fault === "none") {
      this.failures = 0;
      return;
    }
    if (fault !== "refused" && fault !== "reset") return;
    this.hold.extend(nowSeconds, BACKOFF.delaySeconds(this.failures, 0, jitter));
    this.failures += 1;
    this.epoch += 1;
  }
}
