/** What a client tells the target about an attempt, in headers. */

const GRPC_TIMEOUT = "grpc-timeout";
/** A gRPC TimeoutValue has at most 8 digits (grpc/grpc doc/PROTOCOL-HTTP2.md). */
const GRPC_DIGITS_MAX = 99_999_999;

/** Header fields are built anew for attempts from this number on. */
const KNOWN_ATTEMPTS = 16;

/**
 * The time that an attempt has, in whole milliseconds, rounded down and at least 1; for `grpc-timeout` with its unit.
 *
 * @param seconds above 0 and finite.
 */
export function deadlineValue(headerName: string, seconds: number): string {
  const milliseconds = Math.max(1, Math.floor(seconds * 1000));
  if (headerName.toLowerCase() !== GRPC_TIMEOUT) return String(milliseconds);
  if (milliseconds <= GRPC_DIGITS_MAX) return `${milliseconds}m`;
  return `${Math.min(GRPC_DIGITS_MAX, Math.floor(seconds))}S`;
}

/** The field with the attempt number, made once for each of the usual ones: name, value. */
export class AttemptHeader {
  private readonly name: string;
  private readonly known: readonly (readonly string[])[];

  constructor(name: string) {
    this.name = name;
    this.known = Array.from({ length: KNOWN_ATTEMPTS }, (_, attempt) => [name, String(attempt)]);
  }

  field(attempt: number): readonly string[] {
    return this.known[attempt] ?? [this.name, String(attempt)];
  }
}
