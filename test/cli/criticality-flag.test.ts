import { expect, it } from "vitest";
import { criticalityMix } from "../../src/cli/flags/criticality-flag.ts";

it.each([
  ["critical=70,sheddable=30", [0, 0.7, 0, 0.3]],
  ["critical-plus=1, critical=5, sheddable-plus=2, sheddable=2", [0.1, 0.5, 0.2, 0.2]],
  ["sheddable=0.5", [0, 0, 0, 1]],
])("criticalityMix() makes shares of the weights %s", (text, mix) => {
  expect(criticalityMix(text)).toEqual(mix);
});

it.each([
  "",
  "critical",
  "critical=",
  "critical=-1",
  "CRITICAL=1",
  "critical=1;sheddable=1",
  "critical=1,",
  "critical=0",
])("criticalityMix() refuses %j", (text) => {
  expect(() => criticalityMix(text)).toThrow(/^must give a weight to classes/);
});
