/** The examples run, and do what they are there to show. */

import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs the example's own top level, and gives what it printed. */
async function run(load: () => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((...words: unknown[]) => {
    lines.push(words.join(" "));
  });
  await load();
  return lines.join("\n");
}

test.each([
  ["interceptor", () => import("./examples/undici-interceptor.ts")],
  ["fetch", () => import("./examples/fetch-wrapper.ts")],
] as const)("the %s example sends less than it is asked to, and its counts add up", async (name, load) => {
  const text = await run(load);
  const [ok, overloaded, notSent, seen] = (text.match(/\d+/g) ?? []).map(Number) as [number, number, number, number];
  expect(text).toBe(`${name}: ${ok} ok, ${overloaded} overloaded, ${notSent} not sent; the backend saw ${seen}`);
  expect(ok + overloaded + notSent).toBe(200);
  expect(ok).toBe(50);
  expect(notSent).toBeGreaterThan(20);
  expect(seen).toBeGreaterThanOrEqual(ok + overloaded);
  expect(seen).toBeLessThan(200);
});

test("the metrics example counts attempts and calls", async () => {
  const text = await run(() => import("./examples/metrics.ts"));
  const counts = Object.fromEntries(text.split("\n").map((line) => line.split(": ") as [string, string]));
  const count = (name: string): number => Number(counts[name] ?? 0);
  expect(count("overload_control.calls ok") + count("overload_control.calls failed")).toBe(30);
  expect(count("overload_control.attempts accepted")).toBe(count("overload_control.calls ok"));
  // Each call that failed made two attempts.
  expect(count("overload_control.attempts overloaded")).toBeGreaterThanOrEqual(
    2 * count("overload_control.calls failed"),
  );
  expect(count("retried")).toBeGreaterThan(0);
});

test("the plain client example throttles itself", async () => {
  const text = await run(() => import("./examples/plain-client.ts"));
  expect(text).toMatch(
    /^client: \{"ok":\d+,"throttled":\d+,"budget":\d+,"failed":\d+\}, rejects 0\.\d\d now; the backend saw \d+$/,
  );
  const [ok, throttled, budget, failed] = (text.match(/\d+/g) ?? []).map(Number) as [number, number, number, number];
  expect(ok + throttled + budget + failed).toBe(200);
  expect(throttled).toBeGreaterThan(20);
});
