/** What counts as a success where a success pays for later retries. */

import type { AttemptVerdict, PolicyCall } from "../policy.ts";

/**
 * Whether the attempt succeeded for its caller too: it was accepted with a 2xx, or by a driver that knows no status. A 404
 * or an application's own 500 is an accept that pays nothing, as a gRPC status other than OK.
 *
 * Source: boto/botocore botocore/retries/standard.py (`release_retry_quota`), grpc/grpc-go stream.go (`successfulRPC`).
 */
export function isSuccess(call: PolicyCall, verdict: AttemptVerdict): boolean {
  return verdict === "accepted" && (call.status === 0 || (call.status >= 200 && call.status < 300));
}
