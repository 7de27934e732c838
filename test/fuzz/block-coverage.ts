/**
 * Which blocks of the parser's code have run: V8's precise block coverage, taken through node:inspector within the process. V8
 * tells blocks apart where their counts differ; what is told apart once stays so, and blocks of nothing but brackets are left out.
 */

import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { fileURLToPath } from "node:url";

export interface Blocks {
  readonly covered: number;
  readonly known: number;
  /** "file:line: source" of those that have not run. */
  readonly missed: readonly string[];
}

/** For each script by its address, 1 where its code has run. */
export type Ran = ReadonlyMap<string, Uint8Array>;

interface Script {
  readonly source: string;
  /** 1 where code has run. */
  readonly ran: Uint8Array;
  readonly bounds: Set<number>;
}

export class BlockCoverage {
  readonly #session = new Session();
  readonly #folder: string;
  readonly #scripts = new Map<string, Script>();

  /** @param folder part of the address of the scripts to watch; they must be loaded after this. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** What has run since the last time. */
  take(): Ran {
    const ran = new Map<string, Uint8Array>();
    // Within one process the answer comes before post() returns.
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      for (const script of result) if (script.url.includes(this.#folder)) ran.set(script.url, this.#ranOf(script));
    });
    return ran;
  }

  /** Whether something in it is not {@link add}ed. */
  isNew(ran: Ran): boolean {
    for (const [url, now] of ran) {
      const before = this.#script(url).ran;
      for (let at = 0; at < now.length; at += 1) if (now[at] === 1 && before[at] === 0) return true;
    }
    return false;
  }

  add(ran: Ran): void {
    for (const [url, now] of ran) {
      const before = this.#script(url).ran;
      for (const [at, flag] of now.entries()) if (flag === 1) before[at] = 1;
    }
  }

  blocks(): Blocks {
    const missed: string[] = [];
    let covered = 0;
    for (const [url, { source, ran, bounds }] of this.#scripts) {
      const sorted = [...bounds].sort((a, b) => a - b);
      for (const [index, from] of sorted.slice(0, -1).entries()) {
        const text = source.slice(from, sorted[index + 1]).trim();
        if (/^[\s{}();,]*$/.test(text)) continue;
        if (ran[from] === 1) covered += 1;
        else missed.push(`${url.split("/").at(-1)}:${lineOf(source, from)}: ${text.split("\n")[0]}`);
      }
    }
    return { covered, known: covered + missed.length, missed };
  }

  #ranOf({ url, functions }: Profiler.ScriptCoverage): Uint8Array {
    const { source, bounds } = this.#script(url);
    const now = new Uint8Array(source.length);
    // Outer functions come first, and within one, outer ranges: what is inside says more.
    for (const { ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges) {
        now.fill(count > 0 ? 1 : 0, startOffset, endOffset);
        bounds.add(startOffset).add(endOffset);
      }
    }
    return now;
  }

  #script(url: string): Script {
    const known = this.#scripts.get(url);
    if (known !== undefined) return known;
    const source = readFileSync(fileURLToPath(url), "utf8");
    const script: Script = { source, ran: new Uint8Array(source.length), bounds: new Set() };
    this.#scripts.set(url, script);
    return script;
  }
}

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split("\n").length;
}

/** @returns undefined where the runtime has no such coverage. */
export function startCoverage(folder: string): BlockCoverage | undefined {
  try {
    return new BlockCoverage(folder);
  } catch {
    return undefined;
  }
}
