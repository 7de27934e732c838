import { type Flags, numberFlag, switchFlag } from "../program/flags.ts";
import { COMMON_FLAGS, type RealServerOptions } from "../real-server/options.ts";

export interface HaproxyOptions extends RealServerOptions {
  /** Requests that the upstream gets at once. */
  readonly maxconn: number;
  /** The longest that a request waits for its turn. */
  readonly queueTimeoutMs: number;
  /** Whether a queued request whose client has gone leaves the queue. */
  readonly abortOnClose: boolean;
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
  threads: numberFlag(
    "threads",
    { placeholder: "N", unit: "number of threads", min: 1, max: 64 },
    1,
    "threads (default 1)",
  ),
  ...COMMON_FLAGS,
};
