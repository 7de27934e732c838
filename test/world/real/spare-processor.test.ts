import { describe, expect, it } from "vitest";
import { parseProcessorList } from "../../../src/world/real/spare-processor.ts";

describe("parseProcessorList()", () => {
  it.each([
    ["0", [0]],
    ["0-3", [0, 1, 2, 3]],
    ["0-1,4,6-7", [0, 1, 4, 6, 7]],
    ["", []],
  ])("reads %j as %j", (list, processors) => {
    expect(parseProcessorList(list)).toEqual(processors);
  });
});
