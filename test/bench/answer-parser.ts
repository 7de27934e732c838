/**
 * What the parser of answers costs, alone: nanoseconds per answer and megabytes a second, by the shape of the answer.
 *
 *   bun test/bench/answer-parser.ts [shape ...]
 *   deno run -A test/bench/answer-parser.ts [shape ...]
 *   npx tsc -p test/bench/tsconfig.json && node dist/bench/test/bench/answer-parser.js [shape ...]
 *
 * Bytes lie in one buffer, as they do for a socket that reads into its own. Each shape runs in a process of its own, so that no other
 * one's answers shape its code, but for the last one, which takes all in turn; medians of nine rounds, the least and the most beside them.
 * Run it on a quiet machine.
 */

import { spawnSync } from "node:child_process";
import process from "node:process";
import { median } from "../../src/stats/median.ts";
import { answerHeaders } from "../../src/world/real/answer-headers.ts";
import { AnswerParser } from "../../src/world/real/wire/answer-parser.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { printTable } from "./print-table.ts";

const ROUNDS = 9;
const ROUND_MS = 100;
const LIMITS = { headBytesMax: 16_384, interimMax: 16, bodyBytesMax: 100_000_000 };

const TINY = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const FIELDS = [
  "HTTP/1.1 200 OK",
  "Date: Tue, 01 Dec 2026 09:00:00 GMT",
  "Content-Type: application/json; charset=utf-8",
  "Connection: keep-alive",
  "Keep-Alive: timeout=75",
  "Server: nginx/1.27.3",
  "Cache-Control: private, max-age=0, must-revalidate",
  "Vary: Accept-Encoding",
  'ETag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"',
  "X-Request-Id: 7d444840-9dc0-11d1-b245-5ffdce74fad2",
  "X-Content-Type-Options: nosniff",
  "Strict-Transport-Security: max-age=31536000; includeSubDomains",
].join("\r\n");
const REALISTIC = `${FIELDS}\r\nContent-Length: 2\r\n\r\nok`;
const KILOBYTE = `${FIELDS}\r\nContent-Length: 1024\r\n\r\n${"x".repeat(1024)}`;
const CHUNKS = `${FIELDS}\r\nTransfer-Encoding: chunked\r\n\r\n${`80\r\n${"x".repeat(128)}\r\n`.repeat(8)}0\r\n\r\n`;
const OVERLOADED = `HTTP/1.1 503 Service Unavailable${FIELDS.slice(15)}\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n`;

interface Shape {
  readonly answer: string;
  /** Where a piece ends, by the index of the next one's first byte. */
  readonly cuts?: (length: number) => readonly number[];
  /** Headers that a policy reads. */
  readonly wanted?: readonly string[];
}

const SHAPES: Readonly<Record<string, Shape>> = {
  tiny: { answer: TINY },
  realistic: { answer: REALISTIC },
  "realistic, 1 KB body": { answer: KILOBYTE },
  "realistic, 8 chunks of 128": { answer: CHUNKS },
  "64 KB body in one piece": { answer: `HTTP/1.1 200 OK\r\nContent-Length: 65536\r\n\r\n${"x".repeat(65_536)}` },
  "realistic, Retry-After wanted": { answer: REALISTIC, wanted: ["retry-after", "date"] },
  "realistic, Retry-After there": { answer: OVERLOADED, wanted: ["retry-after", "date"] },
  "realistic, in two pieces": { answer: REALISTIC, cuts: (length) => [length >> 1] },
  "realistic, byte by byte": {
    answer: REALISTIC,
    cuts: (length) => Array.from({ length: length - 1 }, (_, at) => at + 1),
  },
};
const ALL = "all of these in turn";

/** One answer after the other, for a round. */
class Drive {
  readonly bytes: Uint8Array;
  readonly #parser: AnswerParser;
  readonly #ends: readonly number[];
  readonly #readsHeaders: boolean;

  constructor({ answer, cuts, wanted }: Shape) {
    this.bytes = Buffer.from(answer, "latin1");
    this.#parser = new AnswerParser(LIMITS, answerHeaders(wanted));
    this.#ends = [...(cuts?.(this.bytes.length) ?? []), this.bytes.length];
    this.#readsHeaders = wanted !== undefined;
  }

  /** @returns a number made of what was read, so that it has to be read. */
  run(answers: number): number {
    const { bytes } = this;
    const parser = this.#parser;
    let sum = 0;
    for (let index = 0; index < answers; index += 1) {
      parser.begin(false);
      let from = 0;
      let state = "reading";
      for (const end of this.#ends) {
        state = parser.read(bytes, from, end);
        from = end;
      }
      if (state !== "complete") throw new Error(`The answer is not read: ${parser.refusal}`);
      sum += parser.status + parser.bodyBytes + (parser.persistent ? 1 : 0);
      if (this.#readsHeaders) sum += parser.headers?.length ?? 0;
    }
    return sum;
  }
}

/** Nanoseconds per answer, by round. */
function measure(shapes: readonly Shape[]): { readonly rounds: readonly number[]; readonly bytes: number } {
  const drives = shapes.map((shape) => new Drive(shape));
  const turn = (answers: number): number => {
    const start = performance.now();
    for (const drive of drives) drive.run(answers);
    return performance.now() - start;
  };
  let answers = 1;
  for (let turns = 0; turns < 100 || turn(answers) < ROUND_MS; turns += 1) {
    if (turn(answers) < ROUND_MS) answers = Math.ceil(answers * 1.2);
  }
  const rounds = Array.from({ length: ROUNDS }, () => (turn(answers) * 1e6) / (answers * drives.length));
  return { rounds, bytes: drives.reduce((sum, drive) => sum + drive.bytes.length, 0) / drives.length };
}

const CHILD = "--measure";

function row(name: string): readonly string[] {
  const script = process.argv[1] as string;
  const before = "Deno" in globalThis ? ["run", "-A"] : process.execArgv;
  const { stdout, stderr } = spawnSync(process.execPath, [...before, script, CHILD, name], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  const { rounds, bytes } = JSON.parse(stdout) as ReturnType<typeof measure>;
  const nanoseconds = median(rounds);
  const range = `${Math.min(...rounds).toFixed(0)}-${Math.max(...rounds).toFixed(0)}`;
  return [name, bytes.toFixed(0), nanoseconds.toFixed(0), range, ((bytes * 1000) / nanoseconds).toFixed(0)];
}

const [mode, name = ""] = process.argv.slice(2);
if (mode === CHILD) {
  console.log(JSON.stringify(measure(name === ALL ? Object.values(SHAPES) : [SHAPES[name] as Shape])));
} else {
  const named = process.argv.slice(2);
  const unknown = named.find((each) => each !== ALL && !Object.hasOwn(SHAPES, each));
  if (unknown !== undefined) {
    console.error(`Unknown shape '${unknown}': there are ${[...Object.keys(SHAPES), ALL].join("; ")}`);
    process.exit(2);
  }
  console.log(describeMachine());
  const steal = watchSteal();
  const rows = (named.length > 0 ? named : [...Object.keys(SHAPES), ALL]).map(row);
  printTable([["answer", "bytes", "ns", "least-most", "MB/s"], ...rows]);
  console.log(`  CPU time stolen by the host: ${steal()}`);
}
