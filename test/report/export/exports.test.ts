import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderCsv, renderSeriesCsv } from "../../../src/report/export/csv.ts";
import { githubAnnotations, githubSummary } from "../../../src/report/export/github.ts";
import { harmless } from "../../../src/report/export/harmless.ts";
import { renderHlog } from "../../../src/report/export/hlog.ts";
import { renderJunit } from "../../../src/report/export/junit.ts";
import { renderMarkdown } from "../../../src/report/export/markdown.ts";
import { escapeMarkdown } from "../../../src/report/export/markdown-text.ts";
import { renderOpenMetrics } from "../../../src/report/export/openmetrics.ts";
import type { AssertionOutcome } from "../../../src/result/design-schema.ts";
import type { Result } from "../../../src/result/schema.ts";
import { abortedCase, capacityCase, saturatedCase, withCapacity } from "../../support/governed-cases.ts";
import { recoveryMapCase } from "../../support/recovery-cases.ts";
import { sweepOfLoads } from "../../support/sweep-cases.ts";
import { collapsed, compared, cure, silent, spoiled, throttled } from "../../support/trial-cases.ts";
import { resultFixture, trialFixture } from "../../support/trial-fixture.ts";
import { hostileResult, hostileText } from "./hostile.ts";

const ASSERTIONS: AssertionOutcome[] = [
  { text: "goodput>=0.3*offered", arm: "on", holds: true, left: 689, right: 599, message: "689/s >= 599/s." },
  {
    text: "response.ok.p99Ms<50ms",
    arm: "on",
    holds: false,
    left: 71.2,
    right: 50,
    message: "71.2 ms < 50.0 ms is false.",
  },
];

const RESULTS: Readonly<Record<string, Result>> = {
  cure: { ...compared(cure()), assertions: ASSERTIONS },
  silent: compared([silent("off", 0), silent("on", 0)]),
  invalid: compared([collapsed(0, 6_000, 10_000), spoiled()]),
  healthy: resultFixture([trialFixture()], { command: "run" }),
  empty: resultFixture([], { partial: true }),
  capacity: capacityCase(),
  saturated: saturatedCase(),
  aborted: abortedCase(),
  multiple: withCapacity(compared([collapsed(0), throttled(0)])),
  recovery: recoveryMapCase(),
};

const RENDERERS = {
  "junit.xml": renderJunit,
  md: renderMarkdown,
  csv: renderCsv,
  "series.csv": renderSeriesCsv,
  om: renderOpenMetrics,
} as const;

