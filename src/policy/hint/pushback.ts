/** The pushback of a gRPC server: whether, and when exactly, a call may be tried again. */

import { headerIndex } from "./header-index.ts";

const NAME = "grpc-retry-pushback-ms";

/** What a policy must read of an answer, in lower case. */
export const PUSHBACK_HEADERS: readonly string[] = [NAME];

/** What {@link pushbackSeconds} gives when the server asks for no retry. */
export const NO_RETRY = -1;

const INT32 = /^(?:0|-?[1-9]\d{0,9})$/u;
const INT32_MAX = 2 ** 31 - 1;

/**
 * Reads `grpc-retry-pushback-ms`: a signed 32-bit integer in ASCII, without unnecessary zeros. A negative one, and one that
 * cannot be read, asks for no retry, and so does a repeated one.
 *
 * Source: grpc/proposal A6-client-retries.md, "Pushback"; for the repeated one grpc/grpc-go stream.go.
 *
 * @param headers name in lower case, value, name, value, ...
 * @returns seconds of at least 0, {@link NO_RETRY}, or `undefined` when there is no pushback.
 */
export function pushbackSeconds(headers: readonly string[] | undefined): number | undefined {
  const index = headerIndex(headers, NAME);
  if (headers === undefined || index === -1) return undefined;
  if (headerIndex(headers, NAME, index + 2) !== -1) return NO_RETRY;
  const found = headers[index + 1] as string;
  const milliseconds = INT32.test(found) ? Number(found) : NO_RETRY;
  return milliseconds < 0 || milliseconds > INT32_MAX ? NO_RETRY : milliseconds / 1000;
}
