import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatScript, parseScript, type ScriptChange } from "../../src/plan/script.ts";

describe("parseScript()", () => {
  it.each<[string, ScriptChange[]]>([
    ["20s..23s:capacity=0.25", [{ kind: "capacity", fromSeconds: 20, toSeconds: 23, factor: 0.25 }]],
    ["1m..1m30s:outage", [{ kind: "capacity", fromSeconds: 60, toSeconds: 90, factor: 0 }]],
    ["0..:retryAfter=5s", [{ kind: "retryAfter", fromSeconds: 0, seconds: 5 }]],
    ["1.5s..2.5s:latency=100ms", [{ kind: "latency", fromSeconds: 1.5, toSeconds: 2.5, addedSeconds: 0.1 }]],
    ["20s..40s:capacity=0.25..1", [{ kind: "capacity", fromSeconds: 20, toSeconds: 40, factor: 0.25, toFactor: 1 }]],
    [
      "0s..500ms:capacity=2..0.5@2",
      [{ kind: "capacity", fromSeconds: 0, toSeconds: 0.5, factor: 2, toFactor: 0.5, backend: 1 }],
    ],
    ["10s..:capacity=2@3", [{ kind: "capacity", fromSeconds: 10, factor: 2, backend: 2 }]],
    ["0s..1s:outage@1", [{ kind: "capacity", fromSeconds: 0, toSeconds: 1, factor: 0, backend: 0 }]],
  ])("reads %s", (text, changes) => {
    expect(parseScript(text)).toEqual(changes);
  });

  it("puts changes in order of time, and lets different ones overlap", () => {
    const script = parseScript(
      "5s..9s:outage,1s..8s:latency=10ms,9s..10s:capacity=0.5,2s..4s:outage@1,3s..4s:outage@2",
    );
    expect(script.map(({ fromSeconds }) => fromSeconds)).toEqual([1, 2, 3, 5, 9]);
  });

  it.each([
    ["", "must be changes such as"],
    ["outage", "must be changes such as"],
    ["20s:outage", "must be changes such as"],
    ["20s..23s", "must be changes such as"],
    ["20s..23s:outage,", "must be changes such as"],
    ["20s..23s:outage ", "must be changes such as"],
    ["20..23s:outage", "must give 'its beginning' rightly"],
    ["20s..x:outage", "must give 'its end' rightly"],
    ["20.0001s..21s:outage", "must give 'its beginning' in whole milliseconds, not 20.0001s"],
    ["0s..100us:outage", "must give 'its end' in whole milliseconds, not 100us"],
    ["23s..20s:outage", "must end each change after its beginning"],
    ["5s..5s:outage", "must end each change after its beginning"],
    ["1s..2s:outage=1", "must give 'outage' without a value"],
    ["1s..2s:capacity", "must give 'capacity' as a factor from 0 to 1000"],
    ["1s..2s:capacity=-1", "must give 'capacity' as a factor from 0 to 1000"],
    ["1s..2s:capacity=1e3", "must give 'capacity' as a factor from 0 to 1000"],
    ["1s..2s:capacity=2000", "must give 'capacity' as a factor from 0 to 1000"],
    [
      "1s..2s:capacity=0.0000001",
      "must give 'capacity' as a factor from 0 to 1000, of at least 0.000001 if it is not 0",
    ],
    ["1s..2s:capacity=0.25..", "must give 'capacity' as a factor from 0 to 1000"],
    ["1s..2s:capacity=..1", "must give 'capacity' as a factor from 0 to 1000"],
    ["1s..2s:capacity=0.25..1..2", "must give 'capacity' as a factor from 0 to 1000"],
    ["1s..2s:capacity=0.25..2000", "must give 'capacity' as a factor from 0 to 1000"],
    ["1s..:capacity=0.25..1", "must end a ramp of the capacity"],
    ["1s..2s:capacity=0..1", "must keep a ramp of the capacity above 0"],
    ["1s..2s:capacity=1..0", "must keep a ramp of the capacity above 0"],
    ["1s..5s:capacity=0.25..1,4s..6s:outage", "must not change the same thing twice at a time"],
    ["1s..5s:capacity=0.25..1,4s..6s:capacity=1..2@2", "must not change the same thing twice at a time"],
    ["1s..2s:latency=5", "must give 'latency' rightly"],
    ["1s..2s:latency", "must give 'latency' rightly"],
    ["1s..2s:retryAfter=500ms", "must give 'retryAfter' in whole seconds"],
    ["1s..2s:speed=2", "must change something known"],
    ["1s..2s:constructor=2", "must change something known"],
    ["1s..2s:outage@0", "must count backends from 1 to 1000"],
    ["1s..2s:outage@1001", "must count backends from 1 to 1000"],
    ["1s..5s:outage,4s..:capacity=0.5", "must not change the same thing twice at a time"],
    ["1s..5s:outage,4s..6s:capacity=0.5@2", "must not change the same thing twice at a time"],
    ["1s..:latency=1s,9s..:latency=2s", "must not change the same thing twice at a time"],
  ])("refuses %j: it %s", (text, rule) => {
    expect(() => parseScript(text)).toThrow(RangeError);
    expect(() => parseScript(text)).toThrow(rule);
    expect(() => parseScript(text)).toThrow(`"${text}"`);
  });

  it("reads back what formatScript() writes, to the last digit that it writes", () => {
    const millis = fc.integer({ min: 0, max: 3_600_000 });
    const span = fc.record(
      { from: millis, length: fc.option(fc.integer({ min: 1, max: 100_000 })), backend: fc.option(fc.nat({ max: 9 })) },
      { noNullPrototype: true },
    );
    const factor = fc.double({ min: 1e-6, max: 1000, noNaN: true });
    const effect = fc.oneof(
      fc.integer({ min: 0, max: 4000 }).map((n) => ({ kind: "capacity", factor: n / 4 }) as const),
      fc
        .record({ factor, toFactor: factor }, { noNullPrototype: true })
        .map((ends) => ({ kind: "capacity", ...ends }) as const),
      millis.map((n) => ({ kind: "latency", addedSeconds: n / 1000 }) as const),
      fc.nat({ max: 1000 }).map((seconds) => ({ kind: "retryAfter", seconds }) as const),
    );
    fc.assert(
      fc.property(span, effect, ({ from, length, backend }, what) => {
        const change: ScriptChange = {
          ...what,
          fromSeconds: from / 1000,
          ...(length === null && !("toFactor" in what) ? {} : { toSeconds: (from + (length ?? 1)) / 1000 }),
          ...(backend === null ? {} : { backend }),
        };
        const text = formatScript([change]);
        expect(formatScript(parseScript(text))).toBe(text);
        expect(parseScript(text)).toMatchObject([what.kind === "capacity" ? what : { kind: what.kind }]);
      }),
    );
  });
});
