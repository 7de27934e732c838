import { afterEach, describe, expect, it } from "vitest";
import type { ConnectionSpec } from "../../../src/engine/trial-spec.ts";
import { whyUnreachable } from "../../../src/world/real/reach.ts";
import { startDeafServer } from "../../support/deaf-server.ts";
import { h2SecureServer } from "../../support/h2-server.ts";
import { deadUrl, httpServer, httpsServer, rawServer } from "../../support/servers.ts";
import { TEST_CERTIFICATE } from "../../support/tls-certificate.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

function keep<T extends { close(): Promise<void> }>(one: T): T {
  closing.push(one);
  return one;
}

function why(url: string, change: Partial<ConnectionSpec> = {}): Promise<string | undefined> {
  return whyUnreachable(url, { ...PLAIN_CONNECTIONS, ...change });
}

describe("whyUnreachable()", () => {
  it("finds a target without asking it for anything", async () => {
    let requests = 0;
    const counting = await httpServer(() => {
      requests += 1;
    });
    const { url } = keep(counting);
    expect(await why(url)).toBeUndefined();
    expect(await why(url.replace("127.0.0.1", "localhost"))).toBeUndefined();
    expect(requests).toBe(0);
  });

  it("offers the protocol that the trial will speak: a server of HTTP/2 alone is there", async () => {
    const { url } = keep(await h2SecureServer(() => {}, { allowHTTP1: false }));
    const tls = { ...PLAIN_CONNECTIONS.tls, insecure: true };
    expect(await why(url, { http2: true, tls })).toBeUndefined();
  });

  it("tells that nobody listens, or that the name is not found", async () => {
    expect(await why(await deadUrl())).toBe("ECONNREFUSED");
    expect(await why("http://name.invalid/")).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it("goes where --resolve says, to the next address when one refuses", async () => {
    const { url } = keep(await httpServer(() => {}));
    const port = Number(new URL(url).port);
    const at = (addresses: string[]) => ({ resolve: [{ host: "shop.invalid", port, addresses }] });
    expect(await why(`http://shop.invalid:${port}/`, at(["127.0.0.2", "127.0.0.1"]))).toBeUndefined();
    expect(await why(`http://shop.invalid:${port}/`, at(["127.0.0.2"]))).toBe("ECONNREFUSED");
  });

  it("tells of a certificate that a trial would not accept", async () => {
    const { url } = keep(await httpsServer(() => {}));
    expect(await why(url)).toMatch(/CERT|UnknownIssuer/);
    expect(await why(url, { tls: { ...PLAIN_CONNECTIONS.tls, insecure: true } })).toBeUndefined();
    expect(await why(url, { tls: { ...PLAIN_CONNECTIONS.tls, ca: TEST_CERTIFICATE } })).toBeUndefined();
  });

  it("takes a target that throws connections away, or does not finish TLS, for one to measure", async () => {
    const throwing = keep(await rawServer(() => {}, { onConnection: (socket) => socket.resetAndDestroy() }));
    expect(await why(throwing.url)).toBeUndefined();
    const breaking = keep(await rawServer((socket) => socket.destroy()));
    expect(await why(breaking.url.replace("http:", "https:"))).toBeUndefined();
    const hanging = keep(await rawServer(() => {}));
    expect(await why(hanging.url.replace("http:", "https:"))).toBeUndefined();
  });

  it("waits longer for a connection to be taken than for the TLS of one that was", async () => {
    const hanging = keep(await rawServer(() => {}));
    const deaf = keep(await startDeafServer());
    const taken = why(hanging.url.replace("http:", "https:")).then(() => "taken");
    expect(await Promise.race([why(deaf.url), taken])).toBe("taken");
  });

  it("calls it a time-out when no connection is taken at all", async () => {
    const { url } = keep(await startDeafServer());
    expect(await why(url)).toBe("timeout");
  });
});
