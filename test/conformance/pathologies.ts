/** The ways in which a server can misbehave, each a rule for one request. */

import type { Exchange } from "./exchange.ts";

export interface Pathology {
  /** What it does, for the reader of a table. */
  readonly says: string;
  serve(exchange: Exchange): void;
  /** An idle connection is closed after this time, without a word. */
  readonly idleMs?: number;
  /** The whole process stands still for a part of each period, with only so many connections waiting to be taken. */
  readonly standstill?: Standstill;
}

export interface Standstill {
  readonly everyMs: number;
  readonly forMs: number;
  readonly backlog: number;
}

const FIXED_MS = 5;
const EXPONENTIAL_MEAN_MS = 10;
const SLOW_MS = 20;
const TRICKLE_BYTES = 5;
const TRICKLE_EVERY_MS = 50;
const HALF = 0.5;
/** Between a part of an answer and the end of its connection: time enough for the part to be read. */
const PART_MS = 10;
const FLOOD_EVERY_MS = 5;
const KILOBYTE = "y".repeat(1024);

export const PATHOLOGIES = {
  instant: {
    says: "an answer at once",
    serve: (exchange) => exchange.answer(200),
  },
  fixed: {
    says: "an answer after 5 ms",
    serve: (exchange) => exchange.later(FIXED_MS, () => exchange.answer(200)),
  },
  exponential: {
    says: "an answer after an exponential time, 10 ms on average",
    serve(exchange) {
      exchange.later(-EXPONENTIAL_MEAN_MS * Math.log(1 - exchange.chance), () => exchange.answer(200));
    },
  },
  "half-503": {
    says: "half of the answers 503 at once, the others 200 after 10 to 30 ms",
    serve(exchange) {
      if (exchange.chance < HALF) exchange.answer(503);
      else exchange.later(10 + SLOW_MS * exchange.otherChance, () => exchange.answer(200));
    },
  },
  "black-hole": {
    says: "requests are read and never answered",
    serve() {},
  },
  "connect-delay": {
    says: "a new connection for each request, and the process stands still 50 ms in each 130 with five places to wait for it: for many, connecting takes a second",
    serve(exchange) {
      exchange.answer(200, "Connection: close\r\n");
      exchange.finish();
    },
    // The kernel drops a connection's SYN when all places are taken; the client's sends it again after 1, 3, 7 s (RFC 6298).
    // 130 does not divide these: what was dropped once is not dropped again.
    standstill: { everyMs: 130, forMs: 50, backlog: 4 },
  },
  "idle-close": {
    says: "a connection is closed after 50 ms of idleness",
    serve: (exchange) => exchange.answer(200),
    idleMs: 50,
  },
  "endless-headers": {
    says: "an answer's headers never end",
    serve(exchange) {
      exchange.write(exchange.head(200, ""));
      exchange.flood(`X-More: ${KILOBYTE}\r\n`, FLOOD_EVERY_MS);
    },
  },
  "endless-body": {
    says: "an answer's body never ends",
    serve(exchange) {
      exchange.write(`${exchange.head(200, "Transfer-Encoding: chunked\r\n")}\r\n`);
      exchange.flood(`400\r\n${KILOBYTE}\r\n`, FLOOD_EVERY_MS);
    },
  },
  "half-close": {
    says: "FIN after a request is read: half behind an answer that did not announce it, half without any",
    serve(exchange) {
      if (exchange.chance < HALF) exchange.answer(200);
      exchange.finish();
    },
  },
  garbage: {
    says: "half of the answers are no HTTP, the others 200 after 5 ms",
    serve(exchange) {
      if (exchange.chance >= HALF) exchange.later(FIXED_MS, () => exchange.answer(200));
      else {
        exchange.write("SSH-2.0-OpenSSH_9.2\r\n\r\n");
        exchange.later(PART_MS, () => exchange.finish());
      }
    },
  },
  "interim-103": {
    says: "103 at once, 200 after 20 ms",
    serve(exchange) {
      exchange.write("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n");
      exchange.later(SLOW_MS, () => exchange.answer(200));
    },
  },
  "interim-100": {
    says: "100 at once although nobody asked for it, 200 after 20 ms",
    serve(exchange) {
      exchange.write("HTTP/1.1 100 Continue\r\n\r\n");
      exchange.later(SLOW_MS, () => exchange.answer(200));
    },
  },
  trickle: {
    says: "headers at once, then a body of 5 bytes, one in 50 ms",
    serve(exchange) {
      exchange.write(`${exchange.head(200, `Content-Length: ${TRICKLE_BYTES}\r\n`)}\r\n`);
      const drip = (left: number): void => {
        exchange.later(TRICKLE_EVERY_MS, () => {
          exchange.write("z");
          if (left === 1) exchange.answered(200);
          else drip(left - 1);
        });
      };
      drip(TRICKLE_BYTES);
    },
  },
  reset: {
    says: "half of the answers end with RST in the middle of the body, the others are whole after 5 ms",
    serve(exchange) {
      if (exchange.chance >= HALF) exchange.later(FIXED_MS, () => exchange.answer(200));
      else {
        exchange.write(`${exchange.head(200, "Content-Length: 10\r\n")}\r\nabc`);
        exchange.later(PART_MS, () => exchange.reset());
      }
    },
  },
} as const satisfies Readonly<Record<string, Pathology>>;

export type PathologyName = keyof typeof PATHOLOGIES;

export const PATHOLOGY_NAMES = Object.keys(PATHOLOGIES) as readonly PathologyName[];

/** @throws RangeError for a name that is none. */
export function pathologyOf(name: string): Pathology {
  if (!Object.hasOwn(PATHOLOGIES, name)) {
    throw new RangeError(
      `Cannot misbehave as 'name' must be one of ${PATHOLOGY_NAMES.join(", ")}: current value is ${name}`,
    );
  }
  return PATHOLOGIES[name as PathologyName];
}
