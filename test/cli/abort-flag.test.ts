import { describe, expect, it } from "vitest";
import { checkAbort, parseAbort } from "../../src/cli/flags/abort-flag.ts";

describe("parseAbort()", () => {
  it("reads shares of errors and bounds of latency, each with its time", () => {
    expect(parseAbort("errors>50%:10s, p99 > 2s : 5s,p50>250ms:1m")).toEqual([
      { kind: "errors", share: 0.5, forSeconds: 10 },
      { kind: "p99", seconds: 2, forSeconds: 5 },
      { kind: "p50", seconds: 0.25, forSeconds: 60 },
    ]);
  });

  it("gives up at the first error where none is to be borne", () => {
    expect(parseAbort("errors>0%:1s")).toEqual([{ kind: "errors", share: 0, forSeconds: 1 }]);
  });

  it.each([
    ["", "must list what is too much and for how long, as in errors>50%:10s,p99>500ms:5s"],
    ["errors>50%", "must list what is too much and for how long"],
    ["errors<50%:10s", "must list what is too much and for how long"],
    ["p90>1s:5s", "must list what is too much and for how long"],
    ["errors>50%:10s,", "must list what is too much and for how long"],
    ["errors>50:10s", "must bound errors by a share from 0% to below 100% such as 50%"],
    ["errors>100%:10s", "must bound errors by a share"],
    ["errors>50%:10", "must be a duration with a unit"],
    ["errors>50%:500ms", "must say for how long in whole seconds, at least 1s"],
    ["errors>50%:1500ms", "must say for how long in whole seconds, at least 1s"],
    ["p99>2:5s", "must be a duration with a unit"],
    ["p99>0:5s", "must bound the latency by more than nothing"],
  ])("refuses %j: %s", (text, message) => {
    expect(() => parseAbort(text)).toThrow(RangeError);
    expect(() => parseAbort(text)).toThrow(message);
  });
});

describe("checkAbort()", () => {
  it("lets a bound pass that an attempt can exceed", () => {
    expect(() => checkAbort(parseAbort("errors>50%:10s,p99>900ms:5s"), 1)).not.toThrow();
  });

  it("refuses a bound of latency that no attempt can exceed, as each ends at its time-out", () => {
    expect(() => checkAbort(parseAbort("errors>50%:10s,p99>1s:5s"), 1)).toThrow(
      '--abort-on must bound p99 below the time that an attempt may take (--timeout 1s): current value is "1s"',
    );
  });
});
