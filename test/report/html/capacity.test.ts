import { describe, expect, it } from "vitest";
import { renderHtml } from "../../../src/report/html/page.ts";
import type { Result } from "../../../src/result/schema.ts";
import { abortedCase, capacityCase, healingCase, saturatedCase, withCapacity } from "../../support/governed-cases.ts";
import { type Element, elements, readMarkup, tableOf, tableRows, textOf } from "../../support/markup.ts";
import { compared, cure } from "../../support/trial-cases.ts";

function page(result: Result): Element {
  return readMarkup(renderHtml([{ name: "a.json", result }]));
}

function verdictOf(root: Element): Element {
  return elements(root, "div").find(({ attributes }) => attributes.class?.startsWith("verdict")) as Element;
}

function headings(root: Element): string[] {
  return elements(root, "h3").map(textOf);
}

describe("the page of a search for a capacity", () => {
  const root = page(capacityCase());

  it("says first what the target takes, that the offer held, and the interval", () => {
    const verdict = verdictOf(root);
    expect(verdict.attributes.class).toContain("tone-good");
    expect(textOf(verdict)).toMatch(/^The target takes 400 calls per second/u);
    expect(textOf(verdict)).toContain("✓ The offer held.");
    expect(textOf(verdict)).toContain("95 % interval 398 to 402/s");
  });

  it("has no key figures: they would be means over the climb", () => {
    expect(headings(root)).not.toContain("Key figures");
    expect(headings(root)[0]).toBe("The capacity, and how it was found");
  });

  it("marks each back-off with its line, and numbers it as the table does", () => {
    const healing = page(healingCase());
    const cuts = healingCase().trials[0]!.governor!.events.filter(({ kind }) => kind === "down");
    expect(cuts.length).toBeGreaterThan(1);
    const titles = elements(healing, "path")
      .filter(({ attributes }) => attributes.class === "cut")
      .flatMap((mark) => elements(mark, "title").map(textOf));
    for (const { text } of cuts) expect(titles.some((title) => title.endsWith(text))).toBe(true);
    const rows = tableRows(tableOf(healing, "What the governor said of the marks"));
    const numbered = rows.filter(([, mark]) => mark?.startsWith("▼"));
    expect(numbered.map(([, mark, line]) => [mark, line])).toEqual(
      cuts.map(({ text }, index) => [`▼ ${index + 1}`, text]),
    );
  });

  it("says that a memory was cleared, and that the offer did not come to rest", () => {
    const healing = page(healingCase());
    expect(tableRows(tableOf(healing, "What the governor said of the marks")).map(([, mark]) => mark)).toContain("◆");
    expect(verdictOf(healing).attributes.class).toContain("tone-doubt");
    expect(textOf(verdictOf(healing))).toContain("Not held");
  });

  it("calls a saturation artefact one, and draws calls at once on an axis of their own", () => {
    const saturated = page(saturatedCase());
    expect(verdictOf(saturated).attributes.class).toContain("tone-bad");
    expect(textOf(verdictOf(saturated))).toContain("saturation artefact");
    const titles = elements(saturated, "svg").flatMap((svg) => elements(svg, "title").map(textOf));
    expect(titles).toEqual(expect.arrayContaining(["Offer", "Goodput", "Attempts that failed"]));
    expect(titles).not.toContain("Offer and goodput");
  });

  it("says before all else that a guard ended it", () => {
    const text = textOf(verdictOf(page(abortedCase())));
    expect(text).toMatch(/^✕ Aborted by a guard\./u);
    expect(text).toContain("errors>50%:1s");
  });

  it("has each window in a table, and each offer of the knee", () => {
    const { windows } = capacityCase().trials[0]!.governor!;
    expect(tableRows(tableOf(root, "The governor's windows"))).toHaveLength(windows.length + 1);
    expect(tableRows(tableOf(root, "By offer; service times in ms"))).toHaveLength(
      capacityCase().capacity!.knee.length + 1,
    );
  });
});

describe("the page of a load that is a multiple of the capacity", () => {
  it("says so, and folds the search away", () => {
    const root = page(withCapacity(compared(cure())));
    const section = elements(root, "section").find((one) =>
      textOf(one).startsWith("The capacity that the load"),
    ) as Element;
    const folded = elements(section, "details").find((one) => textOf(one).startsWith("How it was found")) as Element;
    expect(folded.attributes.open).toBeUndefined();
    expect(elements(folded, "svg").length).toBeGreaterThan(3);
    expect(textOf(section)).toContain("The target takes 400 calls per second");
  });
});
