import { link, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FileSystem } from "../../src/result/publish.ts";
import { readResult } from "../../src/result/read-result.ts";
import type { Result } from "../../src/result/schema.ts";
import { FileResultStore, type FileStoreOptions } from "../../src/result/store.ts";
import { StoreError } from "../../src/result/store-error.ts";
import { compared, cure } from "../support/trial-cases.ts";

const NAME = "20260102T030405Z-ab";
const RESULT = compared(cure());
const PARTIAL: Result = { ...RESULT, partial: true, trials: RESULT.trials.slice(0, 2) };

let home: string;
let folder: string;
let spare: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "overload-bench-test-"));
  folder = join(home, "results");
  spare = join(home, "spare");
  await mkdir(spare);
});

afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

function storeOf(options: Partial<FileStoreOptions> = {}): FileResultStore {
  return new FileResultStore({
    folder,
    startedAt: new Date("2026-01-02T03:04:05.678Z"),
    command: "ab",
    fallbackFolder: spare,
    ...options,
  });
}

/** Error codes by operation. */
type Faults = Partial<Record<keyof FileSystem, string | undefined>>;

/** The file system, in which some operations fail with a code where an argument begins with `where`. */
function failing(codes: Faults, where = ""): FileSystem {
  const real: FileSystem = { link, lstat, mkdir, open, rename, rm };
  const guard = <Operation extends keyof FileSystem>(operation: Operation): FileSystem[Operation] => {
    const call = async (...args: unknown[]): Promise<unknown> => {
      const code = codes[operation];
      if (code !== undefined && args.some((arg) => String(arg).startsWith(where))) {
        throw Object.assign(new Error(code), { code });
      }
      return await (real[operation] as (...rest: unknown[]) => Promise<unknown>)(...args);
    };
    return call as FileSystem[Operation];
  };
  return {
    link: guard("link"),
    lstat: guard("lstat"),
    mkdir: guard("mkdir"),
    open: guard("open"),
    rename: guard("rename"),
    rm: guard("rm"),
  };
}

async function failureOf(promise: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StoreError)) throw new Error(`Expected a StoreError, got ${String(error)}`);
  expect(error.message).not.toContain("\n");
  expect(error.message).toContain(error.hint);
  return error;
}

describe("FileResultStore.prepare()", () => {
  it("creates the folder and leaves nothing in it", async () => {
    await storeOf().prepare();
    expect(await readdir(folder)).toEqual([]);
  });

  it("refuses a folder that cannot be created", async () => {
    await writeFile(folder, "a file");
    const error = await failureOf(storeOf({ folder: join(folder, "deep") }).prepare());
    expect(error).toMatchObject({ code: "not-writable", path: join(folder, "deep") });
    expect(error.message).toMatch(
      /^Cannot write results to '.*deep': .*; name a file in another folder with --output$/u,
    );
  });

  it("refuses a folder in which a file cannot be written", async () => {
    const error = await failureOf(storeOf({ fs: failing({ open: "EROFS" }, folder) }).prepare());
    expect(error.message).toContain("the file system is read-only (EROFS)");
  });

  it("refuses an output that exists, and leaves it alone", async () => {
    const output = join(home, "out.json");
    await writeFile(output, "precious");
    const error = await failureOf(storeOf({ output }).prepare());
    expect(error).toMatchObject({ code: "exists", path: output });
    expect(await readFile(output, "utf8")).toBe("precious");
  });
});

