import { type Flag, type Flags, numberFlag, refusal, switchFlag } from "../program/flags.ts";
import { COMMON_FLAGS, type RealServerOptions } from "../real-server/options.ts";

/** As nginx counts: whole requests a second or a minute. */
export interface Rate {
  readonly requests: number;
  readonly unit: "s" | "m";
}

export interface NginxOptions extends RealServerOptions {
  readonly rate: Rate;
  /** Requests beyond the rate that are let in. */
  readonly burst: number;
  /** Whether those are served at once, or held back to the rate. */
  readonly nodelay: boolean;
  /** Requests after which nginx closes a client's connection. */
  readonly keepaliveRequests: number;
  readonly workers: number;
}

const RATE_MAX = 1_000_000;

const rateFlag: Flag<Rate> = {
  name: "rate",
  placeholder: "RATE",
  help: "requests let through: 200/s, 200 (the same) or 90/m (default 200/s)",
  fallback: { requests: 200, unit: "s" },
  read(text) {
    const [, digits = "", unit = "s"] = /^(\d+)(?:\/([sm]))?$/.exec(text) ?? [];
    const requests = Number(digits);
    if (requests < 1 || requests > RATE_MAX) {
      throw refusal("rate", `a whole number from 1 to ${RATE_MAX} a second or a minute, such as 200/s or 90/m`, text);
    }
    return { requests, unit: unit === "m" ? "m" : "s" };
  },
};

export const NGINX_FLAGS: Flags<NginxOptions> = {
  rate: rateFlag,
  burst: numberFlag(
    "burst",
    { placeholder: "N", unit: "number of requests", min: 0, max: 1_000_000 },
    20,
    "requests beyond the rate that are let in and held back to the rate (default 20)",
  ),
  nodelay: switchFlag("nodelay", "serve the burst at once instead"),
  keepaliveRequests: numberFlag(
    "keepalive-requests",
    { placeholder: "N", unit: "number of requests", min: 1, max: 1_000_000_000 },
    1000,
    "requests after which a connection is closed (default 1000, as in nginx)",
  ),
  workers: numberFlag(
    "workers",
    { placeholder: "N", unit: "number of processes", min: 1, max: 64 },
    1,
    "worker processes (default 1)",
  ),
  ...COMMON_FLAGS,
};

/** Requests a second. */
export function ratePerSecond({ requests, unit }: Rate): number {
  return unit === "s" ? requests : requests / 60;
}
