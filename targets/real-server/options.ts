import { type Flags, numberFlag, optionalNumberFlag, switchFlag } from "../program/flags.ts";
import { LISTEN_FLAGS } from "../program/listen-flags.ts";
import type { ProgramOptions } from "../program/serve-program.ts";

/** What one can tell every real server. */
export interface RealServerOptions extends ProgramOptions {
  /** What a request costs a worker of the upstream. */
  readonly upstreamMs: number;
  /** Requests that the upstream works on at once; the others wait in order. */
  readonly upstreamWorkers: number;
  readonly tls: boolean;
  /** With `tls` by ALPN, else by prior knowledge, and then it alone. */
  readonly http2: boolean;
  /** Status of a rejection. */
  readonly status: number;
  /** Seconds in the `Retry-After` header of a rejection; null sends none. */
  readonly retryAfter: number | null;
}

export const COMMON_FLAGS: Flags<RealServerOptions> = {
  upstreamMs: numberFlag(
    "upstream-ms",
    { placeholder: "MS", unit: "number of milliseconds", min: 1, max: 10_000, isWhole: false },
    20,
    "what a request costs a worker of the upstream (default 20)",
  ),
  upstreamWorkers: numberFlag(
    "upstream-workers",
    { placeholder: "N", unit: "number of workers", min: 1, max: 10_000 },
    16,
    "requests that the upstream works on at once, the others wait in order (default 16)",
  ),
  tls: switchFlag("tls", "TLS, with a certificate made for this run"),
  http2: switchFlag("http2", "HTTP/2: with --tls by ALPN, else by prior knowledge and nothing else"),
  status: numberFlag(
    "status",
    { placeholder: "N", unit: "status", min: 400, max: 599 },
    503,
    "status of a rejection, 400 to 599 (default 503)",
  ),
  retryAfter: optionalNumberFlag(
    "retry-after",
    { placeholder: "S", unit: "number of seconds", min: 0, max: 86_400 },
    "whole seconds in the Retry-After header of a rejection (default: no header)",
  ),
  ...LISTEN_FLAGS,
};

/** What the upstream can serve a second. */
export function upstreamRps({ upstreamMs, upstreamWorkers }: RealServerOptions): number {
  return (upstreamWorkers * 1000) / upstreamMs;
}
