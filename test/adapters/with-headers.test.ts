import { Agent, request } from "undici/index.js";
import { describe, expect, test } from "vitest";
import { overloadControl } from "../../src/adapters/overload-control.ts";
import type { DispatchOptions } from "../../src/adapters/undici-types.ts";
import { withHeaders } from "../../src/adapters/with-headers.ts";
import { countingServer, refusing } from "./counting-server.ts";

const OPTIONS: DispatchOptions = { path: "/", method: "GET" };

describe("withHeaders()", () => {
  test("adds to each form of headers, in place of those of the same name", () => {
    const added = ["x-a", "1"];
    const merged = (headers: unknown) => withHeaders({ ...OPTIONS, headers }, added).headers;
    expect(merged(undefined)).toEqual(["x-a", "1"]);
    expect(merged(null)).toEqual(["x-a", "1"]);
    expect(merged({ b: ["2", "3"], "X-A": "0" })).toEqual(["b", ["2", "3"], "x-a", "1"]);
    expect(merged(["b", "2", "X-A", "0"])).toEqual(["b", "2", "x-a", "1"]);
    const pairs = new Map([
      ["b", "2"],
      ["X-A", "0"],
    ]);
    expect([...(merged(pairs) as Iterable<unknown>)]).toEqual([
      ["b", "2"],
      ["x-a", "1"],
    ]);
  });

  test("what undici refuses alone it refuses with a policy's headers too, and no slot of a limiter is held", async () => {
    const server = await countingServer(refusing(0));
    const alone = new Agent();
    const malformed: readonly unknown[] = [
      "text",
      5,
      ["a"],
      [1, 2, 3],
      [1, 2],
      new Set(["a", "b"]),
      { "bad header": "x" },
    ];
    for (const startJitter of [0, 0.01]) {
      const dispatcher = new Agent().compose(
        overloadControl({ policy: "aimd", initialLimit: 2, minLimit: 1, attemptHeader: "x-a", startJitter }),
      );
      for (const headers of malformed) {
        const given = { headers: headers as string[] };
        const expected = await request(server.url, { ...given, dispatcher: alone }).catch((error) => error);
        const found = await request(server.url, { ...given, dispatcher }).catch((error) => error);
        expect(expected, String(headers)).toBeInstanceOf(Error);
        expect([found.name, found.message], String(headers)).toEqual([expected.name, expected.message]);
      }
      expect(await (await request(server.url, { dispatcher })).body.text()).toBe("done");
      await dispatcher.destroy();
    }
    await alone.destroy();
    await server.close();
  });
});
