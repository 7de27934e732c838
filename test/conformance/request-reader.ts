/** Requests of HTTP/1.x as a server finds them in what comes in on a connection. */

export interface RequestFacts {
  readonly method: string;
  /** What the answer must say so that the client keeps the connection (HTTP/1.0 wants to be told), or nothing. */
  readonly keepAliveHeader: string;
  /** The client expects the end of the connection after the answer. */
  readonly last: boolean;
}

const HEAD_END = "\r\n\r\n";
/** The longest head that is waited for: no client here sends one. */
const HEAD_BYTES_MAX = 65_536;

/** Takes heads and skips bodies that have a `Content-Length`; chunked bodies are not known. */
export class RequestReader {
  #pending = "";
  #bodyLeft = 0;
  #head = "";

  /**
   * @param data what came in, a character for a byte (latin1).
   * @returns the requests that are whole with it, in order.
   * @throws RangeError when a head does not end.
   */
  read(data: string): RequestFacts[] {
    const requests: RequestFacts[] = [];
    let rest = this.#pending + data;
    this.#pending = "";
    while (rest !== "" || (this.#head !== "" && this.#bodyLeft === 0)) {
      if (this.#head === "") {
        const end = rest.indexOf(HEAD_END);
        if (end === -1) {
          if (rest.length > HEAD_BYTES_MAX) throw new RangeError("Cannot read a request's head as it does not end");
          this.#pending = rest;
          break;
        }
        this.#head = rest.slice(0, end);
        this.#bodyLeft = Number(/^content-length: *(\d+)/im.exec(this.#head)?.[1] ?? 0);
        rest = rest.slice(end + HEAD_END.length);
      }
      const taken = Math.min(this.#bodyLeft, rest.length);
      this.#bodyLeft -= taken;
      rest = rest.slice(taken);
      if (this.#bodyLeft > 0) break;
      requests.push(factsOf(this.#head));
      this.#head = "";
    }
    return requests;
  }
}

function factsOf(head: string): RequestFacts {
  const [line = ""] = head.split("\r\n", 1);
  const connection = /^connection: *([^\r]*)/im.exec(head)?.[1]?.toLowerCase() ?? "";
  const old = line.endsWith("HTTP/1.0");
  const kept = old ? connection.includes("keep-alive") : !connection.includes("close");
  return {
    method: line.slice(0, line.indexOf(" ")),
    keepAliveHeader: old && kept ? "Connection: keep-alive\r\n" : "",
    last: !kept,
  };
}
