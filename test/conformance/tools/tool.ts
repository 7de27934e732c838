/** What every load generator has in common here. */

export interface ToolLoad {
  readonly url: string;
  /** Requests per second over all connections, evenly spaced where the tool can; undefined: as fast as they are answered. */
  readonly rps: number | undefined;
  readonly seconds: number;
  /** At most, for tools that have such a bound. */
  readonly connections: number;
  /** Whole seconds: some take no others. Undefined: the tool's own. */
  readonly timeoutSeconds: number | undefined;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** What a tool left behind when it had ended. */
export interface Leavings {
  readonly stdout: string;
  readonly stderr: string;
  /** The text of a file that it wrote into its folder; empty when there is none. */
  file(name: string): string;
}

/** What a tool says of a run; undefined is what it does not say. Latencies are those that its summary shows. */
export interface Report {
  /** Requests that it calls successes, or that nothing in its report says anything bad about. */
  readonly ok: number;
  /** All that it says went wrong: other statuses, errors, time-outs, calls without an end. */
  readonly failed: number;
  /** Requests that it says it sent again on another connection, as nobody can know whether the first time they were read. */
  readonly repeated?: number;
  readonly meanMs?: number | undefined;
  readonly p50Ms?: number | undefined;
  readonly p99Ms?: number | undefined;
  readonly maxMs?: number | undefined;
  /** Its own verdict on the run. */
  readonly verdict?: string;
}

export interface Tool {
  readonly name: string;
  /** Where it comes from, for those who do not have it. */
  readonly source: string;
  /**
   * `open`: sends at its rate whatever the answers; `capped`: the same, but waits for an answer on each connection before the
   * next request on it; `closed`: knows no rate, and sends as soon as it is answered.
   */
  readonly loop: "open" | "capped" | "closed";
  /**
   * True for one that stays for seconds after it has sent its last request: others need not wait for its end.
   */
  readonly lingers?: boolean;
  /** @returns undefined where it is not installed. */
  command(load: ToolLoad, folder: string): Command | undefined;
  /** @returns undefined when there is no report in it. */
  read(leavings: Leavings): Report | undefined;
}

/** A flag with its value, or nothing where there is none. */
export function flag(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [name, String(value)];
}

/** A rate over all connections as one for each of them. */
export function perConnection({ rps, connections }: ToolLoad): number | undefined {
  return rps === undefined ? undefined : rps / connections;
}

/** A number behind a label; undefined when it is not there. */
export function numberIn(text: string, pattern: RegExp): number | undefined {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The sum over all matches. */
export function sumIn(text: string, pattern: RegExp): number {
  let total = 0;
  for (const match of text.matchAll(pattern)) total += Number(match[1]);
  return total;
}

const MS_PER_UNIT: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

/** A time with its unit, as wrk and h2load write them; undefined when it is not there. */
export function millisecondsIn(text: string, pattern: RegExp): number | undefined {
  const [, amount, unit = ""] = pattern.exec(text) ?? [];
  const factor = MS_PER_UNIT[unit];
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
}
