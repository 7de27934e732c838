import { describe, expect, it } from "vitest";
import { renderHtml } from "../../../src/report/html/page.ts";
import { servedCurves, servedSpan, triggeredTrials } from "../../../src/report/html/recovery-curves.ts";
import { amplificationBefore } from "../../../src/report/html/recovery-plots.ts";
import { retryThreshold } from "../../../src/report/html/recovery-theory.ts";
import { createSubject } from "../../../src/report/html/subject.ts";
import type { Result } from "../../../src/result/schema.ts";
import { type Element, elements, readMarkup, tableOf, tableRows, textOf } from "../../support/markup.ts";
import { recovered, recoveryCase, recoveryMapCase, stormTrial, stuckCase } from "../../support/recovery-cases.ts";

function page(result: Result): Element {
  return readMarkup(renderHtml([{ name: "a.json", result }]));
}

const FACTS = { arm: "a", policy: { name: "retry", options: { maxAttempts: 4 } }, amplification: 3 };

describe("the page of a recovery", () => {
  const root = page(recoveryMapCase());
  const text = textOf(root);

  it("has a verdict for each arm, in a word and with its interval", () => {
    const rows = tableRows(tableOf(root, "The share of stuck trials")).slice(1);
    expect(rows.map(([, verdict, stuck]) => [verdict, stuck])).toEqual([
      ["✕ metastable", "10 of 10"],
      ["✓ stable", "0 of 10"],
      ["! vulnerable", "1 of 10"],
    ]);
    expect(rows[0]?.slice(4, 6)).toEqual(["72 % to 100 %", "never"]);
    expect(rows[2]?.[5]).toBe("33.5 (6.00 to never)");
  });

  it("draws a line for each trial and one for their median, and every trial's time", () => {
    const arm = elements(root, "g").find(({ attributes }) => attributes["data-series"] === "arm-0") as Element;
    const lines = elements(arm, "path").map(({ attributes }) => attributes.class);
    expect(lines.filter((name) => name === "thin")).toHaveLength(10);
    expect(lines.filter((name) => name === "line thick")).toHaveLength(1);
    const titles = elements(root, "title").map(textOf);
    expect(titles.filter((title) => /^trial \d+: not within 60 s$/u.test(title))).toHaveLength(11);
    expect(titles.filter((title) => /^trial \d+: [\d.]+ s$/u.test(title))).toHaveLength(19);
  });

  it("compares no goodput of arms that a trigger disturbed", () => {
    expect(elements(root, "h3").map(textOf)).not.toContain("Pairs and effects");
    expect(text).not.toContain("adjusted p");
  });

  it("says what theory has of retries, and draws the gap", () => {
    expect(text).toContain("Theory: a backlog keeps itself up where load x attempts exceeds the capacity of 160/s");
    expect(text).toContain("from 40.0/s on with retries");
    expect(text).toContain("gap 75 %");
    expect(
      tableRows(tableOf(root, "Loads per second")).map(([, served, survives]) => [served, survives]),
    ).toContainEqual(["151 / 158", "38.5 / 40.4"]);
  });

  it("says whether the clients were cold or aged", () => {
    expect(textOf(page(recoveryCase()))).toContain("The load came from clients aged 120 s: ");
    expect(textOf(page(stuckCase()))).toContain("The load came from cold clients: ");
  });
});

describe("servedCurves()", () => {
  it("counts seconds from the end of each trial's own trigger", () => {
    const first = stormTrial({ ...FACTS, pair: 0, back: 0 });
    const later = stormTrial({ ...FACTS, pair: 1, back: 0 });
    const moved = {
      ...later,
      recovery: { ...later.recovery!, trigger: { ...later.recovery!.trigger, fromSeconds: 12, toSeconds: 15 } },
    };
    const [arm] = createSubject("a", recovered([first, moved])).arms;
    const trials = triggeredTrials(arm!);
    const curves = servedCurves(arm!, trials, servedSpan(trials, 150));
    const at = (curve: number, place: number): number | undefined =>
      curves.each[curve]?.find((point) => point.at === place)?.share;
    // Of the second one the same seconds lie two earlier: it is down from 5 s to 2 s before the moved end.
    expect(at(0, -2.5)).toBeLessThan(0.5);
    expect(at(1, -4.5)).toBeLessThan(0.5);
    expect(at(1, -1.5)).toBeGreaterThan(0.9);
    expect(at(0, 0.5)).toBeGreaterThan(0.9);
    expect(curves.each[0]).toHaveLength(curves.each[1]!.length);
  });

  it("has no share where no call was due, and no more points than it may", () => {
    const trial = stormTrial({ ...FACTS, pair: 0, back: 0 });
    const quiet = {
      ...trial,
      series: trial.series.map((row) => (row.second < 5 ? { ...row, offered: 0, ok: 0 } : row)),
    };
    const [arm] = createSubject("a", recovered([quiet])).arms;
    const trials = triggeredTrials(arm!);
    expect(servedCurves(arm!, trials, servedSpan(trials, 150)).middle[0]?.share).toBeUndefined();
    const few = servedCurves(arm!, trials, servedSpan(trials, 20)).middle;
    expect(few.length).toBeLessThanOrEqual(21);
    expect(few.find(({ at }) => at > 0)?.share).toBeGreaterThan(0.9);
  });

  it("amplificationBefore() is of the seconds before the trigger alone", () => {
    const trial = stormTrial({ ...FACTS, pair: 0, back: null });
    expect(amplificationBefore({ trial, recovery: trial.recovery! })).toBeCloseTo(1.02, 2);
  });
});

describe("retryThreshold()", () => {
  const arm = (policy: { name: string; options: Record<string, number> }) => {
    const result = recovered([stormTrial({ ...FACTS, policy, pair: 0, back: null })]);
    const [view] = createSubject("a", result).arms;
    return { result, view: view! };
  };

  it.each([
    ["none", {}, 160],
    ["retry", { maxAttempts: 4 }, 40],
    ["sre", { k: 2 }, undefined],
  ])("retryThreshold() of %s is the capacity over its attempts, where it only retries", (name, options, rps) => {
    const { result, view } = arm({ name, options: options as Record<string, number> });
    expect(retryThreshold(result, view)?.rps).toBe(rps);
  });

  it.each([
    ["a bound on the queue", { name: "fifo", workers: 4, serviceSeconds: 0.025, queueMax: 10 }],
    ["random service", { name: "fifo", workers: 4, serviceSeconds: { law: "exponential", meanSeconds: 0.025 } }],
    ["another model", { name: "shed", capacity: 400 }],
    ["none", undefined],
  ])("retryThreshold() says nothing of %s", (_, model) => {
    const { result, view } = arm({ name: "none", options: {} });
    expect(retryThreshold({ ...result, config: { world: { model } } }, view)).toBeUndefined();
  });
});