const control = /(?![\n\r])[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u;

describe("exports", () => {
  it("tell no mean over the climb of a search as if it were a load's, but what it found", () => {
    const named = [{ name: "capacity.json", result: capacityCase() }];
    const openMetrics = renderOpenMetrics(named);
    expect(openMetrics).not.toMatch(/^overload_bench_(?:goodput|offered|response_seconds|waste)/mu);
    expect(openMetrics).toMatch(/^overload_bench_capacity_goodput_calls_per_second/mu);
    const [head = [], row = []] = renderCsv(named)
      .split("\r\n")
      .map((line) => line.split(","));
    const cells = Object.fromEntries(head.map((name, index) => [name, row[index]]));
    expect(cells).toMatchObject({ "rates.goodput": "", waste: "", "latency.response.ok.p99Ms": "" });
    expect(Number(cells["governor.goodput"])).toBeGreaterThan(0);
  });

  for (const [name, result] of Object.entries(RESULTS)) {
    it.each(Object.entries(RENDERERS))(
      `the ${"%s"} of the result '${name}' is the golden text`,
      async (format, render) => {
        const text = render([{ name: `${name}.json`, result }]);
        await expect(text).toMatchFileSnapshot(`../../golden/report/export/${name}.${format}`);
      },
    );
    it(`what GitHub shows of the result '${name}' is the golden text`, async () => {
      await expect(githubAnnotations(result)).toMatchFileSnapshot(`../../golden/report/export/${name}.annotations.txt`);
    });
  }

  it("no export of a hostile result has a control character, or half of a surrogate pair", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const results = [{ name: text, result: hostileResult(text) }];
        for (const render of [...Object.values(RENDERERS), renderHlog, githubSummary]) {
          expect(render(results)).not.toMatch(control);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("renderJunit()", () => {
  it("renderJunit() of a hostile result is well-formed, and its names are the texts as they are", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const xml = renderJunit([{ name: text, result: hostileResult(text) }]);
        const names = wellFormed(xml)
          .filter(({ tag }) => tag === "testcase")
          .map(({ attributes }) => attributes.name);
        expect(names).toContain(`${harmless(text)} [${harmless(text)} on]`);
        expect(names).toHaveLength(3);
      }),
      { numRuns: 60 },
    );
  });

  it("renderJunit() counts a failure for each invalid trial and each broken assertion, and for nothing else", () => {
    const { comparison } = RESULTS.cure!;
    const worse = {
      ...comparison!,
      contrasts: comparison!.contrasts.map((each) => ({
        ...each,
        metrics: each.metrics.map((metric) => ({ ...metric, verdict: "worse" as const })),
      })),
    };
    const xml = renderJunit([{ name: "a", result: { ...RESULTS.cure!, comparison: worse } }]);
    const tags = wellFormed(xml);
    expect(tags.filter(({ tag }) => tag === "failure").map(({ attributes }) => attributes.type)).toEqual(["assertion"]);
    expect(tags.find(({ tag }) => tag === "testsuites")?.attributes).toMatchObject({ tests: "8", failures: "1" });
    expect(xml).toContain("worse in on than in off: goodput (ratio");
    const invalid = wellFormed(renderJunit([{ name: "a", result: RESULTS.invalid! }]));
    expect(invalid.filter(({ tag }) => tag === "failure").map(({ attributes }) => attributes.type)).toEqual([
      "invalid",
    ]);
  });
});

describe("a sweep over loads", () => {
  const result = { ...sweepOfLoads(), comparison: compared(cure()).comparison! };
  const named = [{ name: "loads", result }];
  const overall = result.sweep!.overall!.sentence;

  it.each([
    ["renderMarkdown()", renderMarkdown(named)],
    ["renderJunit()", renderJunit(named)],
    ["githubAnnotations()", githubAnnotations(result)],
  ])("%s says what to ship over all loads before what to ship at each, and nothing of the first cell", (_, text) => {
    const plain = unescaped(text.replaceAll("%25", "%").replace(/\\(.)/gu, "$1"));
    const places = [overall, ...result.sweep!.recommendations.map(({ sentence }) => sentence)].map((sentence) =>
      plain.indexOf(sentence),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const { contrasts } = result.comparison!;
    expect(contrasts.length).toBeGreaterThan(0);
    for (const { sentence } of contrasts) expect(plain).not.toContain(sentence);
    expect(plain).not.toMatch(/<failure|regression| against /u);
  });
});

describe("renderMarkdown()", () => {
  it("renderMarkdown() of a hostile result keeps its tables' columns, and has no markup of the result's", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const lines = renderMarkdown([{ name: text, result: hostileResult(text) }]).split("\n");
        expect(lines.join("\n")).not.toMatch(/<|[^\\]`|[^\\]\*(?!\*)|@/u);
        let columns = 0;
        for (const line of lines) {
          const cells = line.replace(/\\./gu, "").split("|").length;
          if (!line.startsWith("|")) columns = 0;
          else if (columns === 0) columns = cells;
          else expect(cells).toBe(columns);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ["a|b", "a\\|b"],
    ["<b>&amp;", "&lt;b&gt;&amp;amp;"],
    ["![x](y) #1 `c`", "\\!\\[x\\](y) \\#1 \\`c\\`"],
    ["@user", "&#64;user"],
    ["k=1.5", "k=1.5"],
  ])("escapeMarkdown() of %s is the text that shows it", (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});

describe("renderCsv()", () => {
  it("renderCsv() of a hostile result is RFC 4180, with as many fields in each row, and no text is a formula", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const render of [renderCsv, renderSeriesCsv]) {
          const rows = parseCsv(render([{ name: text, result: hostileResult(text) }]));
          expect(new Set(rows.map((row) => row.length)).size).toBe(1);
          expect(rows.flat().filter((cell) => /^\s*[=+\-@]/u.test(cell) && Number.isNaN(Number(cell)))).toEqual([]);
          expect(rows[1]?.[0]?.replace(/^'/u, "")).toBe(harmless(text).replace(/^'/u, ""));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("renderCsv() leaves empty what does not exist, and names the columns that are only bounds", () => {
    const [head, row] = parseCsv(renderCsv([{ name: "a", result: resultFixture([silent("on", 0)]) }]));
    const at = (column: string): string => row![head!.indexOf(column)]!;
    expect([at("latency.response.ok.p99Ms"), at("latency.response.ok.count"), at("users.jain")]).toEqual(["", "0", ""]);
    expect(at("latency.response.failed.p99Ms")).toBe("3010");
    expect(at("lowerBounds").split(" ")).toContain("latency.response.failed.p99Ms");
    expect(new Set(head).size).toBe(head!.length);
  });
});

describe("renderOpenMetrics()", () => {
  it("renderOpenMetrics() of a hostile result keeps to the grammar, and its labels are the texts as they are", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const two = [
          { name: text, result: hostileResult(text) },
          { name: `${text}2`, result: RESULTS.cure! },
        ];
        const samples = parseOpenMetrics(renderOpenMetrics(two));
        expect(samples.some(({ labels }) => labels.assertion === harmless(text))).toBe(true);
        expect(samples.some(({ labels }) => labels.result === harmless(text))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("renderOpenMetrics() tells counts and seconds as they are in the result", () => {
    const samples = parseOpenMetrics(renderOpenMetrics([{ name: "a", result: resultFixture([throttled(0)]) }]));
    const value = (name: string, labels: Record<string, string>): number | undefined =>
      samples.find((each) => each.name === name && Object.entries(labels).every(([key, of]) => each.labels[key] === of))
        ?.value;
    expect(value("overload_bench_calls_total", { outcome: "ok" })).toBe(6890);
    expect(value("overload_bench_response_seconds", { outcome: "ok", quantile: "0.99" })).toBe(0.0712);
    expect(value("overload_bench_response_seconds_count", { outcome: "ok" })).toBe(6890);
    expect(value("overload_bench_verdict", { verdict: "valid" })).toBe(1);
  });
});

describe("githubAnnotations()", () => {
  it("githubAnnotations() of a hostile result is one workflow command a line", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const lines = githubAnnotations(hostileResult(text)).trimEnd().split("\n");
        expect(lines).toHaveLength(3);
        for (const line of lines) {
          expect(line).toMatch(/^::(?:error|warning|notice) title=overload-bench(?:[^:,]|%3A|%2C)*::/u);
        }
      }),
    );
  });

  it("githubAnnotations() shows no more of a level than GitHub does, and says how many are left", () => {
    const assertions = Array.from({ length: 25 }, (_, index) => ({ ...ASSERTIONS[1]!, text: `a>${index}` }));
    const lines = githubAnnotations({ ...RESULTS.healthy!, assertions })
      .trimEnd()
      .split("\n")
      .filter((line) => line.startsWith("::error"));
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toContain("16 more");
  });

  it("githubSummary() stays below what GitHub takes", () => {
    const trial = { ...collapsed(0), arm: "漢".repeat(500) };
    const result = resultFixture(Array.from({ length: 900 }, (_, pair) => ({ ...trial, arm: `${trial.arm}${pair}` })));
    const text = githubSummary([{ name: "a", result }]);
    expect(new TextEncoder().encode(text).length).toBeLessThan(1 << 20);
    expect(text).toContain("The rest is left out");
  });
});

interface Tag {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The tags of a document; throws where it is not well-formed, as far as names, quotes, entities and nesting go. */
function wellFormed(xml: string): Tag[] {
  const rest = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/u, "");
  const open: string[] = [];
  const tags: Tag[] = [];
  const attribute = /\s+([a-z]+)="([^"<>]*)"/gu;
  const token = /<(\/?)([a-z-]+)((?:\s+[a-z]+="[^"<>]*")*)(\/?)>|([^<>]+)/gu;
  let read = "";
  for (const [all, closing, tag = "", attributes = "", single] of rest.matchAll(token)) {
    read += all;
    if (/&(?!(?:amp|lt|gt|quot|apos);)/u.test(all)) throw new Error(`A bare ampersand in ${all}`);
    if (tag === "") continue;
    if (closing === "/") {
      if (open.pop() !== tag) throw new Error(`</${tag}> closes nothing`);
      continue;
    }
    const pairs = [...attributes.matchAll(attribute)].map(([, name, value]) => [name!, unescaped(value!)]);
    tags.push({ tag, attributes: Object.fromEntries(pairs) });
    if (single !== "/") open.push(tag);
  }
  if (read !== rest || open.length > 0) throw new Error(`Not well-formed: ${rest.slice(0, 200)}`);
  return tags;
}

function unescaped(text: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(\w+);/gu, (_, name: string) => entities[name]!);
}

function parseCsv(text: string): string[][] {
  expect(text.endsWith("\r\n")).toBe(true);
  const rows: string[][] = [];
  let rest = text;
  while (rest !== "") {
    const row: string[] = [];
    for (;;) {
      const [all, quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/u.exec(rest)!;
      row.push(quoted?.replaceAll('""', '"') ?? plain ?? "");
      rest = rest.slice(all.length);
      if (!rest.startsWith(",")) break;
      rest = rest.slice(1);
    }
    if (!rest.startsWith("\r\n")) throw new Error(`A row goes on: ${rest.slice(0, 40)}`);
    rest = rest.slice(2);
    rows.push(row);
  }
  return rows;
}

interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** By the grammar of OpenMetrics 1.0.0, and its rules for names, units, duplicates and the order of families. */
function parseOpenMetrics(text: string): MetricSample[] {
  expect(text.endsWith("\n# EOF\n")).toBe(true);
  const families = new Set<string>();
  const seen = new Set<string>();
  const samples: MetricSample[] = [];
  const suffixes: Record<string, readonly string[]> = {
    counter: ["_total"],
    gauge: [""],
    summary: ["", "_count", "_sum"],
  };
  let family = { name: "", type: "" };
  for (const line of text
    .slice(0, -"# EOF\n".length)
    .trimEnd()
    .split("\n")
    .filter((each) => each !== "")) {
    const meta = /^# (TYPE|UNIT|HELP) ([a-z_]+) (.+)$/u.exec(line);
    if (meta !== null) {
      const [, kind, name = "", value = ""] = meta;
      if (kind === "TYPE") {
        expect(families.has(name)).toBe(false);
        families.add(name);
        family = { name, type: value };
      }
      expect(name).toBe(family.name);
      if (kind === "UNIT") expect(name.endsWith(`_${value}`)).toBe(true);
      continue;
    }
    const sample = /^([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,(?=[a-z_])|(?=\})))*)\} (-?[\d.e+-]+)$/u.exec(
      line,
    );
    if (sample === null) throw new Error(`No sample: ${line}`);
    const [, name = "", labels = "", value = ""] = sample;
    expect(suffixes[family.type]?.map((suffix) => family.name + suffix)).toContain(name);
    expect(seen.has(`${name}{${labels}}`)).toBe(false);
    seen.add(`${name}{${labels}}`);
    const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/gu)].map(([, key, of]) => [
      key!,
      of!.replace(/\\(.)/gu, (_, escaped: string) => (escaped === "n" ? "\n" : escaped)),
    ]);
    samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value) });
  }
  return samples;
}
