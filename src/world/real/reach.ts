/** Whether anybody listens at a URL: one connection, no request, so nothing is asked of the target. */

import { clearTimeout, setTimeout } from "node:timers";
import type { ConnectionSpec } from "../../engine/trial-spec.ts";
import { ConnectionFactory, DEADLINE } from "./connector.ts";
import { errorCodeOf, faultOf } from "./faults.ts";

const CONNECT_TIMEOUT_MS = 3_000;
/** Whoever takes a connection is there; how long TLS then takes is for the trial to measure. */
const TAKEN_TIMEOUT_MS = 1_000;

/**
 * Connects as a trial would: to the Unix socket, to the addresses of `--resolve`, or to those of the name, one after the
 * other; with TLS where the URL says so.
 *
 * @returns undefined when a connection was taken, else the error's code (`ECONNREFUSED`, `ENOTFOUND`, `timeout`, ...).
 * @throws RangeError when the TLS options hold no certificate or key where there should be one.
 */
export async function whyUnreachable(url: string, connections: ConnectionSpec): Promise<string | undefined> {
  const target = new URL(url);
  const connector = new ConnectionFactory(target, connections).connector();
  return await new Promise((resolve) => {
    const timers = [
      setTimeout(() => connector.answered && connector.abandon(), TAKEN_TIMEOUT_MS),
      setTimeout(() => connector.abandon(), CONNECT_TIMEOUT_MS),
    ];
    // What is offered must be what the trial will offer.
    connector.connect(connections.http2, (error, socket) => {
      for (const timer of timers) clearTimeout(timer);
      socket?.on("error", ignore);
      socket?.destroy();
      if (error === null || isTargetToMeasure(error, connector.answered)) resolve(undefined);
      else resolve(error === DEADLINE ? "timeout" : errorCodeOf(error));
    });
  });
}

/** Somebody took the connection and threw it away, or cannot finish TLS: it is there, and what it does is worth measuring. */
function isTargetToMeasure(error: Error, answered: boolean): boolean {
  const code = errorCodeOf(error);
  if (code === "ECONNRESET") return true;
  const fault = faultOf(code, error.message);
  return answered && (error === DEADLINE || fault === "reset" || fault === "timeout");
}

/** What becomes of a connection that is being thrown away does not matter. */
function ignore(): void {}