describe("FileResultStore.save()", () => {
  it("replaces the partial result at each save, and the final one takes its place", async () => {
    const store = storeOf();
    await store.prepare();
    const first = await store.save({ ...PARTIAL, trials: [] }, { final: false });
    const second = await store.save(PARTIAL, { final: false });
    expect(first).toEqual({ path: join(folder, `${NAME}.partial.json`) });
    expect(second).toEqual(first);
    expect(await readResult(second.path)).toEqual(PARTIAL);
    const final = await store.save(RESULT, { final: true });
    expect(final).toEqual({ path: join(folder, `${NAME}.json`) });
    expect(await readResult(final.path)).toEqual(RESULT);
    expect(await readdir(folder)).toEqual([`${NAME}.json`]);
  });

  it("writes to the output, with the partial result beside it", async () => {
    const store = storeOf({ output: join(home, "deep", "out.json") });
    await store.prepare();
    expect((await store.save(PARTIAL, { final: false })).path).toBe(join(home, "deep", "out.partial.json"));
    expect((await store.save(RESULT, { final: true })).path).toBe(join(home, "deep", "out.json"));
    expect(await readdir(join(home, "deep"))).toEqual(["out.json"]);
  });

  it("never overwrites: the next free name is taken", async () => {
    await mkdir(folder);
    await writeFile(join(folder, `${NAME}.json`), "precious");
    await writeFile(join(folder, `${NAME}-2.json`), "also");
    expect((await storeOf().save(RESULT, { final: true })).path).toBe(join(folder, `${NAME}-3.json`));
    expect(await readFile(join(folder, `${NAME}.json`), "utf8")).toBe("precious");
  });

  it("gives experiments of the same second files of their own, partial and final", async () => {
    const stores = Array.from({ length: 8 }, () => storeOf());
    const partials = await Promise.all(stores.map((store) => store.save(PARTIAL, { final: false })));
    expect(new Set(partials.map(({ path }) => path)).size).toBe(8);
    await Promise.all(stores.map((store) => store.save(PARTIAL, { final: false })));
    const finals = await Promise.all(stores.map((store) => store.save(RESULT, { final: true })));
    expect(new Set(finals.map(({ path }) => path)).size).toBe(8);
    expect(await readdir(folder)).toHaveLength(8);
  });

  it("never overwrites on a file system without hard links either", async () => {
    const fs = failing({ link: "EPERM" });
    const paths = await Promise.all([1, 2, 3].map(() => storeOf({ fs }).save(RESULT, { final: true })));
    expect(new Set(paths.map(({ path }) => path)).size).toBe(3);
    expect(await readResult(paths[0]?.path ?? "")).toEqual(RESULT);
    expect(await readdir(folder)).toHaveLength(3);
  });

  it("falls back to another folder, and says where and why", async () => {
    const store = storeOf();
    await store.prepare();
    await rm(folder, { recursive: true });
    await writeFile(folder, "a file now");
    const saved = await store.save(RESULT, { final: true });
    expect(saved.path).toBe(join(spare, `overload-bench-${NAME}.json`));
    expect(saved.fallbackReason).toContain(`'${folder}' could not be written: `);
    expect(await readResult(saved.path)).toEqual(RESULT);
    if (process.platform !== "win32") expect((await stat(saved.path)).mode & 0o077).toBe(0);
  });

  it("comes back from the fallback when the folder does", async () => {
    const broken: Faults = { open: "ENOSPC" };
    const store = storeOf({ fs: failing(broken, folder) });
    expect((await store.save(PARTIAL, { final: false })).path).toBe(join(spare, `overload-bench-${NAME}.partial.json`));
    broken.open = undefined;
    expect((await store.save(PARTIAL, { final: false })).path).toBe(join(folder, `${NAME}.partial.json`));
    expect((await store.save(RESULT, { final: true })).fallbackReason).toBeUndefined();
    expect([await readdir(folder), await readdir(spare)]).toEqual([[`${NAME}.json`], []]);
  });

  it("hands the document over in the error when it can be written nowhere", async () => {
    const error = await failureOf(storeOf({ fs: failing({ open: "ENOSPC" }) }).save(RESULT, { final: true }));
    expect(error.code).toBe("unsaved");
    expect(error.message).toContain("the disk is full (ENOSPC)");
    expect(JSON.parse(error.json ?? "")).toEqual(RESULT);
  });

  it("writes a document that breaks the schema all the same, apart, and names the first issue", async () => {
    const wrong = { ...RESULT, plan: { ...RESULT.plan, users: -1 } };
    const error = await failureOf(storeOf().save(wrong, { final: true }));
    expect(error).toMatchObject({ code: "invalid-result", path: join(folder, `${NAME}.invalid.json`) });
    expect(error.message).toMatch(/^Internal error: the result breaks its own schema at plan\.users: /u);
    expect(JSON.parse(await readFile(error.path, "utf8"))).toEqual(wrong);
  });

  it("leaves no temporary file behind when the last step fails", async () => {
    const store = storeOf({ fs: failing({ rename: "EACCES", link: "EPERM" }, folder) });
    expect((await store.save(RESULT, { final: true })).fallbackReason).toContain("permission denied (EACCES)");
    expect(await readdir(folder)).toEqual([]);
  });
});
