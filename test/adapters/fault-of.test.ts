/** What went wrong, told from the errors that this runtime's fetch and undici really make. */

import { request } from "undici/index.js";
import { describe, expect, test } from "vitest";
import { faultOf } from "../../src/adapters/fault-of.ts";
import { AttemptTimeoutError } from "../../src/adapters/overload-control-error.ts";
import { deadUrl, httpsServer, rawServer } from "../support/servers.ts";

const never = (): never => {
  throw new Error("It should have failed");
};

const ways = {
  fetch: async (url: string, ms: number): Promise<unknown> =>
    await fetch(url, { signal: AbortSignal.timeout(ms) }).then(never, (error: unknown) => error),
  undici: async (url: string, ms: number): Promise<unknown> =>
    await request(url, { signal: AbortSignal.timeout(ms) }).then(never, (error: unknown) => error),
};

describe.each(Object.entries(ways))("the errors of %s", (_name, failing) => {
  test("nobody listens: refused", async () => {
    expect(faultOf(await failing(await deadUrl(), 20_000))).toBe("refused");
  });

  test("closed, or reset, before an answer: reset", async () => {
    for (const cut of ["destroy", "resetAndDestroy"] as const) {
      const server = await rawServer((socket) => socket[cut]());
      expect(faultOf(await failing(server.url, 20_000))).toBe("reset");
      await server.close();
    }
  });

  test("no answer in time: timeout", async () => {
    const server = await rawServer(() => {});
    expect(faultOf(await failing(server.url, 100))).toBe("timeout");
    await server.close();
  });

  test("a certificate that does not verify: ours", async () => {
    const server = await httpsServer((_request, response) => response.end());
    expect(faultOf(await failing(server.url, 20_000))).toBe("client");
    await server.close();
  });

  test("an address that is none: ours", async () => {
    for (const address of ["nope", "ftp://a.test/"]) {
      const error = await failing(address, 20_000).catch((thrown: unknown) => thrown);
      expect(faultOf(error)).toBe("client");
    }
  });

  test("a name that does not exist: ours", async () => {
    const error = await failing("http://does-not-exist.invalid/", 5000);
    // A resolver that does not answer in time is as good as none.
    expect(["client", "timeout"]).toContain(faultOf(error));
  });
});

describe("faultOf()", () => {
  const coded = (code: string, message = "", options: ErrorOptions = {}): Error =>
    Object.assign(new Error(message, options), { code });

  test.each([
    [coded("ECONNREFUSED"), "refused"],
    [coded("ERR_SOMETHING_ELSE"), "other"],
    [new Error("no idea"), "other"],
    ["a text", "other"],
    [undefined, "other"],
    [null, "other"],
    [new DOMException("late", "TimeoutError"), "timeout"],
    [new AttemptTimeoutError(2), "timeout"],
    [new TypeError("fetch failed", { cause: coded("ECONNREFUSED") }), "refused"],
    [new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")], "all"), "refused"],
    [new TypeError("fetch failed", { cause: new AggregateError([coded("ETIMEDOUT")], "all") }), "timeout"],
    [coded("ERR_SOMETHING_ELSE", "told by its cause", { cause: coded("ECONNREFUSED") }), "refused"],
  ] as const)("%s: %s", (error, fault) => {
    expect(faultOf(error)).toBe(fault);
  });

  test("an error that is its own cause comes to an end", () => {
    const circular = new Error("round");
    circular.cause = circular;
    expect(faultOf(circular)).toBe("other");
  });
});
