import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runDifferential } from "../../../fuzz/differential.ts";
import { EXPLANATIONS } from "../../../fuzz/explanations.ts";
import { bytesOf, type FuzzCase } from "../../../fuzz/fuzz-case.ts";
import { CLIENTS, References } from "../../../fuzz/references.ts";

const CASES = 3000;
const CLIENTS_EVERY = 20;

function caseOf(text: string): FuzzCase {
  return { bytes: bytesOf(text), bodiless: false, cuts: [] };
}

describe("AnswerParser, beside other readers of the same bytes", () => {
  it("sees what the grammar, llhttp and whole clients see in generated and mutated answers, or it is known why not", async () => {
    const report = await runDifferential({ cases: CASES, seed: 2026, clients: CLIENTS, clientsEvery: CLIENTS_EVERY });
    expect(report.findings.join("\n\n")).toBe("");
    expect(report.cases).toBe(CASES);
    // Neither is everything refused nor everything taken.
    expect(report.complete).toBeGreaterThan(CASES / 4);
    expect(report.complete).toBeLessThan((3 * CASES) / 4);
  });

  it("is compared with readers that do read: a difference is seen", () => {
    const references = new References();
    const found = references.parserDifferences(caseOf("HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"));
    expect(found.map(({ reference, aspect, lax }) => [reference, aspect, lax])).toEqual([
      ["llhttp", "state", false],
      ["llhttp", "outcome", false],
    ]);
  });

  it.each([
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nRetry-After: 3 \r\nX-Load:\t0.5\r\n\r\nto the end",
  ])("agrees with all of them on %j", async (text) => {
    const references = new References();
    const tried = caseOf(text);
    expect(references.parserDifferences(tried)).toEqual([]);
    expect(references.ours(tried).ended).toBe("complete");
    for (const client of CLIENTS) expect(await references.clientDifferences(tried, client)).toEqual([]);
  });

  it("differs from them only in classes that have a name of their own and stand in the table of test/fuzz/README.md", () => {
    const names = EXPLANATIONS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    // Its columns are padded.
    const table = readFileSync(new URL("../../../fuzz/README.md", import.meta.url), "utf8").replaceAll(/ +/g, " ");
    for (const { name, sentence, source } of EXPLANATIONS) {
      expect(table).toContain(`| ${name} |`);
      expect(table).toContain(`| ${sentence} | ${source} |`);
    }
  });
});
