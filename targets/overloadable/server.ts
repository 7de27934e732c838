import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Backend, type BackendCounters } from "./backend.ts";
import { burn } from "./burn.ts";
import type { OverloadableOptions } from "./options.ts";
import { runtimeName } from "./runtime.ts";
import { turnsOf } from "./turns.ts";

/** What `GET /__stats` answers. Counters run since the start, apart from `queueMax`. */
export interface OverloadableStats extends BackendCounters {
  readonly kind: "overloadable";
  readonly mode: OverloadableOptions["mode"];
  /** Requests refused with 413 for their body's declared length. They are no work and in no other counter. */
  readonly oversized: number;
  /** User and system time of the process, everything included. */
  readonly cpuTotalSeconds: number;
  readonly uptimeSeconds: number;
  readonly runtime: ReturnType<typeof runtimeName>;
  readonly options: OverloadableOptions;
}

const CRITICALITIES: readonly string[] = ["CRITICAL_PLUS", "CRITICAL", "SHEDDABLE_PLUS", "SHEDDABLE"];

/** A longer request body ends its connection. */
export const BODY_BYTES_MAX = 1_048_576;

/** Longer than any pause between trials: one closed just as its next request arrives would look like a fault. */
const KEEP_ALIVE_MS = 600_000;

/** A response as it goes out: the headers flat, as `writeHead` takes them without building an object. */
interface Answer {
  readonly status: number;
  readonly headers: string[];
  readonly body: Buffer;
}

/** Builds the server. It does not listen yet. */
export function createOverloadableServer(options: OverloadableOptions): Server {
  const accepted = answerOf(200, "ok\n");
  const rejected = answerOf(
    options.status,
    "overloaded\n",
    options.retryAfter === null ? [] : ["Retry-After", String(options.retryAfter)],
  );
  const healthy = answerOf(200, "healthy\n");
  const tooLarge = answerOf(413, "request body too large\n", ["Connection", "close"]);
  const server = createServer({ noDelay: true, keepAliveTimeout: KEEP_ALIVE_MS });
  // Connections that were opened ahead of their first request must live: both would close them after a minute or five.
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  let oversized = 0;

  const backend = new Backend<ServerResponse>(
    {
      mode: options.mode,
      acceptMs: options.acceptMs,
      rejectMs: options.rejectMs,
      capacity: options.mode === "shed" ? options.queue : options.fifoQueue,
      reserve: options.reserve,
    },
    {
      burn,
      defer: turnsOf(server),
      isAbandoned: (response) => response.destroyed,
      accept: (response) => send(response, accepted),
      reject: (response) => send(response, rejected),
    },
  );

  const stats = (): OverloadableStats => {
    const { user, system } = process.cpuUsage();
    return {
      kind: "overloadable",
      mode: options.mode,
      ...backend.read(),
      oversized,
      cpuTotalSeconds: (user + system) / 1e6,
      uptimeSeconds: process.uptime(),
      runtime: runtimeName(),
      options,
    };
  };

  server.on("request", (request, response) => {
    if (request.method === "GET") {
      if (request.url === "/__stats") {
        send(response, answerOf(200, `${JSON.stringify(stats())}\n`, [], "application/json"));
        return;
      }
      if (request.url === "/__health") {
        send(response, healthy);
        return;
      }
    } else if (declaredLength(request) > BODY_BYTES_MAX) {
      oversized += 1;
      send(response, tooLarge);
      return;
    } else {
      drain(request);
    }
    backend.arrive(response, options.reserve === 0 ? 0 : criticalityOf(request));
  });
  return server;
}

function answerOf(status: number, text: string, extra: readonly string[] = [], type = "text/plain"): Answer {
  const body = Buffer.from(text);
  return { status, body, headers: ["Content-Type", type, "Content-Length", String(body.length), ...extra] };
}

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

/** By the names of the SRE book, chapter 21; who says nothing is CRITICAL. */
function criticalityOf(request: IncomingMessage): number {
  const named = CRITICALITIES.indexOf(String(request.headers["x-criticality"]).toUpperCase());
  return named < 0 ? 1 : named;
}

function declaredLength(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

/** Reads the body and forgets it. One without a declared length may still be too long: its connection is cut. */
function drain(request: IncomingMessage): void {
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) request.socket.destroy();
  });
}
