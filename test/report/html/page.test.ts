import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderHtml } from "../../../src/report/html/page.ts";
import { SCRIPT, SCRIPT_HASH } from "../../../src/report/html/script.ts";
import { type Result, resultSchema } from "../../../src/result/schema.ts";
import { type Element, elements, readMarkup, textOf } from "../../support/markup.ts";
import { HOSTILE, PAGE_CASES, sweepCase } from "../../support/page-cases.ts";

const NAMES = Object.keys(PAGE_CASES);

const read = new Map<string, Element>();

function page(...names: readonly string[]): Element {
  const known = read.get(names.join());
  if (known !== undefined) return known;
  const root = readMarkup(
    renderHtml(names.map((name) => ({ name: `${name}.json`, result: PAGE_CASES[name] as Result }))),
  );
  read.set(names.join(), root);
  return root;
}

function headings(root: Element): { level: number; text: string }[] {
  return elements(root)
    .filter(({ name }) => /^h[1-6]$/u.test(name))
    .map((element) => ({ level: Number(element.name.slice(1)), text: textOf(element) }));
}

describe("renderHtml()", () => {
  it.each(NAMES)("renderHtml() of '%s': a valid result makes markup that is closed in order", (name) => {
    const result = PAGE_CASES[name] as Result;
    expect(resultSchema.parse(result)).toEqual(result);
    expect(elements(page(name), "main")).toHaveLength(1);
  });

  it.each(NAMES)("renderHtml() of '%s' names every element once, and points to elements that are there", (name) => {
    const all = elements(page(name, "cure"));
    const ids = all.flatMap(({ attributes }) => attributes.id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const wanted = all.flatMap(({ attributes }) => [
      ...(attributes["aria-labelledby"]?.split(" ") ?? []),
      ...(attributes["aria-describedby"]?.split(" ") ?? []),
      ...(attributes["data-readout"] === undefined ? [] : [attributes["data-readout"]]),
      ...(attributes.href?.startsWith("#") ? [attributes.href.slice(1)] : []),
    ]);
    expect(wanted.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each(NAMES)("renderHtml() of '%s' has headings in order, none empty, one of the first level", (name) => {
    const found = headings(page(name));
    expect(found.filter(({ level }) => level === 1)).toHaveLength(1);
    for (const [index, { level, text }] of found.entries()) {
      expect(level).toBeLessThanOrEqual((found[index - 1]?.level ?? 0) + 1);
      expect(text.trim()).not.toBe("");
    }
  });

  it.each(NAMES)(
    "renderHtml() of '%s' gives every drawing a title and a description, or hides it from readers",
    (name) => {
      for (const svg of elements(page(name), "svg")) {
        if (svg.attributes["aria-hidden"] === "true") continue;
        expect(svg.attributes.role).toBe("img");
        expect(textOf(elements(svg, "title")[0] as Element)).not.toBe("");
        expect(textOf(elements(svg, "desc")[0] as Element)).not.toBe("");
      }
    },
  );

  it.each(NAMES)(
    "renderHtml() of '%s' gives every table a caption, every head a scope, every row its cells",
    (name) => {
      for (const table of elements(page(name), "table")) {
        expect(textOf(elements(table, "caption")[0] as Element)).not.toBe("");
        for (const head of elements(table, "th")) expect(head.attributes.scope).toMatch(/^(?:col|row|rowgroup)$/u);
        const columns = elements(elements(table, "thead")[0] as Element, "th").length;
        for (const row of elements(elements(table, "tbody")[0] as Element, "tr"))
          expect(row.children).toHaveLength(columns);
      }
    },
  );

  it.each(NAMES)(
    "renderHtml() of '%s' has a caption for every figure, and a table for those that draw data",
    (name) => {
      for (const figure of elements(page(name), "figure")) expect(elements(figure, "figcaption")).toHaveLength(1);
    },
  );

  it.each(NAMES)("renderHtml() of '%s' draws no coordinate that is not a number", (name) => {
    const keys = ["d", "x", "y", "cx", "cy", "width", "height", "transform", "data-at"];
    const drawn = elements(page(name)).flatMap(({ attributes }) => keys.flatMap((key) => attributes[key] ?? []));
    expect(drawn.filter((text) => /NaN|Infinity|undefined/u.test(text))).toEqual([]);
  });

  it("renderHtml() is the same every time", () => {
    const results = [{ name: "a.json", result: PAGE_CASES.cure as Result }];
    expect(renderHtml(results)).toBe(renderHtml(results));
  });

  it("renderHtml() lets nothing of a result become markup: of all cases the elements are of the same few kinds", () => {
    const kinds = (name: string): Set<string> => new Set(elements(page(name)).map((element) => element.name));
    const known = new Set(NAMES.filter((name) => !name.startsWith("hostile")).flatMap((name) => [...kinds(name)]));
    for (const hostile of NAMES.filter((name) => name.startsWith("hostile")))
      expect([...kinds(hostile)].filter((name) => !known.has(name))).toEqual([]);
    expect(known.has("img")).toBe(false);
  });

  it("renderHtml() has one script, and its policy admits that one alone and no request", () => {
    const root = page("hostile", "cure");
    const scripts = elements(root, "script");
    expect(scripts.map(textOf)).toEqual([SCRIPT]);
    const policy = elements(root, "meta").find(({ attributes }) => attributes["http-equiv"] !== undefined);
    expect(policy?.attributes.content).toContain("default-src 'none'");
    expect(policy?.attributes.content).toContain(`script-src '${SCRIPT_HASH}';`);
    for (const element of elements(root)) {
      const names = Object.keys(element.attributes);
      expect(names.filter((name) => name.startsWith("on") || name === "src" || name === "style")).toEqual([]);
    }
    const links = elements(root).flatMap(({ attributes }) => attributes.href ?? []);
    expect(links.filter((link) => !link.startsWith("#"))).toEqual(["data:,"]);
  });

  it("SCRIPT_HASH is the SHA-256 of the script", () => {
    expect(SCRIPT_HASH).toBe(`sha256-${createHash("sha256").update(SCRIPT).digest("base64")}`);
  });

  it("renderHtml() shows a hostile name in full where the arms are listed, and cuts it elsewhere", () => {
    const result = PAGE_CASES.cure as Result;
    const name = HOSTILE[5] as string;
    const long = {
      ...result,
      trials: result.trials.map((trial) => ({ ...trial, arm: `${trial.arm} ${name}` })),
      comparison: undefined,
    };
    const root = readMarkup(renderHtml([{ name: "long.json", result: long as unknown as Result }]));
    expect(elements(root, "bdi").filter((element) => textOf(element).includes(name))).toHaveLength(2);
    for (const text of elements(root, "text")) expect(textOf(text).length).toBeLessThan(80);
  });

  it("renderHtml() puts the verdict first, then the sections in order", () => {
    const titles = headings(page("cure")).map(({ text }) => text);
    expect(titles.filter((title) => !title.startsWith("on against off"))).toEqual([
      "What came out",
      "Key figures",
      "Over time",
      "How the calls ended",
      "Latency",
      "Pairs and effects",
      "Fairness between users",
      "What the target spent its processor on",
      "Lateness and validity",
      "Trial by trial",
      "What was run, and how to run it again",
      "Arms",
      "Plan, design and environment",
      "Configuration",
    ]);
    expect(headings(page("sweep")).map(({ text }) => text)[2]).toBe("The sweep");
  });

  it("renderHtml() of several results lists what each says, and gives each a section", () => {
    const root = page("cure", "invalid", "sweep");
    const [nav] = elements(root, "nav");
    const items = elements(nav as Element, "li").map(textOf);
    expect(items).toHaveLength(3);
    expect(items[0]).toContain("cure.json: ");
    expect(items[2]).toContain("Ship sre k=1.1.");
    expect(elements(root, "article")).toHaveLength(3);
  });

  it("renderHtml() of nothing is still a page", () => {
    expect(textOf(readMarkup(renderHtml([])))).toContain("0 results");
  });

  it("renderHtml() of a sweep of 20 cells stays below 700 kB", () => {
    const result = sweepCase(["a", "b", "c", "d"], [1.1, 1.25, 1.5, 2, 3]);
    const minute = {
      ...result,
      trials: result.trials.map((trial) => ({ ...trial, series: longSeries(trial.series[0]) })),
    };
    expect(renderHtml([{ name: "sweep.json", result: minute as Result }]).length).toBeLessThan(700_000);
  });
});

function longSeries(row: Result["trials"][number]["series"][number] | undefined): unknown[] {
  return Array.from({ length: 60 }, (_, second) => ({
    ...row,
    second,
    ok: 100 + (second % 7),
    offered: 2000 + second,
  }));
}
