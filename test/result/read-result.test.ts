import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseResult, readResult } from "../../src/result/read-result.ts";
import { StoreError, type StoreErrorCode } from "../../src/result/store-error.ts";
import { compared, cure } from "../support/trial-cases.ts";

const RESULT = compared(cure());

function failureOf(text: string): StoreError {
  try {
    parseResult(text, "r.json");
  } catch (error) {
    if (error instanceof StoreError) return error;
  }
  throw new Error("Expected a StoreError");
}

describe("parseResult()", () => {
  it("reads what was written, with a byte order mark too", () => {
    expect(parseResult(`\uFEFF${JSON.stringify(RESULT)}`, "r.json")).toEqual(RESULT);
  });

  it.each<[string, string, StoreErrorCode, RegExp]>([
    ["no JSON", "{\n  oops", "not-json", /^Cannot read 'r\.json' as it is not JSON: /u],
    ["an empty file", "", "not-json", /not JSON/u],
    ["no result", "[1]", "wrong-version", /as it is no result: it has no schemaVersion/u],
    ["null", "null", "wrong-version", /it has no schemaVersion/u],
    [
      "another version",
      '{"schemaVersion":7}',
      "wrong-version",
      /as its schemaVersion is 7, this program reads 1 to 2;/u,
    ],
    [
      "a wrong field",
      JSON.stringify({ ...RESULT, trials: [{ ...RESULT.trials[0], arm: 3 }] }),
      "invalid-result",
      /as it breaks the schema at trials\[0\]\.arm: expected string, received number;/u,
    ],
    ["an unknown field", JSON.stringify({ ...RESULT, extra: 1 }), "invalid-result", /the document: .*"extra"/u],
  ])("refuses %s in one line", (_, text, code, message) => {
    const error = failureOf(text);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("\n");
  });
});

describe("readResult()", () => {
  it("names the file that it cannot read", async () => {
    const path = join(import.meta.dirname, "no-such-result.json");
    await expect(readResult(path)).rejects.toMatchObject({
      code: "not-readable",
      message: `Cannot read '${path}': there is no such file or folder (ENOENT); check the path`,
    });
  });
});
