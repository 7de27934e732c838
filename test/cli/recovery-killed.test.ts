/** What is left of a recovery that was killed: its journal, and what it had saved so far. */

import { describe, expect, it } from "vitest";
import type { Services } from "../../src/cli/services.ts";
import { withConclusions } from "../../src/cli/session/conclusions.ts";
import { withSavedMap } from "../../src/cli/session/saved-map.ts";
import { type JournalLine, journalLineSchema, type WrittenLine } from "../../src/result/journal-schema.ts";
import type { Recovery } from "../../src/result/recovery-schema.ts";
import type { Result } from "../../src/result/schema.ts";
import type { ExperimentHeader, ResultStore } from "../../src/result/store.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "../support/fake-host.ts";
import { headerLine } from "../support/journal-fixture.ts";

const ARMS = ["--arm", "a:policy=retry", "--arm", "b:policy=sre-budget,window=10", "--repeats", "1"];
const SHORT = ["--settle", "1s", "--horizon", "5s", "--age", "none"];
const RECOVERY = ["recovery", "--sim", "fifo:workers=4,service=25ms", "--rps", "50", "-t", "200ms", ...SHORT, ...ARMS];
const MAP = ["--map", "--map-range", "40..80", "--map-tolerance", "90%", "--map-seeds", "1"];

interface Kept {
  readonly header: ExperimentHeader;
  readonly lines: readonly WrittenLine[];
  readonly saved: readonly Result[];
}

async function kept(args: readonly string[]): Promise<Kept> {
  let header: ExperimentHeader | undefined;
  const lines: WrittenLine[] = [];
  const saved: Result[] = [];
  const store: ResultStore = {
    prepare: async () => {},
    async save(result) {
      saved.push(structuredClone(result));
      return { path: "results/r.json" };
    },
    async startJournal(first) {
      header = structuredClone(first);
      return {
        path: "results/r.journal.jsonl",
        isWhole: true,
        append: (line) => void lines.push(structuredClone(line)),
        flush() {},
        close: async () => {},
        remove: async () => {},
      };
    },
  };
  await runFake(args, { services: { resultStore: () => store } });
  if (header === undefined) throw new Error("no journal was begun");
  return { header, lines, saved };
}

/** @param count of the lines that were written before it was killed. */
async function recovered(
  { header, lines }: Kept,
  count: number,
  files: FakeSetup["files"] = {},
): Promise<FakeRunOutcome> {
  const written = [{ ...headerLine(), ...header }, ...lines.slice(0, count)];
  const journals: Services["journals"] = {
    find: async () => ["results/r.journal.jsonl"],
    isBeingWritten: async () => false,
    async *read(): AsyncIterable<JournalLine> {
      for (const line of written) yield journalLineSchema.parse(JSON.parse(JSON.stringify(line)));
    },
    remove: async () => {},
  };
  return await runFake(["recover"], { files, services: { journals } });
}

describe("a recovery that was killed", () => {
  it("is concluded from the trials in its journal", async () => {
    const whole = await kept(RECOVERY);
    expect(whole.header.result.recovery).toMatchObject({ arms: [], conclusion: "" });
    const count = whole.lines.findIndex(({ kind }) => kind === "ended") + 1;
    const { result } = (await recovered(whole, count)).saved.at(-1) ?? {};
    expect(result?.trials).toHaveLength(1);
    const known = result?.trials[0]?.arm;
    expect(result?.recovery?.arms.map(({ arm, trials }) => [arm, trials])).toEqual([
      ["a", known === "a" ? 1 : 0],
      ["b", known === "b" ? 1 : 0],
    ]);
    expect(result?.recovery?.conclusion).not.toContain("of a and b nothing is known");
  });

  it("is concluded from the trials in its partial result, also where that says that nothing is known", async () => {
    const { saved } = await kept(RECOVERY);
    const partial = saved.find(({ trials, partial: isPartial }) => isPartial && trials.length === 1);
    expect(partial?.recovery).toMatchObject({ arms: [], conclusion: "" });
    const told = { arms: saved.at(-1)?.recovery?.arms ?? [], conclusion: "After it: of a and b nothing is known." };
    for (const recovery of [partial?.recovery, { ...partial?.recovery, ...told }]) {
      const { conclusion } = withConclusions({ ...(partial as Result), recovery: recovery as Recovery }).recovery ?? {};
      expect(conclusion).toContain("at 50.0/s: ");
      expect(conclusion).not.toContain("of a and b nothing is known");
    }
  });

  it("keeps the map so far, which is in its partial result alone, and is a partial one then", async () => {
    const whole = await kept([...RECOVERY, ...MAP]);
    const partial = whole.saved.findLast(
      ({ recovery, partial: isPartial }) => isPartial && recovery?.map !== undefined,
    );
    expect(partial?.recovery?.map?.arms.map(({ arm }) => arm)).toEqual(["a"]);
    const files = { "results/r.partial.json": JSON.stringify(partial) };
    const { result } = (await recovered(whole, whole.lines.length, files)).saved.at(-1) ?? {};
    expect(result?.partial).toBe(true);
    expect(result?.recovery?.map).toEqual(partial?.recovery?.map);
    expect(result?.recovery?.arms).toHaveLength(2);
    const host = { readBytes: async () => new TextEncoder().encode(files["results/r.partial.json"]) };
    const other = { ...(partial as Result), trials: [], recovery: whole.header.result.recovery };
    const path = "results/r.journal.jsonl";
    expect(await withSavedMap(host, path, other as Result)).toBe(other);
  });
});
