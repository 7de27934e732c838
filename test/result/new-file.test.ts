import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimFile } from "../../src/result/new-file.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "overload-bench-test-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("claimFile()", () => {
  it("claims a name, then writes, or leaves nothing behind", async () => {
    const written = await claimFile(join(folder, "a"));
    const dropped = await claimFile(join(folder, "b"));
    await written.write("text");
    await dropped.discard();
    expect(await readdir(folder)).toEqual(["a"]);
    expect(await readFile(join(folder, "a"), "utf8")).toBe("text");
  });

  it("touches no file that is there", async () => {
    await writeFile(join(folder, "a"), "theirs");
    await expect(claimFile(join(folder, "a"))).rejects.toMatchObject({ code: "exists" });
    expect(await readFile(join(folder, "a"), "utf8")).toBe("theirs");
  });

  it("says at once that a folder is not there", async () => {
    await expect(claimFile(join(folder, "no", "a"))).rejects.toMatchObject({ code: "not-writable" });
  });
});
