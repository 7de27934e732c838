import { describe, expect, it } from "vitest";
import { compareArms } from "../../src/comparison/compare-arms.ts";
import { createStopping } from "../../src/comparison/stopping.ts";
import { recoverResult } from "../../src/experiment/recover.ts";
import { type JournalLine, journalLineSchema, type WrittenLine } from "../../src/result/journal-schema.ts";
import { type Result, resultSchema } from "../../src/result/schema.ts";
import { endedLine, headerLine, secondLine, startedLine } from "../support/journal-fixture.ts";
import { trialFixture } from "../support/trial-fixture.ts";

async function* read(lines: readonly WrittenLine[]): AsyncGenerator<JournalLine> {
  for (const line of lines) yield journalLineSchema.parse(line);
}

async function recover(lines: readonly WrittenLine[]): Promise<Result | undefined> {
  const result = await recoverResult("x.journal.jsonl", read(lines), compareArms);
  return result === undefined ? undefined : resultSchema.parse(result);
}

const OFF = trialFixture({ arm: "off" });
const ON = trialFixture({ arm: "on" });

describe("recoverResult()", () => {
  it("keeps a trial that ended as it was, and puts the one under way together as far as it is known", async () => {
    const lines = [headerLine(), startedLine("off"), secondLine(1, 9), endedLine(OFF), startedLine("on")];
    const result = await recover([...lines, secondLine(1, 500), secondLine(2, 600)]);
    expect(result).toMatchObject({ partial: true, command: "ab", comparison: { baseline: "off" } });
    expect(result?.trials[0]).toEqual(resultSchema.shape.trials.element.parse(OFF));
    expect(result?.trials[1]).toMatchObject({
      arm: "on",
      recovered: true,
      interrupted: true,
      durationSeconds: 2,
      calls: { planned: 1100, ok: 1100 },
      rates: { goodput: 550 },
      plan: { hash: "plan-0", seed: 1, arrivals: 1100 },
      validity: { verdict: "suspect" },
    });
    expect(result?.trials[1]?.users).toBeUndefined();
  });

  it("tells of a trial under the governor what that had done, and whether a guard had ended it", async () => {
    const started = startedLine("off");
    const governor = {
      control: "rate",
      high: 0.05,
      low: 0.01,
      floor: 1,
      ceiling: null,
      start: 100,
      windowSeconds: 1,
      holdWindows: 12,
      holdBand: 0.15,
    } as const;
    const window = {
      fromSeconds: 0,
      toSeconds: 1,
      offer: 100,
      calls: 100,
      sent: 100,
      successes: 100,
      failures: 0,
      ok: 100,
      decision: "up",
      lastBad: null,
      p50Ms: 1,
      p99Ms: 2,
    } as const;
    const event = { atSeconds: 0, level: "info", kind: "started", text: "rate starts at 100" } as const;
    const aborted = { atSeconds: 2, text: "errors>50%:1s: all of them" };
    const lines: WrittenLine[] = [
      headerLine(["off"]),
      { ...started, spec: { ...started.spec, governor } },
      { ...secondLine(1, 100), governed: { windows: [window], events: [event] } },
      { ...secondLine(2, 200), aborted },
    ];
    const [trial] = (await recover(lines))?.trials ?? [];
    expect(trial?.governor).toEqual({
      ...governor,
      ended: "aborted",
      offer: 100,
      goodput: 100,
      failedShare: 0,
      windows: [window],
      events: [event],
    });
    expect(trial?.aborted).toEqual(aborted);
    expect(trial?.validity.reasons.map(({ code }) => code)).toEqual(expect.arrayContaining(["recovered", "aborted"]));
    // Of an experiment without one nothing has changed.
    const [plain] = (await recover([headerLine(["off"]), started, secondLine(1, 100)]))?.trials ?? [];
    expect(plain?.governor).toBeUndefined();
    expect(plain?.aborted).toBeUndefined();
  });

  it("leaves out a trial of which nothing was told yet, and what cannot be compared without it", async () => {
    const result = await recover([headerLine(), startedLine("off"), endedLine(OFF), startedLine("on")]);
    expect(result?.trials.map(({ arm }) => arm)).toEqual(["off"]);
    expect(result).toMatchObject({ partial: true, plan: { arrivals: OFF.plan.arrivals } });
    expect(result?.comparison).toBeUndefined();
  });

  it("takes trials that ran several at a time as they ended, and puts them in the order of the experiment", async () => {
    const trial = (arm: string, pair: number) => endedLine(trialFixture({ arm, pair }));
    const lines = [
      ...[headerLine(["off", "on"], 2), startedLine("off"), startedLine("on"), trial("on", 0), startedLine("on", 1)],
      ...[trial("on", 1), startedLine("off", 1), trial("off", 0)],
    ];
    const result = await recover(lines);
    expect(result?.trials.map(({ arm, pair }) => `${arm}${pair}`)).toEqual(["off0", "on0", "on1"]);
    expect(result).toMatchObject({ partial: true, comparison: { baseline: "off" } });
    expect(await recover([...lines, trial("off", 1)])).toMatchObject({ partial: false });
  });

  it("is not partial when all trials had ended: only the saving was lost", async () => {
    const lines = [headerLine(), startedLine("off"), endedLine(OFF), startedLine("on"), endedLine(ON)];
    expect(await recover(lines)).toMatchObject({ partial: false });
    const cut = { ...ON, interrupted: true };
    expect(await recover([...lines.slice(0, 4), endedLine(cut)])).toMatchObject({ partial: true });
  });

  it("takes the trials that a resumed run had kept, which have no line of their start", async () => {
    const lines = [headerLine(), endedLine(OFF), startedLine("on"), endedLine(ON)];
    expect(await recover(lines)).toMatchObject({ partial: false, trials: [{ arm: "off" }, { arm: "on" }] });
  });

  describe("of an experiment that may stop early", () => {
    const { rule: stopping } = createStopping({
      arms: ["off", "on"],
      pairsMax: 12,
      alpha: 0.05,
      smallestEffect: 0.05,
      seed: 1,
    });
    /** Both arms in so many pairs; the second serves a tenth more, give or take. */
    const pairs = (count: number): readonly WrittenLine[] => [
      headerLine(["off", "on"], 12, { stopping }),
      ...Array.from({ length: count }, (_, pair) => [
        endedLine(trialFixture({ arm: "off", pair, calls: { ok: 5000 + pair } })),
        endedLine(trialFixture({ arm: "on", pair, calls: { ok: 5500 + 5 * pair } })),
      ]).flat(),
    ];

    it("comes to the decision that its last trial called for, which no line tells, and is not partial then", async () => {
      const decided = await recover(pairs(7));
      expect(decided).toMatchObject({
        partial: false,
        design: { pairs: 12, stopped: { pairs: 7, because: "decided" } },
      });
      expect(decided?.comparison?.contrasts[0]?.looks?.at(-1)?.pairs).toBe(7);
    });

    it("is partial, and claims nothing, before", async () => {
      for (const count of [5, 6]) {
        const result = await recover(pairs(count));
        expect(result?.partial).toBe(true);
        expect(result?.design.stopped).toBeUndefined();
        expect(result?.comparison?.contrasts[0]?.metrics[0]?.verdict).toBe("undecided");
      }
      const cut = await recover(pairs(7).slice(0, -1));
      expect(cut).toMatchObject({ partial: true });
      expect(cut?.design.stopped).toBeUndefined();
    });
  });

  it("lets what was known before a trial stand beside its verdict", async () => {
    const remark = { code: "busy", severity: "invalid", message: "m", figure: 1, limit: 0, hint: "h" } as const;
    const result = await recover([
      headerLine(["off"]),
      { ...startedLine("off"), remarks: [remark] },
      secondLine(1, 500),
    ]);
    expect(result?.trials[0]?.validity).toMatchObject({
      verdict: "invalid",
      reasons: expect.arrayContaining([remark]),
    });
  });

  it("has no result when nothing was measured", async () => {
    expect(await recover([headerLine()])).toBeUndefined();
    expect(await recover([headerLine(), startedLine("off")])).toBeUndefined();
  });

  it.each([
    ["a file without a header", [], "line 1 is not one of a journal: it has no header"],
    ["seconds of no trial", [headerLine(), secondLine(1, 5)], "line 2 is not one of a journal: no trial has started"],
    ["seconds beyond the end", [headerLine(), startedLine("off"), secondLine(11, 5)], "line 3"],
    [
      "counts that do not add up",
      [
        headerLine(),
        startedLine("off"),
        { ...secondLine(1, 5), gained: { ...secondLine(1, 5).gained, series: secondLine(1, 4).gained.series } },
      ],
      "line 3 is not one of a journal: Counts do not add up",
    ],
  ] as const)("refuses %s", async (_name, lines, message) => {
    await expect(recover(lines)).rejects.toMatchObject({
      name: "StoreError",
      code: "broken-journal",
      message: expect.stringContaining(message),
    });
  });
});
