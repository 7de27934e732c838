/** Connections to targets that have several addresses, or a name that is not found. */

import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { errorCodeOf } from "../../../src/world/real/faults.ts";
import { OK, Probe, type ProbeOptions, pause } from "../../support/probe.ts";
import { deadUrl, httpServer, type TestServer } from "../../support/servers.ts";

const HAS_IPV6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

async function server(host: string, port = 0): Promise<TestServer> {
  const answering = await httpServer((_request, response) => response.end("hello"), {}, { host, port });
  closing.push(answering);
  return answering;
}

function probe(url: string, options: ProbeOptions): Probe {
  const made = new Probe(url, options);
  closing.push(made);
  return made;
}

/** `name` instead of the address, which stands for `addresses`. */
function named(url: string): string {
  return url.replace(/\/\/[^/]*:/, "//name.test:");
}

function answers(...addresses: string[]): ProbeOptions {
  return { sources: { lookup: async () => addresses }, connections: { maxRequests: 1 } };
}

describe.skipIf(!HAS_IPV6)("a name with addresses of both families", () => {
  it.each(["127.0.0.1", "::1"])("is reached when only %s takes connections, at a rare connect more", async (host) => {
    const { url } = await server(host);
    for (const order of [
      ["::1", "127.0.0.1"],
      ["127.0.0.1", "::1"],
    ]) {
      const one = probe(named(url), answers(...order));
      expect(await one.attempts(6)).toEqual(Array(6).fill(OK));
      expect(one.connections).toMatchObject({ wanted: 6, opened: 6, failed: 0, addresses: { [host]: 6 } });
    }
  });

  it("spreads its connections over the addresses that take them", async () => {
    const { url } = await server("127.0.0.1");
    await server("::1", Number(new URL(url).port));
    const one = probe(named(url), answers("127.0.0.1", "::1"));
    expect(await one.attempts(6)).toEqual(Array(6).fill(OK));
    expect(one.connections.addresses).toEqual({ "127.0.0.1": 3, "::1": 3 });
  });

  it("is refused when all its addresses refuse, and found again as soon as one takes connections", async () => {
    const url = await deadUrl();
    const one = probe(named(url), answers("127.0.0.1", "::1"));
    const refused = { status: 0, fault: "refused", errorCode: "ECONNREFUSED" };
    expect(await one.attempts(4)).toEqual(Array(4).fill(refused));
    expect(one.connections).toMatchObject({ wanted: 4, opened: 0, failed: 4, addresses: {} });
    await server("::1", Number(new URL(url).port));
    expect(await one.attempts(4)).toEqual(Array(4).fill(OK));
    expect(one.connections).toMatchObject({ wanted: 8, opened: 4, failed: 4, addresses: { "::1": 4 } });
  });
});

describe("a target with one address", () => {
  it("is tried once when it refuses", async () => {
    const one = probe(await deadUrl(), {});
    expect(await one.attempt()).toMatchObject({ fault: "refused", errorCode: "ECONNREFUSED" });
    expect(one.connections).toMatchObject({ wanted: 1, failed: 1, opened: 0 });
  });

  it("is where --resolve says, whatever its name, and gets the name", async () => {
    const hosts: (string | undefined)[] = [];
    const answering = await httpServer((request, response) => {
      hosts.push(request.headers.host);
      response.end();
    });
    closing.push(answering);
    const port = Number(new URL(answering.url).port);
    const resolve = [{ host: "shop.invalid", port, addresses: ["127.0.0.1"] }];
    const one = probe(`http://shop.invalid:${port}/`, { connections: { resolve } });
    expect(await one.attempt()).toEqual(OK);
    expect(hosts).toEqual([`shop.invalid:${port}`]);
    expect(one.connections.addresses).toEqual({ "127.0.0.1": 1 });
  });
});

describe("a name that is not found", () => {
  it.each(["ENOTFOUND", "EAI_AGAIN"])("ends attempts with %s, a fault of our side and never overload", async (code) => {
    const failure = Object.assign(new Error("no"), { code });
    const one = probe("http://name.test/", { sources: { lookup: () => Promise.reject(failure) } });
    await one.transport.prepare();
    expect(await one.attempts(3)).toEqual(Array(3).fill({ status: 0, fault: "client", errorCode: code }));
    expect(one.connections).toMatchObject({ wanted: 3, failed: 3, opened: 0 });
  });

  it("is told by the system with a code that counts as ours", async () => {
    const one = probe("http://name.invalid/", {});
    const ended = await one.attempt();
    expect(ended.fault).toBe("client");
    expect(errorCodeOf({ code: ended.errorCode })).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it("holds no attempt longer than its deadline when nobody answers the question, and its lane goes on after", async () => {
    const { url } = await server("127.0.0.1");
    let answer: (addresses: string[]) => void = () => {};
    const lookup = () =>
      new Promise<string[]>((resolve) => {
        answer = resolve;
      });
    const one = probe(named(url), { sources: { lookup } });
    expect(await one.attempt(50)).toMatchObject({ fault: "timeout" });
    expect(one.givenUp).toBe(1);
    answer(["127.0.0.1"]);
    await pause(10);
    expect(await one.attempt()).toEqual(OK);
    expect(one.connections).toMatchObject({ wanted: 2, opened: 1, failed: 0 });
  });

  it("is noted when it was known and cannot be looked up again", async () => {
    const { url } = await server("127.0.0.1");
    const found: string[][] = [["127.0.0.1"]];
    const lookup = async (): Promise<string[]> => found.shift() ?? [];
    const one = probe(named(url), { sources: { lookup }, connections: { dnsTtlSeconds: 0, maxRequests: 1 } });
    expect(await one.attempts(3)).toEqual([OK, OK, OK]);
    expect(one.transport.remarks).toMatchObject([{ code: "name-lookup", severity: "note" }]);
  });
});
