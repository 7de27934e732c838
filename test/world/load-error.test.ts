import { describe, expect, it } from "vitest";
import { LoadError, loadOrSay } from "../../src/world/load-error.ts";

describe("loadOrSay()", () => {
  it("gives what was loaded", async () => {
    expect(await loadOrSay("a thing", async () => 7)).toBe(7);
  });

  it("says in one line what could not be loaded, why, and what to look at", async () => {
    const failing = loadOrSay("a thing", async () => {
      throw new Error("EMFILE: too many open files\n    at somewhere");
    });
    await expect(failing).rejects.toThrow(LoadError);
    await expect(failing).rejects.toThrow(
      "Cannot load a thing: EMFILE: too many open files (if few open files are allowed: `ulimit -n 1024`)",
    );
  });
});
