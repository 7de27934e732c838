/** The page in a real browser. Skipped where none is found; on Node alone, as the page is the same on all runtimes. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderHtml } from "../../src/report/html/page.ts";
import type { Result } from "../../src/result/schema.ts";
import { PAGE_CASES, sweepCase } from "../support/page-cases.ts";
import { Chromium, findChromium, type View } from "./chromium.ts";

const program = findChromium();
const onNode = process.versions.bun === undefined && !("Deno" in globalThis);
const LOAD_BOUND_MS = 5_000;
const WIDE: View = { width: 1100, height: 900 };

const PAGES: Readonly<Record<string, readonly string[]>> = {
  comparison: ["cure"],
  "single run": ["warmed"],
  "invalid run": ["invalid"],
  sweep: ["sweep"],
  "search for a capacity": ["capacity"],
  recovery: ["map"],
  "hostile names": ["hostile"],
  "hostile names in a search and a recovery": ["hostile search", "hostile recovery"],
  "several results": ["cure", "run", "silent", "nothing"],
};

describe.skipIf(program === undefined || !onNode)("the page in Chromium", () => {
  let browser: Chromium;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "overload-bench-page-"));
    browser = await Chromium.start(program as string);
  }, 90_000);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function save(name: string, results: readonly (readonly [string, Result])[]): string {
    const path = join(folder, `${name.replace(/ /gu, "-")}.html`);
    writeFileSync(path, renderHtml(results.map(([title, result]) => ({ name: `${title}.json`, result }))));
    return `file://${path}`;
  }

  const pageOf = (name: string, cases: readonly string[]): string =>
    save(
      name,
      cases.map((key) => [key, PAGE_CASES[key] as Result]),
    );

  it.each(Object.entries(PAGES))(
    "the page of the %s loads without a message, a dialog or a request, and shows something",
    async (name, cases) => {
      const page = await browser.open(pageOf(name, cases), WIDE);
      const [loadMs, overflow] = await page.evaluate<[number, number]>(
        `[performance.getEntriesByType("navigation")[0].loadEventStart, document.documentElement.scrollWidth - innerWidth]`,
      );
      expect(page.messages).toEqual([]);
      expect(page.dialogs).toEqual([]);
      expect(page.requests.filter((url) => url !== "data:,")).toEqual([]);
      expect(loadMs).toBeGreaterThan(0);
      expect(loadMs).toBeLessThan(LOAD_BOUND_MS);
      expect(overflow).toBeLessThanOrEqual(0);
      expect(coloursOf(await page.screenshot())).toBeGreaterThan(10);
      await page.close();
    },
  );

  it("the page of a sweep of 20 cells loads within the bound", async () => {
    const url = save("twenty", [["twenty", sweepCase(["a", "b", "c", "d"], [1.1, 1.25, 1.5, 2, 3])]]);
    const page = await browser.open(url, WIDE);
    const loadMs = await page.evaluate<number>(`performance.getEntriesByType("navigation")[0].loadEventStart`);
    expect(loadMs).toBeLessThan(LOAD_BOUND_MS);
    await page.close();
  });

  it("the page is dark where the system is, the button turns it, and paper stays light", async () => {
    const url = pageOf("themes", ["cure"]);
    const lightness =
      "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, value) => sum + Number(value), 0)";
    const light = await browser.open(url, { ...WIDE, theme: "light" });
    expect(await light.evaluate<number>(lightness)).toBeGreaterThan(600);
    await light.close();
    const dark = await browser.open(url, { ...WIDE, theme: "dark" });
    expect(await dark.evaluate<number>(lightness)).toBeLessThan(150);
    await dark.evaluate(`document.querySelector("button.theme").click()`);
    expect(await dark.evaluate<number>(lightness)).toBeGreaterThan(600);
    await dark.close();
    const paper = await browser.open(url, { ...WIDE, theme: "dark", media: "print" });
    expect(await paper.evaluate<number>(lightness)).toBeGreaterThan(600);
    await paper.close();
  });

  it("the page says the same without its script", async () => {
    const url = pageOf("unscripted", ["cure"]);
    const plain = await browser.open(url, { ...WIDE, scripts: false });
    const counts = `["button", "svg.plot", "table", ".readout"].map((name) => document.querySelectorAll(name).length)`;
    const [buttons, plots, tables, readouts] = await plain.evaluate<number[]>(counts);
    expect([buttons, readouts]).toEqual([0, 0]);
    const scripted = await browser.open(url, WIDE);
    expect((await scripted.evaluate<number[]>(counts)).slice(1, 3)).toEqual([plots, tables]);
    expect(coloursOf(await plain.screenshot())).toBeGreaterThan(10);
    await scripted.close();
    await plain.close();
  });

  it("the page fits a narrow screen: nothing is wider than it but what scrolls by itself", async () => {
    for (const name of [
      "cure",
      "sweep",
      "healing",
      "aborted",
      "map",
      "arms",
      "hostile",
      "hostile search",
      "hostile recovery",
    ]) {
      const page = await browser.open(pageOf(`narrow-${name}`, [name]), { width: 360, height: 800 });
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
      await page.close();
    }
  });

  it("the page reads out the row of the table where the pointer is, and hides an arm at a click", async () => {
    const page = await browser.open(pageOf("pointer", ["cure"]), WIDE);
    const place = await page.evaluate<{ x: number; y: number }>(
      `(() => { const plot = document.querySelector("[data-readout] svg"); plot.scrollIntoView({ block: "center", behavior: "instant" }); const box = plot.getBoundingClientRect(); return { x: box.left + box.width / 2, y: box.top + box.height / 2 }; })()`,
    );
    await page.point(place.x, place.y);
    const text = await page.evaluate<string>(`document.querySelector(".readout").textContent`);
    expect(text).toMatch(/^second \d+ +offered [\d,.]+ +off: sent [\d,.]+/u);
    await page.evaluate(`document.querySelector('[data-toggle="arm-0"] button').click()`);
    expect(
      await page.evaluate<number>(
        `[...document.querySelectorAll('[data-series="arm-0"]')].filter((part) => getComputedStyle(part).display !== "none").length`,
      ),
    ).toBe(0);
    expect(page.messages).toEqual([]);
    await page.close();
  });
});

/** How many different bytes the rows of a PNG's first image hold, filters included: one of an empty page, many of a drawing. */
function coloursOf(png: Buffer): number {
  const parts: Buffer[] = [];
  for (let place = 8; place < png.length; ) {
    const length = png.readUInt32BE(place);
    if (png.toString("latin1", place + 4, place + 8) === "IDAT")
      parts.push(png.subarray(place + 8, place + 8 + length));
    place += length + 12;
  }
  return new Set(inflateSync(Buffer.concat(parts))).size;
}
