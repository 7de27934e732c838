/**
 * Where the target is: the addresses of its name, used in turn, one for each connection. Names are asked of the system
 * (so /etc/hosts counts), once before the first connection, then in the background each time the answer has grown old: no
 * connection waits for it. An address that refuses while others accept is tried after them for a second.
 */

import dns from "node:dns/promises";
import net from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import type { ConnectionSpec } from "../../engine/trial-spec.ts";
import { monotonicSeconds } from "./monotonic.ts";

/** How long an address that refused is tried after the others. */
const AVOID_SECONDS = 1;
/** How long a first look-up that failed is not repeated, so that thousands of attempts a second ask it once. */
const FAILED_SECONDS = 1;

export interface Address {
  /** An IPv4 or IPv6 address, or the path of a Unix domain socket. */
  readonly to: string;
  /** Connections opened to it so far. */
  opened: number;
  avoidUntilSeconds: number;
}

/** Gives all addresses of a name; rejects with an error that carries a code (`ENOTFOUND`, `EAI_AGAIN`, ...). */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** What tests replace. */
export interface AddressSources {
  readonly lookup?: Lookup;
  /** Monotonic seconds. */
  readonly now?: () => number;
}

export class AddressBook {
  readonly #name: string;
  readonly #ttlSeconds: number;
  readonly #lookup: Lookup;
  readonly #now: () => number;
  /** All that were ever used, with their counts. */
  readonly #all: Map<string, Address> = new Map();
  #list: readonly Address[] = [];
  #turn = -1;
  #staleSeconds = Number.POSITIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #failure: unknown;
  #retrySeconds = Number.NEGATIVE_INFINITY;
  #renewalsFailed = 0;

  /** @param fixed the addresses, when they are known for good: no name is asked for. */
  constructor(name: string, fixed: readonly string[], ttlSeconds: number, sources: AddressSources = {}) {
    this.#name = name;
    this.#ttlSeconds = ttlSeconds;
    this.#lookup = sources.lookup ?? systemLookup;
    this.#now = sources.now ?? monotonicSeconds;
    this.#list = this.#addressesOf(fixed);
  }

  /** How often a name that was known was asked for again in vain: the old answer was used on. */
  get renewalsFailed(): number {
    return this.#renewalsFailed;
  }

  /** Connections opened, by address. */
  get opened(): Record<string, number> {
    const used = [...this.#all.values()].filter((address) => address.opened > 0);
    return Object.fromEntries(used.map(({ to, opened }) => [to, opened]));
  }

  /** Fulfilled when there is an address; rejects with the error of the look-up. */
  async known(): Promise<void> {
    if (this.#list.length > 0) return;
    if (this.#now() < this.#retrySeconds) throw this.#failure;
    await this.#ask();
  }

  /** Fulfilled when there is an address, when there is none, or after `seconds`: of that the attempts will tell. */
  async knownWithin(seconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, seconds * 1000);
    });
    await Promise.race([this.known().catch(ignore), bound]);
    clearTimeout(timer);
  }

  /** The address whose turn it is, to begin a connection with; undefined until {@link known}. */
  first(): Address | undefined {
    const list = this.#list;
    if (this.#staleSeconds <= this.#now() && this.#asking === undefined) void this.#ask().catch(ignore);
    if (list.length <= 1) return list[0];
    return this.#pick(NONE);
  }

  /** The next one to try for the same connection after `tried`; undefined when none is left. */
  after(tried: readonly Address[]): Address | undefined {
    return this.#list.length <= 1 ? undefined : this.#pick(tried);
  }

  /** `address` took no connection. */
  refused(address: Address): void {
    address.avoidUntilSeconds = this.#now() + AVOID_SECONDS;
  }

  #pick(tried: readonly Address[]): Address | undefined {
    const now = this.#now();
    const { length } = this.#list;
    let last: number | undefined;
    for (let step = 1; step <= length; step += 1) {
      const index = (this.#turn + step) % length;
      const address = this.#list[index] as Address;
      if (tried.includes(address)) continue;
      if (address.avoidUntilSeconds <= now) {
        this.#turn = index;
        return address;
      }
      last ??= index;
    }
    if (last === undefined) return undefined;
    this.#turn = last;
    return this.#list[last];
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#answer().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #answer(): Promise<void> {
    try {
      const found = await this.#lookup(this.#name);
      if (found.length === 0) throw Object.assign(new Error(`No address for ${this.#name}`), { code: "ENOTFOUND" });
      this.#list = this.#addressesOf(found);
      this.#staleSeconds = this.#now() + this.#ttlSeconds;
    } catch (error) {
      if (this.#list.length > 0) {
        this.#renewalsFailed += 1;
        this.#staleSeconds = this.#now() + Math.max(this.#ttlSeconds, FAILED_SECONDS);
        return;
      }
      this.#failure = error;
      this.#retrySeconds = this.#now() + FAILED_SECONDS;
      throw error;
    }
  }

  #addressesOf(texts: readonly string[]): readonly Address[] {
    return [...new Set(texts)].map((to) => {
      const address = this.#all.get(to) ?? { to, opened: 0, avoidUntilSeconds: Number.NEGATIVE_INFINITY };
      this.#all.set(to, address);
      return address;
    });
  }
}

const NONE: readonly Address[] = [];

/** The host of a URL as sockets want it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** The addresses of the target: the Unix socket, else what `resolve` says, else a literal address, else the name's. */
export function addressBookFor(url: URL, spec: ConnectionSpec, sources: AddressSources = {}): AddressBook {
  const host = hostOf(url);
  return new AddressBook(host, fixedAddresses(host, portOf(url), spec), spec.dnsTtlSeconds, sources);
}

function fixedAddresses(host: string, port: number, spec: ConnectionSpec): readonly string[] {
  if (spec.unixPath !== undefined) return [spec.unixPath];
  const entries = spec.resolve.filter((entry) => entry.host.toLowerCase() === host && entry.port === port);
  if (entries.length > 0) return entries.flatMap(({ addresses }) => addresses);
  return net.isIP(host) === 0 ? [] : [host];
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const answers = await dns.lookup(name, { all: true });
  const found = answers.map(({ address }) => address);
  // Many an /etc/hosts gives one family only; the name means both loopback addresses (RFC 6761, 6.3).
  return name === "localhost" ? [...new Set([...found, "127.0.0.1", "::1"])] : found;
}

/** A renewal that failed has been counted; a first look-up is awaited by whoever wants a connection. */
function ignore(): void {}
