/** gRPC retry throttling as a budget. */

import { DENIED, type RetryBudget } from "../parts.ts";
import type { AttemptVerdict, PolicyCall } from "../policy.ts";
import { RetryTokens, type RetryTokensOptions } from "./retry-tokens.ts";

/**
 * Lets a retry pass while the {@link RetryTokens} suffice. In the order of grpc-go: an overloaded attempt has taken its token
 * before the number of attempts and the threshold are looked at, so that the last attempt of a call counts too. Nothing is
 * withdrawn, so nothing is held.
 *
 * The tokens belong to a server name in gRPC: with the scope `process` all users share them.
 *
 * Memory: about 80 bytes.
 *
 * Source: grpc/grpc-go stream.go (`shouldRetry`).
 */
export class GrpcRetryBudget implements RetryBudget {
  private readonly tokens: RetryTokens;

  /** @throws {RangeError} when an option is out of its bounds. */
  constructor(options: RetryTokensOptions = {}) {
    this.tokens = new RetryTokens(options);
  }

  callStarted(): void {}

  attemptEnded(call: PolicyCall, verdict: AttemptVerdict): void {
    this.tokens.record(call, verdict);
  }

  withdraw(): number {
    return this.tokens.suffice ? 0 : DENIED;
  }

  retryEnded(): void {}

  callEnded(): void {}
}
