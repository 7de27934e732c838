import { expect, test } from "vitest";
import { parseScript } from "../../src/plan/script.ts";
import { ScriptClock } from "../../targets/overloadable/script-clock.ts";

const USUAL = { capacityFactor: 1, addedSeconds: 0, retryAfterSeconds: undefined };

test("a ScriptClock counts from its start, anew from the next, and all is as usual before it and after its end", () => {
  let nowSeconds = 1000;
  const clock = new ScriptClock(parseScript("0s..2s:outage,1s..:latency=100ms,3s..4s:retryAfter=5s"), () => nowSeconds);
  expect([clock.secondsIn, clock.state()]).toEqual([null, USUAL]);
  clock.start();
  expect([clock.secondsIn, clock.state()]).toEqual([0, { ...USUAL, capacityFactor: 0 }]);
  nowSeconds += 3;
  expect([clock.secondsIn, clock.state()]).toEqual([3, { ...USUAL, addedSeconds: 0.1, retryAfterSeconds: 5 }]);
  clock.start();
  nowSeconds += 1.5;
  expect([clock.secondsIn, clock.state()]).toEqual([
    1.5,
    { capacityFactor: 0, addedSeconds: 0.1, retryAfterSeconds: undefined },
  ]);
  clock.end();
  expect([clock.secondsIn, clock.state()]).toEqual([null, USUAL]);
});

test("a ScriptClock counts the outages that are over, over all the times it ran, one that was cut short too", () => {
  let nowSeconds = 1000;
  const clock = new ScriptClock(parseScript("1s..2s:outage,4s..8s:outage"), () => nowSeconds);
  const after = (seconds: number): number => {
    nowSeconds += seconds;
    return clock.outagesOver;
  };
  expect(after(5)).toBe(0);
  clock.start();
  expect([after(1.5), after(1), after(2)]).toEqual([0, 1, 1]);
  clock.start();
  expect([after(0), after(1.5), after(1)]).toEqual([2, 2, 3]);
  clock.end();
  expect([after(0), after(100)]).toEqual([3, 3]);
  clock.start();
  expect(after(9)).toBe(5);
});

test("a ScriptClock follows a ramp by its clock", () => {
  let nowSeconds = 7;
  const clock = new ScriptClock(parseScript("1s..5s:capacity=0.25..1.25"), () => nowSeconds);
  clock.start();
  const factors = [0, 1, 2, 1, 1].map((seconds) => {
    nowSeconds += seconds;
    return clock.state().capacityFactor;
  });
  expect(factors).toEqual([1, 0.25, 0.75, 1, 1]);
});
