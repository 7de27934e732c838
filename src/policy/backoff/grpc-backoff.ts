/** The backoff of gRPC, for retries and for connections. */

import { type NumberSpec, resolveOptions } from "../option.ts";
import type { Backoff } from "../parts.ts";
import type { Random } from "../policy.ts";
import { grown } from "./growth.ts";

/** Options of {@link GrpcBackoff}, as a service config names them. What is missing or `undefined` has its default. */
export interface GrpcBackoffOptions {
  /** Before the first retry, but for the jitter; in seconds. Default 0.1. */
  readonly initialBackoff?: number | undefined;
  /** No delay is longer, but for the jitter; in seconds. Default 1. */
  readonly maxBackoff?: number | undefined;
  /** From retry to retry. Default 2. */
  readonly backoffMultiplier?: number | undefined;
}

/** gRPC has no defaults: these are the values of the proposal's example. */
export const grpcBackoffOptions = {
  initialBackoff: {
    default: 0.1,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "The delay before the first retry, give or take a fifth",
  },
  maxBackoff: {
    default: 1,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "No delay is longer, give or take a fifth",
  },
  backoffMultiplier: {
    default: 2,
    kind: "number",
    min: 0,
    max: 1000,
    unit: "ratio",
    doc: "By how much the delay grows from retry to retry",
  },
} as const satisfies Record<keyof GrpcBackoffOptions, NumberSpec>;

/**
 * `min(maxBackoff, initialBackoff x backoffMultiplier^n) x U(0.8, 1.2)` before retry n = 0, 1, ... The jitter comes after the
 * cap, so a delay is at most 1.2 x maxBackoff.
 *
 * Source: grpc/proposal A6-client-retries.md (the early text had full jitter) as grpc/grpc-go stream.go does it, and
 * grpc/grpc doc/connection-backoff.md for the jitter of 0.2. It has no state, and draws one number a delay.
 */
export class GrpcBackoff implements Backoff {
  private readonly initialBackoff: number;
  private readonly maxBackoff: number;
  private readonly backoffMultiplier: number;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: GrpcBackoffOptions = {}) {
    const resolved = resolveOptions("create GrpcBackoff", grpcBackoffOptions, options);
    this.initialBackoff = resolved.initialBackoff;
    this.maxBackoff = resolved.maxBackoff;
    this.backoffMultiplier = resolved.backoffMultiplier;
  }

  delaySeconds(retry: number, _previousSeconds: number, jitter: Random): number {
    const delay = grown(this.initialBackoff, this.backoffMultiplier, retry, this.maxBackoff);
    return delay * (0.8 + 0.4 * jitter.random());
  }
}
