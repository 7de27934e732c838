import net from "node:net";
import { type RequestFacts, RequestReader } from "./requests.ts";

/** What `GET /__stats` answers. */
export interface NullStats {
  readonly kind: "null";
  /** Requests answered since the start, but for questions such as this one. */
  readonly requests: number;
}

/** A piece that is remembered is no longer than this. */
const REMEMBERED_BYTES_MAX = 4096;

const BODY = "ok";
const ANSWER = answerOf("200 OK", BODY, false);
const REFUSALS: Readonly<Record<number, string>> = {
  400: "400 Bad Request",
  431: "431 Request Header Fields Too Large",
  501: "501 Not Implemented",
};

/** Builds the server. It does not listen yet. */
export function createNullServer(): { readonly server: net.Server; closeConnections(): void } {
  const sockets = new Set<net.Socket>();
  let requests = 0;

  const answerTo = ({ isHead, isLast, wantsStats }: RequestFacts): Buffer => {
    if (!wantsStats) requests += 1;
    const body = wantsStats ? JSON.stringify({ kind: "null", requests } satisfies NullStats) : BODY;
    const answer = wantsStats || isLast ? answerOf("200 OK", body, isLast) : ANSWER;
    return isHead ? answer.subarray(0, answer.length - body.length) : answer;
  };

  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    const reader = new RequestReader();
    // A client's requests are alike: the bytes of one that came in one piece say the same again.
    let remembered: Buffer | undefined;
    socket.on("data", (piece: Buffer) => {
      const atRest = reader.atRest;
      if (atRest && remembered?.equals(piece) === true) {
        requests += 1;
        socket.write(ANSWER);
        return;
      }
      const { whole, refused } = reader.read(piece);
      const [first] = whole;
      const plain = whole.length === 1 && first !== undefined && !(first.isHead || first.isLast || first.wantsStats);
      if (atRest && plain && reader.atRest && piece.length <= REMEMBERED_BYTES_MAX) remembered = Buffer.from(piece);
      const answers = whole.map(answerTo);
      if (refused !== undefined) answers.push(answerOf(REFUSALS[refused] as string, "", true));
      if (refused !== undefined || whole.at(-1)?.isLast === true) {
        socket.removeAllListeners("data").resume();
        socket.end(Buffer.concat(answers));
      } else if (answers.length > 0) {
        socket.write(answers.length === 1 ? (answers[0] as Buffer) : Buffer.concat(answers));
      }
    });
  });
  return {
    server,
    closeConnections() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function answerOf(status: string, body: string, closing: boolean): Buffer {
  const connection = closing ? "Connection: close\r\n" : "";
  return Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\n${connection}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
}
