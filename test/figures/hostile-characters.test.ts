import { describe, expect, it } from "vitest";
import { cutText } from "../../src/cli/live/cut-text.ts";
import { replaceHostile } from "../../src/figures/hostile-characters.ts";
import { renderAssertions } from "../../src/report/assertions-text.ts";
import { harmless } from "../../src/report/export/harmless.ts";
import { escapeText } from "../../src/report/html/html.ts";
import { renderResult } from "../../src/report/result-text.ts";
import type { Result } from "../../src/result/schema.ts";
import { sweepOfLoads } from "../support/sweep-cases.ts";
import { compared, cure } from "../support/trial-cases.ts";

/** Every one that the Unicode Bidirectional Algorithm knows, the separators, and ends of the control characters. */
const HOSTILE = [
  ..."\u0000\u0007\u001b\u007f\u009b",
  ..."\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
];
const OVERRIDE = "\u202e";

/** The result with that in the name of each arm, wherever it stands. */
function renamed(result: Result, end: string): Result {
  const names = new Set(result.trials.map(({ arm }) => arm));
  const told = (text: string): string => [...names].reduce((all, name) => all.replaceAll(name, `${name}${end}`), text);
  return JSON.parse(JSON.stringify(result), (_, value: unknown) => {
    if (typeof value !== "string") return value;
    return names.has(value) ? `${value}${end}` : value.includes(" ") ? told(value) : value;
  }) as Result;
}

describe("characters that steer what shows them", () => {
  it.each([
    ["replaceHostile()", (text: string) => replaceHostile(text, "?")],
    ["harmless()", harmless],
    ["escapeText()", escapeText],
    ["cutText()", (text: string) => cutText(text, 80)],
  ])("%s leaves none of them, and all others", (_, shown) => {
    for (const character of HOSTILE) expect(shown(`a${character}b`)).not.toContain(character);
    expect(shown("a\u00e9\u6f22\u0645\u{1f642}\u200d")).toBe("a\u00e9\u6f22\u0645\u{1f642}\u200d");
  });

  it("replaceHostile() puts in what it is given as it is", () => {
    expect(replaceHostile(`a${OVERRIDE}b`, "$&")).toBe("a$&b");
  });

  it.each([
    ["comparison", compared(cure())],
    ["run", { ...compared(cure().slice(0, 1)), command: "run" as const, comparison: undefined }],
    ["sweep", sweepOfLoads()],
  ])("an override of the direction of writing in the names of a %s's arms reaches no terminal", (_, result) => {
    const hostile = renamed(result as Result, OVERRIDE);
    expect(hostile.trials.every(({ arm }) => arm.endsWith(OVERRIDE))).toBe(true);
    const assertions = [{ text: "a", arm: `on${OVERRIDE}`, holds: false, left: 1, right: 2, message: OVERRIDE }];
    const text = renderResult(hostile) + renderAssertions(assertions);
    expect(text).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
    expect(text).toContain("?");
  });
});
