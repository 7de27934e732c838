import process from "node:process";
import { describe, expect, it } from "vitest";
import { parseSchedstat, readThreadTimes } from "../../../src/world/real/thread-times.ts";

describe("parseSchedstat()", () => {
  it("reads nanoseconds of running and of waiting", () => {
    expect(parseSchedstat("2500000000 30000000 1234\n")).toEqual({ runSeconds: 2.5, waitSeconds: 0.03 });
  });

  it.each(["", "0 0 0\n", "12\n", "a b c\n"])("knows nothing from %j", (text) => {
    expect(parseSchedstat(text)).toBeUndefined();
  });
});

describe("readThreadTimes()", () => {
  it.skipIf(process.platform !== "linux")("counts what this thread runs", () => {
    const before = readThreadTimes();
    const end = performance.now() + 200;
    while (performance.now() < end);
    const after = readThreadTimes();
    const ran = (after?.runSeconds ?? 0) - (before?.runSeconds ?? 0);
    const waited = (after?.waitSeconds ?? 0) - (before?.waitSeconds ?? 0);
    // A spinning thread runs or waits for a processor: what is missing is what the machine's host took.
    expect(ran).toBeGreaterThan(0.01);
    expect(ran + waited).toBeGreaterThan(0.1);
    expect(ran).toBeLessThan(2);
  });
});
