/** The pushback of a gRPC server: whether, and when exactly, a call may be tried again. */

/** What a policy must read of an answer, in lower case. */
export const PUSHBACK_HEADERS: readonly string[] = ["grpc-retry-pushback-ms"];

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
  if (headers === undefined) return undefined;
  let found: string | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (headers[index] !== "grpc-retry-pushback-ms") continue;
    if (found !== undefined) return NO_RETRY;
    found = headers[index + 1] as string;
  }
  if (found === undefined) return undefined;
  const milliseconds = INT32.test(found) ? Number(found) : NO_RETRY;
  return milliseconds < 0 || milliseconds > INT32_MAX ? NO_RETRY : milliseconds / 1000;
}
