import { describe, expect, it } from "vitest";
import { escapeText, html, raw } from "../../../src/report/html/html.ts";
import { HOSTILE } from "../../support/page-cases.ts";

describe("html", () => {
  it("html escapes text in content and in attributes alike", () => {
    expect(html`<p title="${'"><b>'}">${"<i>'`&"}</p>`.markup).toBe(
      '<p title="&quot;&gt;&lt;b&gt;">&lt;i&gt;&#39;&#96;&amp;</p>',
    );
  });

  it("html takes markup of its own as it is, lists one after the other, and leaves out what is not there", () => {
    const items = ["<", "b"].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}${undefined}${false}${0}</ul>`.markup).toBe("<ul><li>&lt;</li><li>b</li>0</ul>");
  });

  it("html does not take an object that looks like markup for markup", () => {
    const forged = { markup: "<script>" } as unknown as string;
    expect(() => html`${forged}`.markup).toThrow();
  });

  it("escapeText() leaves no character that ends an attribute, opens a tag, or turns the writing", () => {
    for (const text of HOSTILE) expect(escapeText(text)).not.toMatch(/[<>"'`\p{Cc}\u202a-\u202e\u2066-\u2069\u2028]/u);
  });

  it("escapeText() shows control characters as their code points", () => {
    expect(escapeText("a\u0000\u202eb\n")).toBe("a\\u0000\\u202eb\n");
  });

  it("raw() is put in unescaped", () => {
    expect(html`${raw("<hr>")}`.markup).toBe("<hr>");
  });
});
