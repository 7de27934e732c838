import { describe, expect, it } from "vitest";
import type { DecodedLatencies } from "../../../src/report/export/export-input.ts";
import { renderHtml } from "../../../src/report/html/page.ts";
import type { Result } from "../../../src/result/schema.ts";
import { type Element, elements, readMarkup, tableOf, tableRows, textOf } from "../../support/markup.ts";
import { PAGE_CASES, sweepCase } from "../../support/page-cases.ts";

const CURE = PAGE_CASES.cure as Result;
const cure = readMarkup(renderHtml([{ name: "cure.json", result: CURE }]));

function row(table: Element, head: string): string[] {
  const found = tableRows(table).find(([first]) => first === head);
  if (found === undefined) throw new Error(`No row "${head}"`);
  return found;
}

describe("the tables of the page", () => {
  it("key figures are the medians over the trials, and the effects those of the comparison", () => {
    const table = tableOf(cure, "Medians over the trials of an arm.");
    // 389, 402, 371 and 6890, 6810, 6902 ok calls in 10 s.
    expect(row(table, "goodput, per s").slice(0, 3)).toEqual(["goodput, per s", "38.9", "689"]);
    const goodput = CURE.comparison?.contrasts[0]?.metrics[0];
    expect(goodput?.estimate).toBeGreaterThan(17);
    expect(row(table, "goodput, per s")[3]).toBe(`${goodput?.estimate?.toPrecision(3)}x`);
  });

  it("seconds add up to what the trials counted", () => {
    const rows = tableRows(tableOf(cure, "Per second of the trial, medians")).slice(1);
    expect(rows.map(([second]) => second)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    const sum = rows.reduce((total, cells) => total + Number(cells[5]?.replace(",", "")), 0);
    expect(sum / 10).toBeCloseTo(689, -1);
  });

  it("outcomes are the calls of all trials of an arm", () => {
    const [head, off] = tableRows(tableOf(cure, "Calls by how they ended, all trials"));
    expect(head?.slice(0, 3)).toEqual(["Arm", "calls", "ok"]);
    expect(off?.slice(0, 3)).toEqual(["off", "60,020", "1.9 % 1,162"]);
  });

  it("latency without its histograms is that of the stored percentiles", () => {
    const table = tableOf(cure, "Milliseconds at or below");
    expect(row(table, "50 %")).toEqual(["50 %", "61.5", "38.4", "48.3", "37.9"]);
    expect(row(table, "the largest")).toEqual(["the largest", "311", "98.5", "160", "75.1"]);
  });

  it("latency with its histograms is what they are read as, and lower bounds are marked", () => {
    const decode = (): DecodedLatencies => ({
      bins: [
        { lowMicros: 1000, highMicros: 7000, count: 3 },
        { lowMicros: 9000, highMicros: 9000, count: 1 },
      ],
      buckets: 1,
      subBuckets: 1,
    });
    const silent = PAGE_CASES.silent as Result;
    const root = readMarkup(renderHtml([{ name: "cure.json", result: CURE }], { decode }));
    expect(row(tableOf(root, "Milliseconds at or below"), "50 %")).toEqual(["50 %", "7.00", "7.00", "7.00", "7.00"]);
    const all = tableRows(
      tableOf(readMarkup(renderHtml([{ name: "s.json", result: silent }])), "Milliseconds, medians"),
    );
    expect(all.find(([, what]) => what === "response, failed calls")?.[2]).toBe("≥3,000");
  });

  it("histograms that cannot be read leave the stored percentiles", () => {
    const fails = (): never => {
      throw new Error("not a histogram");
    };
    const root = readMarkup(renderHtml([{ name: "cure.json", result: CURE }], { decode: fails }));
    expect(row(tableOf(root, "Milliseconds at or below"), "50 %")[1]).toBe("61.5");
  });

  it("pairs are all that were complete, with their ratios", () => {
    expect(tableRows(tableOf(cure, "Goodput per second, pair by pair")).slice(1)).toEqual([
      ["1", "38.9", "689", "17.7", ""],
      ["2", "40.2", "681", "16.9", ""],
      ["3", "37.1", "690", "18.6", ""],
    ]);
  });

  it("the target's processor time is what it counted, the rest being overhead", () => {
    expect(row(tableOf(cure, "Processor time of the target"), "off")).toEqual([
      "off",
      "1.17 s",
      "26.7 s",
      "2.73 s",
      "30.6 s",
      "99.0 %",
    ]);
  });

  it("a reason that trials share is told once, with its figure, its limit and the trials", () => {
    const table = tableOf(cure, "Why, and what to do about it");
    expect(row(table, "short-run").slice(3)).toEqual(["10.0", "120", "on 1, on 2, on 3"]);
  });

  it("cells of a sweep stand beside the closed form, with what became of them", () => {
    const root = readMarkup(renderHtml([{ name: "sweep.json", result: sweepCase() }]));
    const rows = tableRows(tableOf(root, "The cells by"));
    const at = (k: string): string[] | undefined => rows.find(([first, policy]) => first === k && policy === "sre");
    expect(at("2")?.[2]).toBe("538 (537–539)");
    expect(at("2")?.at(-3)).toBe("538");
    expect(at("1.1")?.slice(-2)).toEqual(["not within the horizon", "★ recommended"]);
    expect(at("3")?.at(-1)).toBe("excluded: it broke waste<=0.6: 0.67");
    const goodput = elements(root, "svg").find((svg) => textOf(svg).startsWith("Goodput"));
    expect(elements(goodput as Element, "path").filter(({ attributes }) => attributes.class === "theory")).toHaveLength(
      1,
    );
    const waste = elements(root, "svg").find((svg) => textOf(svg).startsWith("Waste"));
    expect(elements(waste as Element, "path").filter(({ attributes }) => attributes.class === "limit")).toHaveLength(1);
  });

  it("assertions stand with their values, the broken ones first", () => {
    const assertions = [
      { text: "waste<=0.3", arm: "on", holds: true, left: 0.1, right: 0.3, message: "0.1 <= 0.3" },
      { text: "goodput>=900", arm: "on", holds: false, left: 689, right: 900, message: "689 >= 900" },
    ];
    const root = readMarkup(renderHtml([{ name: "a.json", result: { ...CURE, assertions } }]));
    const rows = tableRows(tableOf(root, "1 of 2 assertions does not hold"));
    expect(rows.slice(1).map(([text, , holds]) => [text, holds])).toEqual([
      ["goodput>=900", "✕ no"],
      ["waste<=0.3", "✓ yes"],
    ]);
  });
});
