import * as nodeFs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Calibration } from "../../src/result/calibration-schema.ts";
import { FileCalibrationStore } from "../../src/result/calibration-store.ts";

const FOUND: Calibration = {
  toolVersion: "1.2.3",
  runtime: "bun",
  runtimeVersion: "1.4.5",
  cpuModel: "A processor",
  cpus: 2,
  pacing: "precise",
  transport: "wire",
  workers: 1,
  ceilingRps: 20_000,
  stepSeconds: 2,
  measuredAt: "2026-01-02T03:04:05.000Z",
};

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await nodeFs.mkdtemp(join(tmpdir(), "overload-bench-test-"));
  file = join(folder, "overload-bench", "calibration.json");
});

afterEach(async () => {
  await nodeFs.rm(folder, { recursive: true, force: true });
});

function store(): FileCalibrationStore {
  return new FileCalibrationStore({ XDG_CACHE_HOME: folder });
}

async function put(text: string): Promise<void> {
  await nodeFs.mkdir(join(folder, "overload-bench"));
  await nodeFs.writeFile(file, text);
}

describe("FileCalibrationStore", () => {
  it("reads what an earlier version kept, which was measured with undici", async () => {
    const { transport: _, ...earlier } = FOUND;
    await put(JSON.stringify({ format: "overload-bench calibrations", version: 1, calibrations: [earlier] }));
    expect((await store().find(FOUND)).calibration).toBeUndefined();
    expect((await store().find({ ...FOUND, transport: "undici" })).calibration).toMatchObject(earlier);
    expect(await store().save(FOUND)).toEqual({ path: file });
    expect((await store().find({ ...FOUND, transport: "undici" })).calibration).toMatchObject(earlier);
  });

  it("finds what it saved, under the same circumstances only", async () => {
    expect(await store().find(FOUND)).toEqual({ calibration: undefined, path: file });
    expect(await store().save(FOUND)).toEqual({ path: file });
    expect(await store().find(FOUND)).toEqual({ calibration: FOUND, path: file });
    const others: Partial<Calibration>[] = [
      { toolVersion: "1.2.4" },
      { runtime: "node" },
      { runtimeVersion: "1.4.6" },
      { cpuModel: "Another" },
      { cpus: 4 },
      { pacing: "timer" },
      { transport: "undici" },
      { workers: 2 },
    ];
    for (const other of others) {
      expect((await store().find({ ...FOUND, ...other })).calibration).toBeUndefined();
    }
  });

  it("keeps one for each circumstance, the newest first, and leaves nothing else in the folder", async () => {
    await store().save(FOUND);
    await store().save({ ...FOUND, runtime: "deno" });
    await store().save({ ...FOUND, ceilingRps: 30_000 });
    const { calibrations } = JSON.parse(await nodeFs.readFile(file, "utf8")) as { calibrations: Calibration[] };
    expect(calibrations.map(({ runtime, ceilingRps }) => [runtime, ceilingRps])).toEqual([
      ["bun", 30_000],
      ["deno", 20_000],
    ]);
    expect(await nodeFs.readdir(join(folder, "overload-bench"))).toEqual(["calibration.json"]);
  });

  it("forgets the oldest beyond a hundred", async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ ...FOUND, workers: index + 2 }));
    await put(JSON.stringify({ format: "overload-bench calibrations", version: 1, calibrations: many }));
    await store().save(FOUND);
    expect((await store().find(FOUND)).calibration).toEqual(FOUND);
    expect((await store().find({ ...FOUND, workers: 101 })).calibration).toBeUndefined();
    expect((await store().find({ ...FOUND, workers: 100 })).calibration).toBeDefined();
  });

  it.each([
    ["half a file", '{"format":"overload-bench cal', /damaged: it is not JSON/],
    [
      "a field that breaks its rule",
      '{"format":"overload-bench calibrations","version":1,"calibrations":[{}]}',
      /damaged: calibrations\[0\]/,
    ],
  ])("does without %s, says so, and replaces it", async (_what, text, problem) => {
    await put(text);
    const found = await store().find(FOUND);
    expect(found.calibration).toBeUndefined();
    expect(found.problem).toMatch(problem);
    expect(await store().save(FOUND)).toEqual({ path: file });
    expect((await store().find(FOUND)).calibration).toEqual(FOUND);
  });

  it.each([
    ["another program's", '{"theirs":true}'],
    ["a later version's", '{"format":"overload-bench calibrations","version":3,"calibrations":[]}'],
    ["null", "null"],
  ])("does without %s, says so, and leaves it alone", async (_whose, text) => {
    await put(text);
    expect((await store().find(FOUND)).problem).toMatch(/not of this version/);
    expect(await store().save(FOUND)).toEqual({ problem: expect.stringMatching(/not of this version/) });
    expect(await nodeFs.readFile(file, "utf8")).toBe(text);
  });

  it("tells, and does not throw, when nothing can be written", async () => {
    const readOnly = new FileCalibrationStore({ XDG_CACHE_HOME: folder }, {
      ...nodeFs,
      mkdir: () => Promise.reject(Object.assign(new Error("no"), { code: "EROFS" })),
    } as unknown as typeof nodeFs);
    expect(await readOnly.save(FOUND)).toEqual({
      problem: `'${file}' could not be written: the file system is read-only (EROFS)`,
    });
  });

  it("uses the cache folder of the home where XDG_CACHE_HOME is not set, or is no absolute path", async () => {
    for (const env of [{ HOME: folder }, { HOME: folder, XDG_CACHE_HOME: "relative" }]) {
      const saved = await new FileCalibrationStore(env).save(FOUND);
      expect(saved).toEqual({ path: join(folder, ".cache", "overload-bench", "calibration.json") });
    }
  });

  it("keeps nothing, and says why, where there is no home", async () => {
    const homeless = new FileCalibrationStore({});
    expect(await homeless.find(FOUND)).toEqual({ calibration: undefined });
    expect(await homeless.save(FOUND)).toEqual({ problem: expect.stringContaining("HOME") });
  });
});
