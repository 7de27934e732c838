import type { ProgramOptions } from "../program/serve-program.ts";
import { type Flags, numberFlag, refusal, switchFlag } from "./flags.ts";

/** What one can tell every real server. */
export interface RealServerOptions extends ProgramOptions {
  /** What a request costs a worker of the upstream. */
  readonly upstreamMs: number;
  /** Requests that the upstream works on at once; the others wait in order. */
  readonly upstreamWorkers: number;
  readonly tls: boolean;
  /** With `tls` by ALPN, else by prior knowledge, and then it alone. */
  readonly http2: boolean;
}

export const COMMON_FLAGS: Flags<RealServerOptions> = {
  port: numberFlag(
    "port",
    { placeholder: "N", unit: "number", min: 0, max: 65_535 },
    8080,
    "port, 0 picks a free one (default 8080)",
  ),
  host: {
    name: "host",
    placeholder: "ADDRESS",
    help: "address to bind to (default 127.0.0.1)",
    fallback: "127.0.0.1",
    read(text) {
      // It goes into a configuration as it is.
      if (!/^[0-9a-z.:-]+$/i.test(text)) throw refusal("host", "an address", text);
      return text;
    },
  },
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
  exitWithParent: switchFlag("exit-with-parent", "exit when standard input closes"),
};

/** What the upstream can serve a second. */
export function upstreamRps({ upstreamMs, upstreamWorkers }: RealServerOptions): number {
  return (upstreamWorkers * 1000) / upstreamMs;
}
