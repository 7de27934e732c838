import { describe, expect, it } from "vitest";
import { wrap } from "../../src/report/wrap.ts";

describe("wrap()", () => {
  it.each([
    ["one two three", 9, ["one two", "three"]],
    ["  one\n two  ", 20, ["one two"]],
    ["unbreakable word", 5, ["unbreakable", "word"]],
    ["sre,k=2,window=10,maxAttempts=3 here", 14, ["sre,k=2,", "window=10,", "maxAttempts=3", "here"]],
    ["as a,b,c,d,e,f,g goes", 8, ["as a,b,", "c,d,e,f,", "g goes"]],
    ["", 5, [""]],
  ])("breaks %j at %i columns, long words after their commas alone", (text, width, lines) => {
    expect(wrap(text, "", "", width)).toEqual(lines);
  });

  it("keeps the lines after the first one under its text", () => {
    expect(wrap("one two three", "label ", undefined, 13)).toEqual(["label one two", "      three"]);
  });
});
