/**
 * A backend for the examples: it takes its first requests, and answers 503 to all others, like one that has collapsed.
 */

import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Backend {
  readonly url: string;
  /** Requests that it has seen. */
  readonly seen: () => number;
  close(): void;
}

export async function startBackend(room: number): Promise<Backend> {
  let seen = 0;
  const server = http.createServer((_request, response) => {
    seen += 1;
    response.writeHead(seen <= room ? 200 : 503);
    response.end(seen <= room ? "done" : "too much");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen: () => seen,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
