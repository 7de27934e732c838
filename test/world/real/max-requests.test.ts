/** Connections that are closed after so many requests. */

import { afterEach, describe, expect, it } from "vitest";
import { OK, Probe } from "../../support/probe.ts";
import { httpServer } from "../../support/servers.ts";

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

/** A server that notes each request's connection (by its port there) and what it is to become of it. */
async function noting() {
  const seen: { port: number; connection: string }[] = [];
  const server = await httpServer((request, response) => {
    seen.push({ port: request.socket.remotePort ?? 0, connection: request.headers.connection ?? "" });
    response.end("x");
  });
  closing.push(server);
  return { url: server.url, seen };
}

describe("maxRequests", () => {
  it.each([
    [1, "close"],
    [2, "keep-alive close"],
    [3, "keep-alive keep-alive close"],
  ])("of %d closes each connection with its last request, which says so", async (maxRequests, round) => {
    const { url, seen } = await noting();
    const one = new Probe(url, { connections: { maxRequests } });
    closing.push(one);
    expect(await one.attempts(maxRequests * 3)).toEqual(Array(maxRequests * 3).fill(OK));
    expect(seen.map(({ connection }) => connection).join(" ")).toBe([round, round, round].join(" "));
    expect(new Set(seen.map(({ port }) => port)).size).toBe(3);
    expect(one.connections).toMatchObject({
      wanted: 3,
      opened: 3,
      reused: (maxRequests - 1) * 3,
      closedByPeer: 0,
      peak: 1,
    });
  });

  it("counts anew on the next connection also when the next request comes before the last one has gone", async () => {
    const { url, seen } = await noting();
    const one = new Probe(url, { connections: { maxRequests: 3 } });
    closing.push(one);
    for (let made = 0; made < 9; made += 1) expect(await one.attempt()).toEqual(OK);
    expect(seen.filter(({ connection }) => connection === "close").length).toBe(3);
    expect(one.connections).toMatchObject({ opened: 3, reused: 6 });
  });

  it("left open keeps connections for HEAD and for GET with a body too", async () => {
    const { url, seen } = await noting();
    for (const world of [{ method: "HEAD" }, { method: "GET", body: new TextEncoder().encode("query") }]) {
      const one = new Probe(url, { world });
      closing.push(one);
      expect(await one.attempts(4)).toEqual(Array(4).fill(OK));
      expect(one.connections).toMatchObject({ opened: 1, reused: 3 });
    }
    expect(new Set(seen.map(({ connection }) => connection))).toEqual(new Set(["keep-alive"]));
  });
});
