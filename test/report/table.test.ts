import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/report/display-width.ts";
import { page } from "../../src/report/page.ts";
import { renderTable } from "../../src/report/table.ts";
import { LINE_WIDTH, wrap } from "../../src/report/wrap.ts";

describe("renderTable()", () => {
  it("aligns words left and numbers right", () => {
    expect(renderTable([["", "off", "on"], ["goodput", "38.9", "1,689"], ["short"]])).toEqual([
      "           off      on",
      "goodput   38.9   1,689",
      "short",
    ]);
  });

  it("aligns each column as it is told", () => {
    expect(
      renderTable(
        [
          ["a", "b"],
          ["cc", "dd"],
        ],
        { align: ["right", "left"], gap: 1 },
      ),
    ).toEqual([" a b", "cc dd"]);
  });

  it("puts the last column's end at one place in all rows, wide characters and accents included", () => {
    const cell = fc.constantFrom("a", "名前", "e\u0301", "12.3", "🚀", "≥5");
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
        expect(new Set(renderTable(rows).map(displayWidth)).size).toBe(1);
      }),
    );
  });
});

describe("wrap()", () => {
  it("keeps every word, in order, in lines of bounded width", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,30}$/u), { maxLength: 60 });
    fc.assert(
      fc.property(words, (list) => {
        const lines = wrap(list.join(" "), "- ");
        expect(lines.every((line) => line.length <= LINE_WIDTH)).toBe(true);
        expect(lines.join(" ").slice(2).split(/\s+/u).filter(Boolean)).toEqual(list);
      }),
    );
  });

  it("gives a word that is too long a line of its own", () => {
    const long = "x".repeat(150);
    expect(wrap(`a ${long} b`, "  ")).toEqual(["  a", `  ${long}`, "  b"]);
  });
});

describe("page()", () => {
  it("lets nothing steer the terminal", () => {
    expect(page(["arm \u001b[31mred\u0007", "b\rc  "])).toBe("arm ?[31mred?\nb?c\n");
  });
});
