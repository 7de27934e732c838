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
