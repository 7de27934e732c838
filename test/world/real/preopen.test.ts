/** Connections that are opened before the first arrival. */

import type net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { connectionRemarks } from "../../../src/world/real/connection-remarks.ts";
import { OK, Probe, type ProbeOptions, pause } from "../../support/probe.ts";
import { deadUrl, httpServer, httpsServer, rawServer } from "../../support/servers.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const INSECURE = { ...PLAIN_CONNECTIONS.tls, insecure: true };

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

function keep<T extends { close(): Promise<void> }>(one: T): T {
  closing.push(one);
  return one;
}

function probe(url: string, connections: ProbeOptions["connections"] = {}, world: ProbeOptions["world"] = {}): Probe {
  return keep(new Probe(url, { connections: { ...connections }, world: { ...world } }));
}

describe("prepare()", () => {
  it("opens the connections and sends nothing on them; requests then find them open", async () => {
    let heard = "";
    const sockets = new Set<net.Socket>();
    const answer = (socket: net.Socket, data: string): void => {
      heard += data;
      socket.write(ANSWER);
    };
    const { url } = keep(await rawServer(answer, { sockets }));
    const one = probe(url, { preopen: 70 });
    await one.transport.prepare();
    expect(one.connections).toMatchObject({ wanted: 70, opened: 70, preopened: 70, failed: 0, reused: 0, peak: 70 });
    await expect.poll(() => sockets.size).toBe(70);
    expect(heard).toBe("");
    expect(await Promise.all(Array.from({ length: 70 }, () => one.attempt()))).toEqual(Array(70).fill(OK));
    expect(one.connections).toMatchObject({ wanted: 70, opened: 70, reused: 0, addresses: { "127.0.0.1": 70 } });
    expect(await one.attempt()).toEqual(OK);
    expect(one.connections).toMatchObject({ opened: 70, reused: 1 });
  });

  it("opens a bounded number at a time", async () => {
    let opening = 0;
    let most = 0;
    const lookup = async (): Promise<string[]> => ["127.0.0.1"];
    const onConnection = (): void => {
      opening += 1;
    };
    const { url } = keep(await rawServer(() => {}, { onConnection }));
    const one = keep(new Probe(url, { connections: { preopen: 200 }, sources: { lookup } }));
    const watch = setInterval(() => {
      most = Math.max(most, one.connections.wanted - one.connections.opened);
    }, 0);
    await one.transport.prepare();
    clearInterval(watch);
    expect(one.connections.preopened).toBe(200);
    await expect.poll(() => opening).toBe(200);
    expect(most).toBeLessThanOrEqual(32);
  });

  it("finishes the TLS handshake as well", async () => {
    const { url } = keep(await httpsServer((_request, response) => response.end()));
    const one = probe(url, { preopen: 3, tls: INSECURE });
    await one.transport.prepare();
    expect(one.connections).toMatchObject({ opened: 3, preopened: 3 });
    expect(await Promise.all([one.attempt(), one.attempt(), one.attempt()])).toEqual([OK, OK, OK]);
    expect(one.connections.opened).toBe(3);
  });

  it("counts what fails when nobody listens, and lets the run begin", async () => {
    const one = probe(await deadUrl(), { preopen: 50 });
    await one.transport.prepare();
    expect(one.connections).toMatchObject({ wanted: 50, failed: 50, opened: 0, preopened: 0 });
    expect(one.transport.remarks).toMatchObject([{ code: "connections-ahead", severity: "suspect", figure: 50 }]);
    expect(await one.attempt()).toMatchObject({ fault: "refused" });
  });

  it("gives up what takes too long, so that a target that hangs does not hold the start", async () => {
    const sockets = new Set<net.Socket>();
    const { url } = keep(await rawServer(() => {}, { sockets }));
    const one = probe(url.replace("http:", "https:"), { preopen: 40 });
    await one.transport.prepare(undefined, 0.2);
    expect(one.connections).toMatchObject({ wanted: 32, opened: 0, failed: 0 });
    expect(one.givenUp).toBe(32);
    await expect.poll(() => sockets.size).toBe(0);
  });

  it("gives up the one that hangs long before it gives up all", async () => {
    const { url } = keep(await rawServer(() => {}));
    const one = probe(url.replace("http:", "https:"), { preopen: 1 });
    const bound = pause(4500).then(() => "all");
    expect(await Promise.race([one.transport.prepare().then(() => "one"), bound])).toBe("one");
    expect(one.givenUp).toBe(1);
  });

  it("says that it is this process which may open no more files", () => {
    const [taken] = connectionRemarks(0, 7, 0);
    const [lacking] = connectionRemarks(0, 7, 3);
    expect([taken?.severity, lacking?.severity]).toEqual(["suspect", "invalid"]);
    expect(lacking?.hint).toContain("ulimit -n");
  });

  it("ends when it is asked to stop, and when the name is not found in time", async () => {
    const { url } = keep(await rawServer(() => {}));
    const hanging = probe(url.replace("http:", "https:"), { preopen: 4 });
    await hanging.transport.prepare(() => true);
    expect(hanging.givenUp).toBe(4);
    const lookup = () => new Promise<string[]>(() => {});
    const nameless = keep(new Probe("http://name.test/", { connections: { preopen: 2 }, sources: { lookup } }));
    await nameless.transport.prepare(undefined, 0.1);
    expect(nameless.givenUp).toBe(2);
  });

  it.each(["GET", "POST"])("replaces a connection that was closed before its first %s, silently", async (method) => {
    const sockets = new Set<net.Socket>();
    const { url } = keep(await rawServer((socket) => socket.write(ANSWER), { sockets }));
    for (const end of ["end", "destroy", "resetAndDestroy"] as const) {
      const one = probe(url, { preopen: 3 }, { method });
      await one.transport.prepare();
      await expect.poll(() => sockets.size).toBe(3);
      for (const socket of sockets) socket[end]();
      await expect.poll(() => one.connections.closedByPeer).toBe(3);
      expect(await Promise.all([one.attempt(), one.attempt(), one.attempt()])).toEqual([OK, OK, OK]);
      expect(one.connections).toMatchObject({ opened: 6, preopened: 3, closedByPeer: 3, stale: 0, reused: 0 });
      await one.close();
      await expect.poll(() => sockets.size).toBe(0);
    }
  });

  it("has a request sent again that meets the end of its connection half-way, once it lay idle", async () => {
    let left = 1;
    const answer = (socket: net.Socket): void => {
      left -= 1;
      if (left >= 0) socket.destroy();
      else socket.write(ANSWER);
    };
    const { url } = keep(await rawServer(answer));
    // On a machine that stands still for a moment, a break shows too late to be told from a reset: a few tries.
    await expect
      .poll(async () => {
        left = 1;
        const one = probe(url, { preopen: 1 });
        await one.transport.prepare();
        await pause(100);
        const { fault } = await one.attempt();
        expect(one.connections).toMatchObject({ stale: fault === "stale" ? 1 : 0, closedByPeer: 1 });
        return fault;
      })
      .toBe("stale");
  });

  it("keeps idle connections as long as the target does", async () => {
    const { url } = keep(await httpServer((_request, response) => response.end(), { keepAliveTimeout: 60_000 }));
    const one = probe(url, { preopen: 1 });
    await one.transport.prepare();
    expect(await one.attempt()).toEqual(OK);
    await pause(4500); // undici, left alone, closes after 4 s.
    expect(await one.attempt()).toEqual(OK);
    expect(one.connections).toMatchObject({ opened: 1, reused: 1, closedByPeer: 0 });
  });
});
