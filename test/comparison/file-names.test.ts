import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileNames } from "../../src/comparison/file-names.ts";

describe("fileNames()", () => {
  it.each<[string, string[], string[]]>([
    ["by the file", ["results/before.json", "results/after.json"], ["before", "after"]],
    ["by the folder where the files are called the same", ["a/run.json", "b/run.json"], ["a/run", "b/run"]],
    ["with backslashes", ["a\\run.json", "b\\run.json"], ["a/run", "b/run"]],
    ["by a number for the same file twice", ["run.json", "./run.json"], ["run", "run #2"]],
    ["without an ending of its own", ["before", "after.txt"], ["before", "after.txt"]],
  ])("names files %s", (_, paths, names) => {
    expect(fileNames(paths)).toEqual(names);
  });

  it("never gives two files one name", () => {
    const path = fc
      .array(fc.constantFrom("a", "b", "run"), { minLength: 1, maxLength: 3 })
      .map((parts) => `${parts.join("/")}.json`);
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 5 }), (paths) => {
        expect(new Set(fileNames(paths)).size).toBe(paths.length);
      }),
    );
  });
});
