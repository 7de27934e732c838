/** The flags that say how connections to the target are made and kept. */

import net from "node:net";
import type { ConnectionSpec, ResolveSpec } from "../../engine/trial-spec.ts";
import { peakRps } from "../../plan/describe.ts";
import type { PlanSpec } from "../../plan/plan.ts";
import { parseCount, parseDuration } from "../../plan/units.ts";
import { hostOf, portOf } from "../../world/real/addresses.ts";
import { CliError } from "../cli-error.ts";
import type { Host } from "../host.ts";
import { readText } from "../input-file.ts";
import type { Add } from "./add-option.ts";
import { byteSize, nonNegativeCount } from "./flag-values.ts";
import { addTransportOption, type TransportFlags } from "./transport-flag.ts";

export interface ConnectionFlags extends TransportFlags {
  readonly connections?: number;
  readonly maxRequestsPerConnection?: number;
  readonly unix?: string;
  readonly insecure: boolean;
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly sni?: string;
  readonly resolve?: readonly ResolveSpec[];
  readonly dnsTtl: number;
  readonly maxResponse: number;
}

/** Connections for what arrives in this time stand open before the first arrival: service times are rarely longer. */
const PREOPEN_SECONDS = 0.02;
const PREOPEN_MAX = 100;
const DNS_TTL_SECONDS = 30;
const RESPONSE_BYTES_MAX = 100_000_000;

export function addConnectionOptions(add: Add): void {
  add(
    "--connections <count>",
    "opened before the first arrival; more are opened as needed (default: for 20 ms of the peak rate, at most 100)",
    nonNegativeCount,
  );
  add("--max-requests-per-connection <count>", "then it is closed, and another opened", parseCount);
  addTransportOption(add);
  add("--http2", "HTTP/2: with https by ALPN, with http by prior knowledge");
  add("--unix <path>", "connect to this Unix domain socket, whatever the URL's host");
  add("-k, --insecure", "accept certificates that do not verify", undefined, false);
  add("--cacert <file>", "authorities to trust (PEM), instead of the usual ones");
  add("--cert <file>", "certificate of this client (PEM)");
  add("--key <file>", "its key, when it is not in the same file");
  add("--sni <name>", "the server name to ask for and to verify, instead of the URL's host");
  add("--resolve <host:port:address>", "use this address, or several with commas; may be repeated", resolveEntry);
  add("--dns-ttl <time>", "how long an answer of DNS is used", parseDuration, DNS_TTL_SECONDS, "30s");
  add("--max-response <size>", "an answer with a longer body fails", byteSize, RESPONSE_BYTES_MAX, "100MB");
}

/** `host:port:address[,address...]`, IPv6 addresses with or without brackets. @throws RangeError */
function resolveEntry(text: string, before: readonly ResolveSpec[] | undefined): ResolveSpec[] {
  const [, host, port, list] = /^([^:[\]]+|\[[^\]]+\]):(\d{1,5}):(.+)$/.exec(text) ?? [];
  const addresses = (list ?? "").split(",").map((address) => address.trim().replace(/^\[(.*)\]$/, "$1"));
  if (host === undefined || addresses.some((address) => net.isIP(address) === 0)) {
    throw new RangeError(
      `must be written host:port:address, such as example.com:443:10.0.0.7: current value is "${text}"`,
    );
  }
  return [...(before ?? []), { host: host.toLowerCase().replace(/^\[(.*)\]$/, "$1"), port: Number(port), addresses }];
}

/** Flags that mean something for a URL of one's own only. */
const FOR_URL = ["unix", "http2", "cacert", "cert", "key", "sni", "resolve"] as const;
/** Flags that mean nothing in simulation. */
const FOR_REAL = ["connections", "maxRequestsPerConnection", "transport"] as const;

/** Rules that concern more than one of these flags. @throws CliError */
export function checkConnections(flags: ConnectionFlags, url: string | undefined, simulated: boolean): void {
  for (const name of simulated ? [...FOR_URL, ...FOR_REAL] : FOR_URL) {
    if (flags[name] === undefined || (url !== undefined && !simulated)) continue;
    throw new CliError(`--${dashed(name)} is for real connections to a --url: there is none`);
  }
  if (flags.transport !== undefined && flags.http2 === true) {
    throw new CliError("--transport and --http2 exclude each other: HTTP/2 has a transport of its own");
  }
  if (url === undefined) return;
  const target = new URL(url);
  const { protocol } = target;
  const secure = protocol === "https:";
  for (const name of ["cacert", "cert", "key", "sni"] as const) {
    if (flags[name] !== undefined && !secure) throw new CliError(`--${name} is for https: the --url is ${protocol}//`);
  }
  if (flags.key !== undefined && flags.cert === undefined) throw new CliError("--key is for --cert: there is none");
  if (flags.unix !== undefined && flags.resolve !== undefined) {
    throw new CliError("--unix and --resolve exclude each other: both say where to connect to");
  }
  const host = hostOf(target);
  const at = portOf(target);
  for (const entry of flags.resolve ?? []) {
    if (entry.host === host && entry.port === at) continue;
    throw new CliError(
      `--resolve must be for the host and port of --url (${host}:${at}): current value is "${entry.host}:${entry.port}"`,
    );
  }
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** @throws CliError for a file that cannot be read. */
export async function resolveConnections(host: Host, flags: ConnectionFlags, plan: PlanSpec): Promise<ConnectionSpec> {
  const pem = async (flag: string, path: string | undefined): Promise<string | undefined> => {
    if (path === undefined) return undefined;
    const text = await readText(host, flag, path);
    // Some runtimes pass over what is none.
    if (text.includes("-----BEGIN")) return text;
    throw new CliError(
      `${flag} must be a file of PEM, with a line that starts with -----BEGIN: current value is "${path}"`,
    );
  };
  const cert = await pem("--cert", flags.cert);
  return {
    preopen: flags.connections ?? defaultPreopen(flags, plan),
    maxRequests: flags.maxRequestsPerConnection,
    http2: flags.http2 ?? false,
    unixPath: flags.unix,
    tls: {
      insecure: flags.insecure,
      ca: await pem("--cacert", flags.cacert),
      cert,
      key: (await pem("--key", flags.key)) ?? cert,
      serverName: flags.sni,
    },
    resolve: flags.resolve ?? [],
    dnsTtlSeconds: flags.dnsTtl,
    maxResponseBytes: flags.maxResponse,
  };
}

/** HTTP/2 needs one connection, which carries many requests at once. */
function defaultPreopen(flags: ConnectionFlags, plan: PlanSpec): number {
  if (flags.http2 === true) return 1;
  return Math.min(PREOPEN_MAX, Math.max(1, Math.ceil(PREOPEN_SECONDS * peakRps(plan))));
}

/** For the record, without what is secret: files by their names. */
export function describeConnections(flags: ConnectionFlags, spec: ConnectionSpec): Record<string, unknown> {
  const { tls, ...rest } = spec;
  const files = { cacert: flags.cacert, cert: flags.cert, key: flags.key };
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    tls: {
      insecure: tls.insecure,
      ...Object.fromEntries(Object.entries(files).filter(([, value]) => value !== undefined)),
      ...(tls.serverName === undefined ? {} : { serverName: tls.serverName }),
    },
  };
}
