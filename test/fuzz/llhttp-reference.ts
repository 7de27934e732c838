/**
 * The parser inside undici: llhttp as WebAssembly, driven as undici drives it, without a socket. It is loaded from undici's own
 * file, so what is compared with is what runs. llhttp is built strict: undici sets none of its lenient flags.
 */

import { createRequire } from "node:module";
import { type FuzzCase, latin1, piecesOf, type Verdict, WANTED } from "./fuzz-case.ts";

/** Of llhttp's `llhttp_type_t`. */
const RESPONSE = 2;
/** Of `llhttp_errno_t`: what a callback answers to stop behind a message. */
const PAUSED = 21;
const OK = 0;

/** The part of WebAssembly that is used: the types of the project know no browser, and it is declared there. */
interface WebAssemblyObject {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

interface Llhttp {
  readonly memory: { readonly buffer: ArrayBuffer };
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  malloc(bytes: number): number;
  llhttp_execute(parser: number, at: number, bytes: number): number;
  llhttp_finish(parser: number): number;
  llhttp_get_error_pos(parser: number): number;
  llhttp_get_error_reason(parser: number): number;
  llhttp_should_keep_alive(parser: number): number;
}

/** What the callbacks of the present message have told. */
interface Told {
  bodiless: boolean;
  status: number;
  complete: boolean;
  persistent: boolean;
  body: string;
  /** Names and values in turn, in the making. */
  fields: string[];
  /** Those of the final answer. */
  headers: string[];
}

/** Room for a piece. */
const PIECE_BYTES_MAX = 1 << 17;

export class LlhttpReference {
  readonly #llhttp: Llhttp;
  readonly #at: number;
  #told: Told = toldOf(false);

  constructor() {
    const load = createRequire(import.meta.url);
    const { Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyObject }).WebAssembly;
    const wasm = new Module(load("undici/lib/llhttp/llhttp_simd-wasm.js") as Uint8Array);
    this.#llhttp = new Instance(wasm, { env: this.#callbacks() }).exports as Llhttp;
    this.#at = this.#llhttp.malloc(PIECE_BYTES_MAX);
  }

  read(tried: FuzzCase): Verdict {
    const told = toldOf(tried.bodiless);
    this.#told = told;
    const parser = this.#llhttp.llhttp_alloc(RESPONSE);
    let code = OK;
    let excessBytes = 0;
    for (const piece of piecesOf(tried)) {
      code = this.#execute(parser, piece);
      if (told.complete) excessBytes = this.#at + piece.length - this.#llhttp.llhttp_get_error_pos(parser);
      if (code !== OK) break;
    }
    const { complete } = told;
    const reason = complete ? "" : this.#reason(parser);
    if (code === OK) this.#llhttp.llhttp_finish(parser);
    this.#llhttp.llhttp_free(parser);
    const { status, body, persistent, headers } = told;
    return {
      open: complete ? "complete" : code === OK ? "incomplete" : "refused",
      ended: told.complete ? "complete" : "refused",
      reason,
      status: told.complete ? status : 0,
      bodyBytes: told.complete ? body.length : 0,
      body: told.complete ? body : undefined,
      persistent: told.complete && persistent && excessBytes === 0,
      excessBytes,
      headers: told.complete ? headers : [],
    };
  }

  #execute(parser: number, piece: Uint8Array): number {
    if (piece.length > PIECE_BYTES_MAX) {
      throw new RangeError(
        `Cannot parse as 'piece' must have at most ${PIECE_BYTES_MAX} bytes: current value is ${piece.length}`,
      );
    }
    new Uint8Array(this.#llhttp.memory.buffer, this.#at, piece.length).set(piece);
    return this.#llhttp.llhttp_execute(parser, this.#at, piece.length);
  }

  #reason(parser: number): string {
    const at = this.#llhttp.llhttp_get_error_reason(parser);
    if (at === 0) return "";
    const bytes = new Uint8Array(this.#llhttp.memory.buffer, at);
    return latin1(bytes.subarray(0, bytes.indexOf(0)));
  }

  #text(at: number, length: number): string {
    return latin1(new Uint8Array(this.#llhttp.memory.buffer, at, length));
  }

  #callbacks(): Record<string, (parser: number, at: number, length: number, keepAlive: number) => number> {
    return {
      wasm_on_url: () => OK,
      wasm_on_status: () => OK,
      wasm_on_message_begin: () => {
        this.#told.fields = [];
        return OK;
      },
      wasm_on_header_field: (_, at, length) => this.#append(1, at, length),
      wasm_on_header_value: (_, at, length) => this.#append(0, at, length),
      wasm_on_headers_complete: (_, status) => {
        this.#told.status = status;
        this.#told.headers = wantedOf(this.#told.fields);
        // Answers 1, for "no body follows", where undici does.
        return this.#told.bodiless || status < 200 ? 1 : OK;
      },
      wasm_on_body: (_, at, length) => {
        this.#told.body += this.#text(at, length);
        return OK;
      },
      wasm_on_message_complete: (parser) => {
        if (this.#told.status < 200) return OK;
        this.#told.complete = true;
        this.#told.persistent = this.#llhttp.llhttp_should_keep_alive(parser) === 1;
        return PAUSED;
      },
    };
  }

  /** Adds to the last text when it is of that kind, else begins one. @param parity of the number of texts that end with it. */
  #append(parity: 0 | 1, at: number, length: number): number {
    const { fields } = this.#told;
    if (fields.length % 2 !== parity) fields.push("");
    fields[fields.length - 1] += this.#text(at, length);
    return OK;
  }
}

function toldOf(bodiless: boolean): Told {
  return { bodiless, status: 0, complete: false, persistent: false, body: "", fields: [], headers: [] };
}

/** llhttp leaves blanks behind a value to its user, and so does undici; we leave them out (RFC 9110, 5.5). */
function wantedOf(fields: readonly string[]): string[] {
  const wanted: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = (fields[at] as string).toLowerCase();
    if (WANTED.includes(name)) wanted.push(name, (fields[at + 1] ?? "").replace(/[ \t]+$/, ""));
  }
  return wanted;
}
