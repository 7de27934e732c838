import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { formatScript } from "../../src/plan/script.ts";
import { type Answer, answerOf, NO_CONTENT, rejections, Sender, send } from "./answer.ts";
import type { BackendCounters } from "./backend.ts";
import { burn } from "./burn.ts";
import { BusyTime } from "./busy-time.ts";
import { createBackend } from "./create-backend.ts";
import type { OverloadableOptions } from "./options.ts";
import { runtimeName } from "./runtime.ts";
import { ScriptClock } from "./script-clock.ts";
import { parseTargetScript } from "./target-script.ts";
import { turnsOf } from "./turns.ts";

/** What `GET /__stats` answers. Counters run since the start, apart from `queueMax`. */
export interface OverloadableStats extends BackendCounters {
  readonly kind: "overloadable";
  readonly mode: OverloadableOptions["mode"];
  /** Requests refused with 413 for their body's declared length. They are no work and in no other counter. */
  readonly oversized: number;
  /** The script and how far it has come, null while it does not run; null: there is none. */
  readonly script: { readonly text: string; readonly secondsIn: number | null } | null;
  /** User and system time of the process, everything included. */
  readonly cpuTotalSeconds: number;
  /** Seconds of work that were asked for; what `cpuAcceptSeconds` and `cpuRejectSeconds` have beyond it was taken from it. */
  readonly askedSeconds: number;
  /** Seconds in which there was something to do; not in mode `slope`, whose work is waiting. */
  readonly busySeconds: number;
  readonly uptimeSeconds: number;
  readonly runtime: ReturnType<typeof runtimeName>;
  readonly options: OverloadableOptions;
}

const CRITICALITIES: readonly string[] = ["CRITICAL_PLUS", "CRITICAL", "SHEDDABLE_PLUS", "SHEDDABLE"];

/** A longer request body ends its connection. */
export const BODY_BYTES_MAX = 1_048_576;

/** Longer than any pause between trials: one closed just as its next request arrives would look like a fault. */
const KEEP_ALIVE_MS = 600_000;

/** Builds the server. It does not listen yet. */
export function createOverloadableServer(options: OverloadableOptions): Server {
  const tooLarge = answerOf(413, "request body too large\n", ["Connection", "close"]);
  const server = createServer({ noDelay: true, keepAliveTimeout: KEEP_ALIVE_MS });
  // Connections that were opened ahead of their first request must live: both would close them after a minute or five.
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  let oversized = 0;

  const script = options.script === null ? undefined : parseTargetScript(options.script, options);
  const clock = new ScriptClock(script ?? [], () => performance.now() / 1000);
  const sender = new Sender(() => clock.state().addedSeconds);
  const busy = new BusyTime(() => performance.now() / 1000);
  const accepted = answerOf(200, "ok\n");
  const rejected = rejections(options.status);
  let askedSeconds = 0;
  const backend = createBackend<ServerResponse>(options, {
    burn(milliseconds) {
      askedSeconds += milliseconds / 1000;
      return burn(milliseconds);
    },
    defer: busy.watch(turnsOf(server)),
    isAbandoned: (response) => response.destroyed,
    accept: (response) => sender.send(response, accepted),
    reject: (response) => sender.send(response, rejected(clock.state().retryAfterSeconds ?? options.retryAfter)),
    state: () => clock.state(),
    outagesOver: () => clock.outagesOver,
  });

  const scriptText = script === undefined ? undefined : formatScript(script);
  const stats = (): OverloadableStats => {
    const { user, system } = process.cpuUsage();
    const counters = backend.read();
    return {
      kind: "overloadable",
      mode: options.mode,
      ...counters,
      inFlight: counters.inFlight + sender.held,
      oversized,
      script: scriptText === undefined ? null : { text: scriptText, secondsIn: clock.secondsIn },
      cpuTotalSeconds: (user + system) / 1e6,
      askedSeconds,
      busySeconds: busy.seconds,
      uptimeSeconds: process.uptime(),
      runtime: runtimeName(),
      options,
    };
  };

  const controls = controlsOf(stats, script === undefined ? undefined : clock, () => backend.restartWarmth());
  server.on("request", (request, response) => {
    const { method, url = "" } = request;
    if (method !== "GET") {
      if (declaredLength(request) > BODY_BYTES_MAX) {
        oversized += 1;
        send(response, tooLarge);
        return;
      }
      drain(request);
    }
    const control = url.startsWith("/__") ? controls.get(`${method} ${url}`) : undefined;
    if (control !== undefined) send(response, control());
    else backend.arrive(response, options.reserve === 0 ? 0 : criticalityOf(request));
  });
  return server;
}

/** Everything that is not work, by method and path. */
function controlsOf(
  stats: () => OverloadableStats,
  script: ScriptClock | undefined,
  restartWarmth: () => void,
): ReadonlyMap<string, () => Answer> {
  const healthy = answerOf(200, "healthy\n");
  const noScript = answerOf(409, "this target has no script: start it with --script\n");
  return new Map([
    ["GET /__stats", () => answerOf(200, `${JSON.stringify(stats())}\n`, [], "application/json")],
    ["GET /__health", () => healthy],
    [
      "POST /__script",
      () => {
        script?.start();
        return script === undefined ? noScript : NO_CONTENT;
      },
    ],
    [
      "DELETE /__script",
      () => {
        script?.end();
        return NO_CONTENT;
      },
    ],
    [
      "DELETE /__warmth",
      () => {
        restartWarmth();
        return NO_CONTENT;
      },
    ],
  ]);
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
