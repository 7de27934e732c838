/** Targets behind a Unix domain socket. */

import { mkdtemp, rm } from "node:fs/promises";
import type net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { whyUnreachable } from "../../../src/world/real/reach.ts";
import { OK, Probe, type ProbeOptions } from "../../support/probe.ts";
import { httpServer, httpsServer, rawServer } from "../../support/servers.ts";
import { TEST_CERTIFICATE } from "../../support/tls-certificate.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

let folder = "";
let unixPath = "";
const closing: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "overload-"));
  unixPath = join(folder, "target.sock");
});

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
  await rm(folder, { recursive: true, force: true });
});

function probe(url: string, connections: ProbeOptions["connections"] = {}): Probe {
  const made = new Probe(url, { connections: { unixPath, ...connections } });
  closing.push(made);
  return made;
}

describe.skipIf(process.platform === "win32")("a Unix socket", () => {
  it("is where connections go, whatever the URL's host is, which the request names", async () => {
    const hosts: (string | undefined)[] = [];
    const server = await httpServer(
      (request, response) => {
        hosts.push(request.headers.host);
        response.end("hello");
      },
      {},
      { unixPath },
    );
    closing.push(server);
    const one = probe("http://shop.invalid/", { preopen: 2 });
    await one.transport.prepare();
    expect(await one.attempts(3)).toEqual([OK, OK, OK]);
    expect(hosts).toEqual(Array(3).fill("shop.invalid"));
    expect(one.connections).toMatchObject({ wanted: 2, opened: 2, preopened: 2, reused: 2 });
    expect(one.connections.addresses).toEqual({ [unixPath]: 2 });
  });

  it("carries TLS for https, verified by the URL's name", async () => {
    closing.push(await httpsServer((_request, response) => response.end("hello"), {}, { unixPath }));
    const tls = { ...PLAIN_CONNECTIONS.tls, ca: TEST_CERTIFICATE };
    const one = probe("https://localhost/", { tls });
    expect(await one.attempts(2)).toEqual([OK, OK]);
    expect(one.connections).toMatchObject({ opened: 1, addresses: { [unixPath]: 1 } });
    expect(await probe("https://other.example/", { tls }).attempt()).toMatchObject({ fault: "client" });
  });

  it("gives up an attempt at its deadline, and goes on after", async () => {
    let deaf = true;
    const sockets = new Set<net.Socket>();
    const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    closing.push(await rawServer((socket) => void (deaf || socket.write(answer)), { unixPath, sockets }));
    const one = probe("http://localhost/");
    expect(await one.attempt(100)).toMatchObject({ fault: "timeout" });
    deaf = false;
    expect(await one.attempt()).toEqual(OK);
    expect(one.connections).toMatchObject({ opened: 2, closedByPeer: 0 });
    await one.close();
    await expect.poll(() => sockets.size).toBe(0);
  });

  it("refuses when there is none at the path", async () => {
    expect(await probe("http://localhost/").attempt()).toMatchObject({ fault: "refused", errorCode: "ENOENT" });
    expect(await whyUnreachable("http://localhost/", { ...PLAIN_CONNECTIONS, unixPath })).toBe("ENOENT");
  });
});
