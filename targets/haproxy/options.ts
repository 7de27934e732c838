import { type Flags, numberFlag, optionalNumberFlag, switchFlag } from "../real-server/flags.ts";
import { COMMON_FLAGS, type RealServerOptions } from "../real-server/options.ts";

export interface HaproxyOptions extends RealServerOptions {
  /** Requests that the upstream gets at once. */
  readonly maxconn: number;
  /** The longest that a request waits for its turn. */
  readonly queueTimeoutMs: number;
  /** Whether a queued request whose client has gone leaves the queue. */
  readonly abortOnClose: boolean;
  /** Status of a rejection. */
  readonly status: number;
  /** Seconds in the `Retry-After` header of a rejection; null sends none. */
  readonly retryAfter: number | null;
  readonly threads: number;
}

export const HAPROXY_FLAGS: Flags<HaproxyOptions> = {
  maxconn: numberFlag(
    "maxconn",
    { placeholder: "N", unit: "number of requests", min: 1, max: 10_000 },
    8,
    "requests that the upstream gets at once (default 8)",
  ),
  queueTimeoutMs: numberFlag(
    "queue-timeout-ms",
    { placeholder: "MS", unit: "number of milliseconds", min: 1, max: 600_000 },
    500,
    "the longest that a request waits for its turn (default 500)",
  ),
  abortOnClose: switchFlag("abort-on-close", "take a request out of the queue when its client has gone"),
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
  threads: numberFlag(
    "threads",
    { placeholder: "N", unit: "number of threads", min: 1, max: 64 },
    1,
    "threads (default 1)",
  ),
  ...COMMON_FLAGS,
};
