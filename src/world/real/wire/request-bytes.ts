/**
 * The request of a trial as HTTP/1.1 sends it (RFC 9112, 3 to 6): its bytes are made once, and anew only for what varies
 * between attempts. They are those that undici sends, so that a target sees no difference.
 */

import type { Call } from "../../../engine/call.ts";
import type { RealWorldSpec } from "../../../engine/trial-spec.ts";
import { AttemptHeaders } from "../attempt-headers.ts";
import { basicAuthorization } from "../request-facts.ts";

/** RFC 9110, 5.6.2 and 5.5. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** A request target that is one word of visible ASCII, as URLs give it. */
const PATH = /^[\x21-\x7e]+$/;

/** What the connection and the body decide, and nobody else may say: it would be said twice, or be untrue. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);
/** Methods whose requests have a body, be it an empty one, which then is told (RFC 9110, 8.6). */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["PATCH", "POST", "PROPFIND", "PROPPATCH", "PUT", "QUERY"]);

/** A body up to this stands in one piece with its head: one write, one packet where it fits. */
const JOINED_BYTES_MAX = 65_536;
/** Heads that are kept, of those with fields of their own: a policy may count attempts in them. */
const KEPT_MAX = 64;

/** What is the same in all requests of a trial. */
export class RequestBytes {
  /** Whether answers have no body (HEAD). */
  readonly bodiless: boolean;
  /** To be written behind the head; undefined where there is none, or where the head brings it. */
  readonly body: Buffer | undefined;
  readonly #attemptHeaders: AttemptHeaders;
  readonly #start: string;
  readonly #fields: string;
  /** From the length of the body on. */
  readonly #rest: Buffer;
  readonly #plain: Buffer;
  readonly #plainLast: Buffer;
  readonly #kept: Map<string, Buffer> = new Map();

  /** @throws RangeError for a method, a path or a header that would not arrive as what it is. */
  constructor(spec: RealWorldSpec) {
    const url = new URL(spec.url);
    const path = `${url.pathname}${url.search}`;
    check(TOKEN.test(spec.method), "method", "be a token", spec.method);
    check(PATH.test(path), "url", "have a path of visible ASCII", path);
    this.bodiless = spec.method === "HEAD";
    this.#attemptHeaders = new AttemptHeaders(spec.criticalityHeader);
    const { host, fields } = headerFields(url, spec.headers);
    this.#start = `${spec.method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
    this.#fields = fields;
    const body = Buffer.from(spec.body ?? []);
    const joined = body.length <= JOINED_BYTES_MAX;
    this.body = joined ? undefined : body;
    const length = body.length > 0 || METHODS_WITH_BODY.has(spec.method) ? `content-length: ${body.length}\r\n` : "";
    this.#rest = Buffer.concat([Buffer.from(`${length}\r\n`, "latin1"), joined ? body : Buffer.alloc(0)]);
    this.#plain = this.#head(false, "");
    this.#plainLast = this.#head(true, "");
  }

  /**
   * The head of the call's attempt, with the body where that is short.
   *
   * @param last asks for the end of the connection.
   * @returns undefined when the attempt's own headers are none that could be sent.
   */
  of(call: Call, last: boolean): Buffer | undefined {
    const own = this.#attemptHeaders.of(call);
    if (own === undefined) return last ? this.#plainLast : this.#plain;
    const key = `${last ? "1" : "0"}${own.join("\n")}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const fields = ownFields(own);
    if (fields === undefined) return undefined;
    const head = this.#head(last, fields);
    if (this.#kept.size < KEPT_MAX) this.#kept.set(key, head);
    return head;
  }

  #head(last: boolean, ownFieldLines: string): Buffer {
    const connection = `connection: ${last ? "close" : "keep-alive"}\r\n`;
    const head = Buffer.from(`${this.#start}${connection}${this.#fields}${ownFieldLines}`, "latin1");
    return Buffer.concat([head, this.#rest]);
  }
}

function headerFields(url: URL, headers: RealWorldSpec["headers"]): { host: string; fields: string } {
  let host: string | undefined;
  let fields = "";
  for (const [name, value] of headers) {
    check(isField(name, value), "headers", "be names and values that HTTP can carry", name);
    if (name.toLowerCase() === "host") {
      check(host === undefined, "headers", "name one host at most", value);
      host = value;
    } else fields += `${name}: ${value}\r\n`;
  }
  const authorization = basicAuthorization(url);
  const named = headers.some(([name]) => name.toLowerCase() === "authorization");
  if (authorization !== undefined && !named) fields += `authorization: ${authorization}\r\n`;
  return { host: host ?? url.host, fields };
}

/** The field lines of an attempt's own headers: name, value, ... */
function ownFields(headers: readonly string[]): string | undefined {
  let lines = "";
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (!isField(name, value) || name.toLowerCase() === "host") return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

function isField(name: string, value: string): boolean {
  return TOKEN.test(name) && VALUE.test(value) && !OWN_NAMES.has(name.toLowerCase());
}

function check(holds: boolean, name: string, rule: string, value: string): void {
  if (!holds) throw new RangeError(`Cannot send requests as '${name}' must ${rule}: current value is ${value}`);
}
