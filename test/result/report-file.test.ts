import { link, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
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

  it.each([
    ["a result", '{\n  "schemaVersion": 2,\n  "command": "run"'],
    ["one in a single line, with another key first", '{"command":"run","schemaVersion":2}'],
    ["a journal", '{"kind":"header","journalVersion":2}\n'],
  ])("a report never replaces %s, also through a link, and prepare() says so", async (_what, text) => {
    const path = join(folder, "a.md");
    const other = join(folder, "b.md");
    await writeFile(path, text);
    await symlink(path, other);
    for (const place of [path, other]) {
      const rule = `Cannot write a report to '${place}' as it holds a result, which is never overwritten`;
      await expect(fileReports().prepare(place)).rejects.toThrow(rule);
      await expect(fileReports().write(place, "report")).rejects.toThrow(rule);
    }
    expect(await readFile(path, "utf8")).toBe(text);
    expect((await readdir(folder)).toSorted()).toEqual(["a.md", "b.md"]);
  });

  it("prepare() leaves a report that exists as it is, and nothing behind", async () => {
    const path = join(folder, "a.html");
    await writeFile(path, "old");
    await fileReports().prepare(path);
    await fileReports().prepare(join(folder, "new.html"));
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["a.html"]);
  });

  it.each([
    ["a read-only file system", readOnly, "new.html", "the file system is read-only (EROFS)"],
    ["a missing folder", REAL, "gone/a.html", "there is no such file or folder (ENOENT)"],
    ["a folder of that name", REAL, ".", "it is a folder (EISDIR)"],
  ])("prepare() tells of %s in one line", async (_what, fs, name, why) => {
    const path = name === "." ? folder : join(folder, name);
    await expect(fileReports(fs).prepare(path)).rejects.toThrow(`Cannot write to '${path}': ${why}; check the folder`);
    expect(await readdir(folder)).toEqual([]);
  });

  it("placeOf() is the same for two names of one place, whether or not there is a file", async () => {
    const link = join(folder, "link");
    await symlink(folder, link);
    const { placeOf } = fileReports();
    for (const name of ["a.html", "gone/b.html"]) {
      expect(await placeOf(join(link, name))).toBe(await placeOf(`${folder}/./${name}`));
    }
    expect(await placeOf(join(folder, "a.html"))).not.toBe(await placeOf(join(folder, "b.html")));
  });
});
