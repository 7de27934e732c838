import { createServer, type Server, type ServerResponse } from "node:http";
import { Failure } from "./failure.ts";
import { WorkerPool } from "./worker-pool.ts";

/** Connections that the kernel may hold ready; it takes the smaller of this and its own limit. */
const BACKLOG = 4096;
/** A bound on memory, far beyond what a client waits for. */
const QUEUE_MAX = 100_000;
/** Longer than any pause between trials: the server in front must never find its connection just closed. */
const KEEP_ALIVE_MS = 3_600_000;

export interface UpstreamOptions {
  readonly upstreamMs: number;
  readonly upstreamWorkers: number;
}

/**
 * Starts the slow application behind a real server, in this process, on a Unix domain socket. `GET /__stats` answers with
 * its counters at once; every other request is work.
 *
 * @throws Failure when there can be no socket of that name.
 */
export async function openUpstream(path: string, options: UpstreamOptions): Promise<Server> {
  const pool = new WorkerPool<ServerResponse>(options.upstreamWorkers, options.upstreamMs, QUEUE_MAX, {
    nowMs: () => performance.now(),
    wake: (afterMs, step) => void setTimeout(step, Math.max(0, Math.ceil(afterMs))),
    isAbandoned: (response) => response.destroyed,
    answer: (response) => send(response, 200, "ok\n"),
    refuse: (response) => send(response, 503, "the upstream's queue is full\n"),
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    if (request.url === "/__stats") {
      send(response, 200, `${JSON.stringify({ kind: "upstream", ...pool.read() })}\n`, "application/json");
      return;
    }
    request.resume();
    pool.arrive(response);
  });
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new Failure(`Cannot listen on ${path}: ${error.message}`)));
    server.listen({ path, backlog: BACKLOG }, resolve);
  });
  return server;
}

function send(response: ServerResponse, status: number, text: string, type = "text/plain"): void {
  const body = Buffer.from(text);
  response.writeHead(status, ["Content-Type", type, "Content-Length", String(body.length)]);
  response.end(body);
}
