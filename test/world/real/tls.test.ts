/** TLS as the flags say: whom to trust, whom to ask for, and who we are. */

import type http from "node:http";
import type { TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import type { TlsSpec } from "../../../src/engine/trial-spec.ts";
import { currentRuntime } from "../../../src/world/runtime.ts";
import { OK, Probe } from "../../support/probe.ts";
import { httpsServer, rawServer } from "../../support/servers.ts";
import { TEST_CERTIFICATE, TEST_KEY } from "../../support/tls-certificate.ts";
import { CHAIN, CHAIN_KEY, CHAIN_ROOT } from "../../support/tls-chain.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

const answer = (_request: http.IncomingMessage, response: http.ServerResponse): void => void response.end("hello");

function probe(url: string, tls: Partial<TlsSpec>, change: object = {}): Probe {
  const made = new Probe(url, { connections: { tls: { ...PLAIN_CONNECTIONS.tls, ...tls }, ...change } });
  closing.push(made);
  return made;
}

async function server(...args: Parameters<typeof httpsServer>) {
  const made = await httpsServer(...args);
  closing.push(made);
  return made;
}

describe("TLS", () => {
  it("trusts the given authority, and keeps the connection", async () => {
    const { url } = await server(answer);
    const one = probe(url, { ca: TEST_CERTIFICATE });
    expect(await one.attempts(3)).toEqual([OK, OK, OK]);
    expect(one.connections).toMatchObject({ wanted: 1, opened: 1, reused: 2, addresses: { "127.0.0.1": 1 } });
  });

  it("takes a certificate that does not verify for a fault of our side, each time anew", async () => {
    const { url } = await server(answer);
    const one = probe(url, {});
    for (const ended of await one.attempts(4)) {
      expect(ended).toMatchObject({ fault: "client", errorCode: expect.stringMatching(/CERT|UnknownIssuer/) });
    }
    expect(one.connections).toMatchObject({ wanted: 4, opened: 0, failed: 4, peak: 0 });
  });

  it("takes a certificate for another name for a fault of our side, each time anew", async () => {
    const { url } = await server(answer);
    const one = probe(url, { ca: TEST_CERTIFICATE, serverName: "other.example" });
    for (const ended of await one.attempts(4)) {
      expect(ended).toMatchObject({ fault: "client", errorCode: expect.stringContaining("CERT") });
    }
    expect(one.connections).toMatchObject({ wanted: 4, opened: 0, failed: 4 });
  });

  it("asks for the URL's name, or for the one that is given, and never for an address", async () => {
    const names: (string | false | null)[] = [];
    const { url } = await server((request, response) => {
      names.push((request.socket as TLSSocket & { servername: string | false | null }).servername);
      answer(request, response);
    });
    const port = Number(new URL(url).port);
    const resolve = [{ host: "shop.example", port, addresses: ["127.0.0.1"] }];
    const named = `https://shop.example:${port}/`;
    expect(await probe(named, { insecure: true }, { resolve }).attempt()).toEqual(OK);
    expect(await probe(named, { ca: TEST_CERTIFICATE, serverName: "localhost" }, { resolve }).attempt()).toEqual(OK);
    expect(await probe(url, { ca: TEST_CERTIFICATE }).attempt()).toEqual(OK);
    expect(names.map((name) => name || "none")).toEqual(["shop.example", "localhost", "none"]);
  });

  it("shows our certificate to a server that wants one", async () => {
    const { url } = await server(answer, { requestCert: true, rejectUnauthorized: true, ca: TEST_CERTIFICATE });
    const known = { ca: TEST_CERTIFICATE, cert: TEST_CERTIFICATE, key: TEST_KEY };
    expect(await probe(url, known).attempt()).toEqual(OK);
    const stranger = await probe(url, { ca: TEST_CERTIFICATE }).attempt();
    expect(stranger.status).toBe(0);
  });

  it("trusts an authority for what another one signed that it vouches for, and for nothing else", async () => {
    const { url } = await server(answer, { key: CHAIN_KEY, cert: CHAIN });
    expect(await probe(url, { ca: CHAIN_ROOT }).attempts(2)).toEqual([OK, OK]);
    const code = expect.stringMatching(/CERT|UNABLE_TO_VERIFY|UnknownIssuer/);
    expect(await probe(url, {}).attempt()).toMatchObject({ fault: "client", errorCode: code });
    expect(await probe(url, { ca: TEST_CERTIFICATE }).attempt()).toMatchObject({ fault: "client", errorCode: code });
    expect(await probe(url, { insecure: true }).attempt()).toEqual(OK);
  });

  // Deno resumes a session only where no authorities are given: see tls-sessions.test.ts.
  it.skipIf(currentRuntime().name === "deno").each(["TLSv1.2", "TLSv1.3"] as const)(
    "resumes the session on further connections, and counts them: %s",
    async (maxVersion) => {
      const resumed: boolean[] = [];
      const { url } = await server(
        (request, response) => {
          resumed.push((request.socket as TLSSocket).isSessionReused?.() ?? true);
          answer(request, response);
        },
        { maxVersion },
      );
      const one = probe(url, { ca: TEST_CERTIFICATE }, { maxRequests: 1 });
      expect(await one.attempts(4)).toEqual([OK, OK, OK, OK]);
      expect(resumed.length).toBe(4);
      expect(resumed.slice(1)).toEqual([true, true, true]);
      expect(one.connections).toMatchObject({ opened: 4, resumed: 3 });
    },
  );

  it("has no sessions to count in the clear", async () => {
    const { url, close } = await rawServer((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    closing.push({ close });
    const one = probe(url, {});
    expect(await one.attempt()).toEqual(OK);
    expect(one.connections.resumed).toBeUndefined();
  });

  it("takes a target that does not speak it for a failed attempt, not for overload", async () => {
    const { url, close } = await rawServer((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
    closing.push({ close });
    const one = probe(url.replace("http:", "https:"), {});
    expect(await one.attempt()).toMatchObject({ fault: "other", status: 0 });
    expect(one.connections).toMatchObject({ wanted: 1, opened: 0, failed: 1 });
  });

  it("counts a connection that the target closes while the handshake goes on as failed", async () => {
    const { url, close } = await rawServer((socket) => socket.destroy());
    closing.push({ close });
    const one = probe(url.replace("http:", "https:"), {});
    for (const ended of await one.attempts(3)) expect(ended).toMatchObject({ fault: "reset", status: 0 });
    expect(one.connections).toMatchObject({ wanted: 3, opened: 0, failed: 3 });
  });

  it.skipIf(currentRuntime().name === "deno")("is refused before the run with a key that is none", () => {
    expect(
      () =>
        new Probe("https://127.0.0.1/", {
          connections: { tls: { ...PLAIN_CONNECTIONS.tls, cert: TEST_CERTIFICATE, key: "no key" } },
        }),
    ).toThrow(RangeError);
  });
});
