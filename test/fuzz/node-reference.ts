/**
 * node:http on a connection in memory: another build of llhttp than undici's, of another version (Node 20: 9.3, Deno 2.9 and Bun
 * 1.4: 9.4), under another client.
 */

import http from "node:http";
import { type FuzzCase, latin1, piecesOf, refusedVerdict, type Verdict, WANTED } from "./fuzz-case.ts";
import { PiecewiseSocket } from "./piecewise-socket.ts";

interface Outcome {
  readonly open: Verdict["open"];
  readonly ended: Verdict["ended"];
  readonly reason: string;
}

export function readByNode(tried: FuzzCase): Promise<Verdict> {
  return new Promise((resolve) => {
    let fed = false;
    let answer: http.IncomingMessage | undefined;
    let body = "";
    let settled = false;
    const socket = new PiecewiseSocket(piecesOf(tried), () => {
      fed = true;
    });
    const request = http.request({
      method: tried.bodiless ? "HEAD" : "GET",
      host: "target.test",
      // As with an agent that keeps connections: without this, every answer would be the last one.
      headers: { connection: "keep-alive" },
      createConnection: () => socket as never,
    });
    const settle = (ended: Verdict["ended"], reason: string): void => {
      if (settled) return;
      settled = true;
      const open = fed ? "incomplete" : ended;
      resolve(
        ended === "complete" && answer !== undefined
          ? verdictOf(open, answer, body, request)
          : refusedVerdict(open === "complete" ? "refused" : open, reason),
      );
      request.destroy();
      socket.destroy();
    };
    request.on("response", (response) => {
      answer = response;
      response.on("data", (chunk: Buffer) => {
        body += latin1(chunk);
      });
      response.on("end", () => settle(response.complete ? "complete" : "refused", "cut"));
      response.on("error", (error) => settle("refused", reasonOf(error)));
    });
    request.on("error", (error) => settle("refused", reasonOf(error)));
    request.on("close", () => setImmediate(() => settle("refused", "closed")));
    request.end();
  });
}

function verdictOf(
  open: Outcome["open"],
  answer: http.IncomingMessage,
  body: string,
  request: http.ClientRequest,
): Verdict {
  const raw = answer.rawHeaders;
  const headers: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    if (WANTED.includes(name)) headers.push(name, raw[at + 1] as string);
  }
  return {
    open,
    ended: "complete",
    reason: "",
    status: answer.statusCode ?? 0,
    bodyBytes: body.length,
    body,
    persistent: request.shouldKeepAlive,
    excessBytes: undefined,
    headers,
  };
}

function reasonOf(error: Error & { readonly reason?: string; readonly code?: string }): string {
  return error.reason ?? error.code ?? error.message;
}
