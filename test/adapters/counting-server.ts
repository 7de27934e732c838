/** A server that says what it saw. */

import type http from "node:http";
import { httpServer, type TestServer } from "../support/servers.ts";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface CountingServer extends TestServer {
  readonly seen: Seen[];
  /** Connections on which requests came. */
  readonly connections: number;
}

type Answer = (response: http.ServerResponse, request: Seen, index: number) => void;

/** @param answer told the request, read to its end, and its number from 0. */
export async function countingServer(answer: Answer): Promise<CountingServer> {
  const seen: Seen[] = [];
  const ports = new Set<number | undefined>();
  const server = await httpServer((request, response) => {
    ports.add(request.socket.remotePort);
    let body = "";
    request.setEncoding("latin1");
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, path: url, headers, body };
      seen.push(one);
      answer(response, one, seen.length - 1);
    });
  });
  return {
    ...server,
    seen,
    get connections() {
      return ports.size;
    },
  };
}

/** 503 for the first `refusals` requests, then 200. */
export function refusing(refusals: number, headers: Record<string, string> = {}): Answer {
  return (response, _request, index) => {
    const isRefused = index < refusals;
    response.writeHead(isRefused ? 503 : 200, { "x-number": String(index), ...headers });
    response.end(isRefused ? "too much" : "done");
  };
}
