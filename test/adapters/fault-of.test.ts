/** What went wrong, told from the errors that this runtime's fetch and undici really make. */

import { request } from "undici/index.js";
import { describe, expect, test } from "vitest";
import { faultOf } from "../../src/adapters/fault-of.ts";
import { deadUrl, rawServer } from "../support/servers.ts";

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

  test("a name that does not exist: ours", async () => {
    const error = await failing("http://does-not-exist.invalid/", 5000);
    // A resolver that does not answer in time is as good as none.
    expect(["client", "timeout"]).toContain(faultOf(error));
  });
});

describe("faultOf()", () => {
  const coded = (code: string, message = ""): Error => Object.assign(new Error(message), { code });

  test.each([
    [coded("ECONNREFUSED"), "refused"],
    [coded("EHOSTUNREACH"), "refused"],
    [coded("ECONNRESET"), "reset"],
    [coded("EPIPE"), "reset"],
    [coded("UND_ERR_SOCKET", "other side closed"), "reset"],
    [coded("UND_ERR_SOCKET", "bad upgrade"), "other"],
    [coded("UND_ERR_HEADERS_TIMEOUT"), "timeout"],
    [coded("ETIMEDOUT"), "timeout"],
    [coded("EMFILE"), "client"],
    [coded("UND_ERR_INVALID_ARG"), "client"],
    [coded("UND_ERR_DESTROYED"), "client"],
    [coded("ERR_SOMETHING_ELSE"), "other"],
    [new Error("no idea"), "other"],
    ["a text", "other"],
    [undefined, "other"],
    [null, "other"],
    [Object.assign(new Error("late"), { name: "TimeoutError" }), "timeout"],
    [new TypeError("fetch failed", { cause: coded("ECONNREFUSED") }), "refused"],
    [new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")], "all"), "refused"],
    [new TypeError("fetch failed", { cause: new AggregateError([coded("ETIMEDOUT")], "all") }), "timeout"],
    [
      new TypeError("fetch failed", {
        cause: new Error("client error (Connect): tcp connect error: Connection refused (os error 111)"),
      }),
      "refused",
    ],
  ] as const)("%s: %s", (error, fault) => {
    expect(faultOf(error)).toBe(fault);
  });

  test("an error that is its own cause comes to an end", () => {
    const circular = new Error("round");
    circular.cause = circular;
    expect(faultOf(circular)).toBe("other");
  });
});
