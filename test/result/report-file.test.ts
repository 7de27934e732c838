import { link, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "../../src/result/publish.ts";
import { fileReports } from "../../src/result/report-file.ts";

const REAL: FileSystem = { link, lstat, mkdir, open, rename, rm };

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "overload-bench-report-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A disk that is full once something is to be written. */
const full: FileSystem = {
  ...REAL,
  open: (async (...args: Parameters<typeof open>) => {
    const file = await open(...args);
    file.writeFile = async () => {
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    };
    return file;
  }) as typeof open,
};
const readOnly: FileSystem = {
  ...REAL,
  open: (async () => {
    throw Object.assign(new Error("read-only"), { code: "EROFS" });
  }) as unknown as typeof open,
};

describe("fileReports()", () => {
  it("write() replaces a report that exists, and leaves nothing else behind", async () => {
    const path = join(folder, "a.html");
    await fileReports().write(path, "first, and longer");
    await fileReports().write(path, "second");
    expect(await readFile(path, "utf8")).toBe("second");
    expect(await readdir(folder)).toEqual(["a.html"]);
  });

  it("append() adds to what is there, and begins a file where there is none", async () => {
    const path = join(folder, "summary.md");
    await fileReports().append(path, "one\n");
    await fileReports().append(path, "two\n");
    expect(await readFile(path, "utf8")).toBe("one\ntwo\n");
  });

  it.each([
    ["a full disk", full, "a.html", "the disk is full (ENOSPC)"],
    ["a read-only file system", readOnly, "a.html", "the file system is read-only (EROFS)"],
    ["a missing folder", REAL, "gone/a.html", "there is no such file or folder (ENOENT)"],
    ["a folder of that name", REAL, ".", "it is a folder (EISDIR)"],
  ])("write() to %s fails in one line, and an older report stays as it was", async (_what, fs, name, why) => {
    await writeFile(join(folder, "a.html"), "old");
    const path = name === "." ? folder : join(folder, name);
    const failure = await fileReports(fs)
      .write(path, "new")
      .then(
        () => undefined,
        (error: Error) => error.message,
      );
    expect(failure).toBe(`Cannot write to '${path}': ${why}; check the folder`);
    expect(await readFile(join(folder, "a.html"), "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["a.html"]);
  });
});
