import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareResults, select } from "../../src/comparison/compare-results.ts";
import { METRICS } from "../../src/figures/metrics.ts";
import { renderAb } from "../../src/report/ab-text.ts";
import { parseResult } from "../../src/result/read-result.ts";
import { SCHEMA_VERSION } from "../../src/result/schema.ts";
import { upgrade } from "../../src/result/upgrade.ts";

const PATH = join(import.meta.dirname, "../golden/result/version-1-demo.json");
const text = await readFile(PATH, "utf8");
const old = JSON.parse(text) as Record<string, unknown>;

/** Fields of `now` that `then` lacks or has otherwise, by their paths; of the rows of a series only the first. */
function added(then: unknown, now: unknown, path = ""): Record<string, unknown> {
  if (typeof now !== "object" || now === null || typeof then !== "object" || then === null) {
    return then === now ? {} : { [path]: now };
  }
  return Object.assign(
    {},
    ...Object.entries(now)
      .filter(([key]) => !path.endsWith(".series") || key === "0")
      .map(([key, value]) =>
        added((then as Record<string, unknown>)[key], value, path === "" ? key : `${path}.${key}`),
      ),
  );
}

describe("upgrade()", () => {
  it("brings a result of version 1 up to this one, and loses nothing but its comparison", async () => {
    const now = parseResult(text, PATH);
    await expect(`${JSON.stringify(added(old, now), undefined, 2)}\n`).toMatchFileSnapshot(
      "../golden/result/version-1-added.json",
    );
    expect(Object.keys(old).filter((key) => !(key in now))).toEqual(["comparison"]);
    expect(added(now, old)).toMatchObject({ schemaVersion: 1, comparison: old.comparison });
    expect(Object.keys(added(now, old)).filter((key) => key !== "schemaVersion" && key !== "comparison")).toEqual([]);
  });

  it("leaves a document of this version as it is", () => {
    const now = upgrade(old);
    expect(now?.schemaVersion).toBe(SCHEMA_VERSION);
    expect(upgrade(now ?? {})).toBe(now);
  });

  it("keeps a count that later files of version 1 had", () => {
    const trials = [{ plan: {}, series: [{ sent: 3, sentInSecond: 2 }, { sent: 4 }] }];
    expect(upgrade({ ...old, trials })).toMatchObject({
      trials: [{ series: [{ sentInSecond: 2 }, { sentInSecond: 4 }] }],
    });
  });

  it.each([7, 0, -1, "two", undefined, null])("has no way from version %j", (schemaVersion) => {
    expect(upgrade({ ...old, schemaVersion })).toBeUndefined();
  });

  it("makes a result that is read, shown and compared like any other", async () => {
    const result = parseResult(text, PATH);
    await expect(renderAb(result)).toMatchFileSnapshot("../golden/result/version-1-demo.txt");
    const compared = compareResults(select([{ name: "demo", result }]), { metrics: METRICS, isForced: false });
    if ("refusedFor" in compared) throw new Error(compared.refusedFor.join());
    expect(compared.comparison.contrasts[0]?.metrics[0]?.effects.map((effect) => effect?.toFixed(2))).toEqual([
      "27.63",
      "22.43",
    ]);
  });
});
