/**
 * A server that costs less than any client of it: nginx, one worker on the last processor, answers from its configuration. In
 * the clear and over TLS, in three sizes: what nginx says by itself (150 bytes), the headers of an application behind a proxy
 * (470 bytes), the same with a body of 1 KB.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { TEST_CERTIFICATE, TEST_KEY } from "../support/tls-certificate.ts";
import { findExecutable, pinned } from "./executables.ts";

export const SIZES = ["tiny", "headers", "body"] as const;
export type Size = (typeof SIZES)[number];

export interface CheapServer {
  url(size: Size, secure: boolean): string;
  /** Requests that it has answered so far. */
  requests(): Promise<number>;
  stop(): Promise<void>;
}

const HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "private, max-age=0, must-revalidate",
  ETag: 'W/\\"2a-1234567890abcdef\\"',
  Vary: "Accept-Encoding, Origin",
  "X-Request-Id": "7b2f9c1e-3f51-4f0e-9f5c-0123456789ab",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
};
const BODY_BYTES = 1024;
const START_MS = 50;
const START_TRIES = 60;

/** @returns undefined where nginx is not installed. */
export async function startCheapServer(): Promise<CheapServer | undefined> {
  const nginx = findExecutable("nginx") ?? ["/usr/sbin/nginx"].find((file) => findExecutable(file) !== undefined);
  if (nginx === undefined) return undefined;
  const folder = mkdtempSync(path.join(os.tmpdir(), "overload-bench-nginx-"));
  const [port, securePort] = [await freePort(), await freePort()];
  writeFileSync(path.join(folder, "key.pem"), TEST_KEY);
  writeFileSync(path.join(folder, "certificate.pem"), TEST_CERTIFICATE);
  writeFileSync(path.join(folder, "nginx.conf"), configuration(folder, port, securePort));
  const [command = "", ...args] = pinned([nginx, "-c", path.join(folder, "nginx.conf"), "-e", "stderr"]);
  const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const origin = `http://127.0.0.1:${port}`;
  await answering(`${origin}/tiny`);
  return {
    url: (size, secure) => `${secure ? `https://127.0.0.1:${securePort}` : origin}/${size}`,
    async requests() {
      const text = await (await fetch(`${origin}/status`)).text();
      // accepts, handled, requests: this question is one of them.
      return Number(/^\s*\d+\s+\d+\s+(\d+)\s*$/m.exec(text)?.[1]);
    },
    async stop() {
      child.kill("SIGTERM");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(url: string): Promise<void> {
  for (let left = START_TRIES; left > 0; left -= 1) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await sleep(START_MS);
  }
  throw new Error(`nginx does not answer at ${url}`);
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function configuration(folder: string, port: number, securePort: number): string {
  const fields = Object.entries(HEADERS).map(([name, value]) => `add_header ${name} "${value}";`);
  const real = ["default_type application/json;", ...fields].join(" ");
  const locations = `
    location = /tiny { return 200 "ok"; }
    location = /headers { ${real} return 200 "ok"; }
    location = /body { ${real} return 200 "${"x".repeat(BODY_BYTES)}"; }
    location = /status { stub_status; }`;
  return `daemon off;
${process.getuid?.() === 0 ? "user root;\n" : ""}worker_processes 1;
pid "${folder}/nginx.pid";
error_log stderr crit;
events { worker_connections 8192; }
http {
  access_log off;
  default_type text/plain;
  keepalive_requests 1000000000;
  client_body_temp_path "${folder}/1"; proxy_temp_path "${folder}/2"; fastcgi_temp_path "${folder}/3";
  uwsgi_temp_path "${folder}/4"; scgi_temp_path "${folder}/5";
  server { listen 127.0.0.1:${port} backlog=4096;${locations}
  }
  server { listen 127.0.0.1:${securePort} ssl backlog=4096;
    ssl_certificate "${folder}/certificate.pem"; ssl_certificate_key "${folder}/key.pem";${locations}
  }
}
`;
}
