/**
 * Where the requests on one connection begin and end: as much of HTTP/1.1 (RFC 9112) as it takes to answer each of them
 * once, however they are cut into pieces.
 */

/** What a server must know of a request to answer it. */
export interface RequestFacts {
  /** `HEAD` wants no body in the answer. */
  readonly isHead: boolean;
  /** The client will send nothing more on this connection. */
  readonly isLast: boolean;
  readonly wantsStats: boolean;
}

/** What has been read of a connection: whole requests in order, or a fault after which it cannot be read on. */
export interface Requests {
  readonly whole: readonly RequestFacts[];
  /** The status that says what is wrong; undefined when all is well. */
  readonly refused: number | undefined;
}

const HEAD_BYTES_MAX = 16_384;
const HEAD_END = "\r\n\r\n";
const NOTHING: Uint8Array = new Uint8Array(0);

interface Head {
  readonly facts: RequestFacts;
  readonly bodyBytes: number;
}

export class RequestReader {
  /** The part of a head that has come in. */
  #partial = NOTHING;
  /** What is left of a body. */
  #bodyLeft = 0;
  /** The request whose body is being read. */
  #current: RequestFacts | undefined;

  /** True between two requests. */
  get atRest(): boolean {
    return this.#bodyLeft === 0 && this.#partial.length === 0;
  }

  /** Takes in the next piece. Nothing may be read after a fault, or after the last request. */
  read(piece: Uint8Array): Requests {
    const whole: RequestFacts[] = [];
    let data = piece;
    for (;;) {
      if (this.#current !== undefined) {
        const taken = Math.min(this.#bodyLeft, data.length);
        this.#bodyLeft -= taken;
        data = data.subarray(taken);
        if (this.#bodyLeft > 0) return { whole, refused: undefined };
        whole.push(this.#current);
        if (this.#current.isLast) return { whole, refused: undefined };
        this.#current = undefined;
      }
      if (data.length === 0) return { whole, refused: undefined };
      const text = Buffer.concat([this.#partial, data]);
      const end = text.indexOf(HEAD_END);
      if (end > HEAD_BYTES_MAX || (end < 0 && text.length > HEAD_BYTES_MAX)) return { whole, refused: 431 };
      if (end < 0) {
        this.#partial = text;
        return { whole, refused: undefined };
      }
      this.#partial = NOTHING;
      const head = parseHead(text.toString("latin1", 0, end));
      if (typeof head === "number") return { whole, refused: head };
      this.#current = head.facts;
      this.#bodyLeft = head.bodyBytes;
      data = text.subarray(end + HEAD_END.length);
    }
  }
}

/** @returns a status when the request cannot be read. */
function parseHead(text: string): Head | number {
  const [, method, path, minor] = /^\r?\n?([!-~]+) ([!-~]+) HTTP\/1\.([01])(?:\r\n|$)/.exec(text) ?? [];
  if (method === undefined) return 400;
  if (/^transfer-encoding[ \t]*:/im.test(text)) return 501;
  const [, length = "0"] = /^content-length:[ \t]*(.*?)[ \t]*$/im.exec(text) ?? [];
  if (!/^\d{1,15}$/.test(length)) return 400;
  return {
    bodyBytes: Number(length),
    facts: {
      isHead: method === "HEAD",
      isLast: minor === "0" || /^connection:.*\bclose\b/im.test(text),
      wantsStats: method === "GET" && path === "/__stats",
    },
  };
}
