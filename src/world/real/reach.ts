/** Whether anybody listens at a URL: one TCP connection, no request, so nothing is asked of the target. */

import net from "node:net";
import { errorCodeOf } from "./faults.ts";

const CONNECT_TIMEOUT_MS = 3_000;

/** @returns undefined when a connection was taken, else the error's code (`ECONNREFUSED`, `ENOTFOUND`, `timeout`, ...). */
export function whyUnreachable(url: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) });
    const end = (code: string | undefined): void => {
      socket.destroy();
      resolve(code);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end("timeout"));
    socket.once("connect", () => end(undefined));
    socket.once("error", (error) => {
      const code = errorCodeOf(error);
      // Somebody took the connection and threw it away: that is a target to measure.
      end(code === "ECONNRESET" ? undefined : code);
    });
  });
}
