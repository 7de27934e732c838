/** A client of undici on a connection in memory: what a user of undici gets for the answer, its own checks included. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { Client, type Dispatcher } from "undici/index.js";
import { type FuzzCase, LIMITS, latin1, piecesOf, refusedVerdict, type Verdict, WANTED } from "./fuzz-case.ts";
import { PiecewiseSocket } from "./piecewise-socket.ts";

export async function readByUndici(tried: FuzzCase): Promise<Verdict> {
  const answer = new Answer();
  let open: Verdict["open"] = "incomplete";
  const socket = new PiecewiseSocket(piecesOf(tried), () => {
    open = answer.outcome;
  });
  const client = new Client("http://target.test", {
    // Never at once, as no real connection does: undici would take no notice of it.
    connect: (_options, connected) => queueMicrotask(() => connected(null, socket as never)),
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: LIMITS.headBytesMax,
    maxResponseSize: LIMITS.bodyBytesMax,
  });
  client.dispatch({ path: "/", method: tried.bodiless ? "HEAD" : "GET" }, answer);
  await answer.over;
  // The answer was over before all pieces were fed: then it was so while the connection was open.
  if (!answer.atEnd(socket)) open = answer.outcome;
  await nextTurn();
  const persistent = !socket.destroyed;
  await client.destroy();
  if (answer.outcome !== "complete")
    return { ...refusedVerdict(open === "incomplete" ? open : "refused", answer.reason) };
  return {
    open,
    ended: "complete",
    reason: "",
    status: answer.status,
    bodyBytes: answer.body.length,
    body: answer.body,
    persistent,
    excessBytes: undefined,
    headers: answer.headers,
  };
}

class Answer implements Dispatcher.DispatchHandler {
  outcome: Verdict["open"] = "incomplete";
  reason = "";
  status = 0;
  body = "";
  headers: string[] = [];
  readonly over: Promise<void>;
  #end: () => void = () => {};

  constructor() {
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  atEnd(socket: PiecewiseSocket): boolean {
    return socket.readableEnded;
  }

  /** By this undici knows that the handler is of the present kind. */
  onRequestStart(): void {}

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.status = status;
    this.headers = wantedOf((controller.rawHeaders ?? []) as Buffer[]);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body += latin1(chunk);
  }

  onResponseEnd(): void {
    this.outcome = "complete";
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.outcome = "refused";
    this.reason = /\((.*)\)$/.exec(error.message)?.[1] ?? error.message;
    this.#end();
  }
}

function wantedOf(raw: readonly (Buffer | string)[]): string[] {
  const wanted: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at], raw[at + 1]].map((text) =>
      typeof text === "string" ? text : latin1(text as Buffer),
    );
    const lower = (name as string).toLowerCase();
    if (WANTED.includes(lower)) wanted.push(lower, (value as string).replace(/[ \t]+$/, ""));
  }
  return wanted;
}
