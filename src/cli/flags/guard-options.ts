/** Guards for loads on what others use too: the most that is sent, when it is given up, and which hosts may be loaded. */

import net from "node:net";
import type { AbortRule, ResolveSpec } from "../../engine/trial-spec.ts";
import { formatRate } from "../../figures/number-format.ts";
import { parseRate } from "../../plan/units.ts";
import { hostOf, portOf } from "../../world/real/addresses.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Host } from "../host.ts";
import { parseAbort } from "./abort-flag.ts";
import type { Add } from "./add-option.ts";

export interface GuardFlags {
  readonly maxRps?: number;
  readonly abortOn?: readonly AbortRule[];
  readonly allow?: readonly AllowedHost[];
}

export interface AllowedHost {
  /** In lower case, an IPv6 address without its brackets. */
  readonly host: string;
  /** undefined: any. */
  readonly port: number | undefined;
}

/** Where the load goes, as far as it says whose host that is. */
export interface GuardedTarget extends GuardFlags {
  readonly url?: string;
  readonly unix?: string;
  readonly resolve?: readonly ResolveSpec[];
  readonly dryRun?: boolean;
}

const ANSWER_SECONDS = 60;

export function addGuardOptions(add: Add): void {
  add("--max-rps <rate>", "refuse a load that comes to more calls per second; a search goes no higher", parseRate);
  add(
    "--abort-on <list>",
    "give up when it has been so for so long: errors>50%:10s,p99>500ms:5s (attempts not accepted; p50 or p99 of their service time)",
    parseAbort,
  );
  addAllowOption(add);
}

/** For all commands that may send a load which finds out what a target takes. */
export function addAllowOption(add: Add): void {
  add(
    "--allow <host>",
    "a host, or host:port, that capacity, recovery and --rps 2x-capacity may load without asking; several with commas, may be repeated",
    allowedHosts,
  );
}

/** `staging.example.com`, `10.0.0.7:8080`, `[::2]:80`, or several with commas. @throws RangeError */
function allowedHosts(text: string, before: readonly AllowedHost[] | undefined): readonly AllowedHost[] {
  return [...(before ?? []), ...text.split(",").map((entry) => allowedHost(entry.trim()))];
}

function allowedHost(text: string): AllowedHost {
  if (net.isIPv6(text)) return { host: normal(`[${text}]`), port: undefined };
  const [, host, port] = /^(\[[^\]]+\]|[^:/@\s]+)(?::(\d{1,5}))?$/u.exec(text) ?? [];
  const isHost =
    host !== undefined &&
    !host.includes("*") &&
    URL.canParse(`http://${host}/`) &&
    Number(port ?? 1) >= 1 &&
    Number(port ?? 1) <= 65_535;
  if (isHost) return { host: normal(host), port: port === undefined ? undefined : Number(port) };
  throw new RangeError(
    `must be a host, or a host and a port, such as staging.example.com or 10.0.0.7:8080: current value is "${text}"`,
  );
}

/** As URLs have it: in lower case, numbers as addresses; and without a dot at its end. */
function normal(host: string): string {
  return hostOf(new URL(`http://${host}/`)).replace(/\.$/u, "");
}

/** @throws CliError when the load comes to more than is allowed. */
export function checkGuards({ maxRps }: GuardFlags, peakRps: number): void {
  if (maxRps === undefined || peakRps <= maxRps) return;
  throw new CliError(`--max-rps ${maxRps} is the most, and the load comes to ${formatRate(peakRps)}`);
}

/**
 * Asks, before a load that finds out what a target takes, whether it may go there: nothing is asked of a target on this machine
 * (127.0.0.0/8, ::1, localhost, a Unix socket) or of one that `--allow` names.
 *
 * @param load in words, such as `up to 400 calls/s`.
 * @throws CliError when the answer is not yes, there is none within a minute, or there is nobody to be asked.
 */
export async function confirmTarget(host: Host, flags: GuardedTarget, load: string = loadOf(flags)): Promise<void> {
  const place = foreignPlace(flags);
  if (place === undefined || flags.dryRun === true) return;
  const allowed = `--allow ${place}, or the key allow in a --config file`;
  if (!host.canAsk) {
    throw new CliError(
      `${place} is not this machine, and there is no terminal to ask on: say that it may be loaded with ${allowed}`,
    );
  }
  const answer = await host.ask(`Send ${load} to ${place}? [y/N] `, ANSWER_SECONDS);
  if (typeof answer === "object") {
    host.stderr.write("\n");
    throw new CliError(
      `Interrupted: nothing was sent to ${place}`,
      answer.signal === "SIGINT" ? EXIT.sigint : EXIT.sigterm,
    );
  }
  if (answer !== undefined && /^\s*(?:y|yes)\s*$/iu.test(answer)) return;
  if (answer === undefined) host.stderr.write("\n");
  const why = answer === undefined ? "there was no answer" : "the answer was not yes";
  throw new CliError(`Nothing was sent to ${place}, as ${why}: say that it may be loaded with ${allowed}`);
}

function loadOf({ maxRps }: GuardFlags): string {
  return maxRps === undefined
    ? "as many calls/s as it takes"
    : `up to ${formatRate(maxRps).replace(/\/s$/u, " calls/s")}`;
}

/** Host and port that are neither of this machine nor allowed. */
function foreignPlace({ url, unix, resolve = [], allow = [] }: GuardedTarget): string | undefined {
  if (url === undefined || unix !== undefined) return undefined;
  const target = new URL(url);
  const port = portOf(target);
  const name = hostOf(target).replace(/\.$/u, "");
  const addresses = resolve.flatMap((entry) => entry.addresses);
  const isHere = addresses.length === 0 ? isLoopback(name) : addresses.every(isLoopback);
  if (isHere) return undefined;
  // A name of this machine that was told to be elsewhere: what counts is where it is.
  const hosts = isLoopback(name)
    ? addresses.filter((address) => !isLoopback(address)).map((address) => normal(bracketed(address)))
    : [name];
  const foreign = hosts.find((at) => !allow.some((entry) => entry.host === at && (entry.port ?? port) === port));
  return foreign === undefined ? undefined : `${bracketed(foreign)}:${port}`;
}

function isLoopback(host: string): boolean {
  if (net.isIPv4(host)) return host.startsWith("127.");
  return host === "localhost" || (net.isIPv6(host) && normal(bracketed(host)) === "::1");
}

function bracketed(host: string): string {
  return net.isIPv6(host) ? `[${host}]` : host;
}
