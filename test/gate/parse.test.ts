import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { METRIC_KEYS } from "../../src/figures/metrics.ts";
import { figureNames, findFigure, listFigures, shortName } from "../../src/gate/catalogue.ts";
import { parseAssertion } from "../../src/gate/parse.ts";
import { UnknownFigureError } from "../../src/gate/syntax-error.ts";
import { resultJsonSchema } from "../../src/result/json-schema.ts";
import { formatAssertion } from "../support/format-assertion.ts";
import { anyExpression, literal, rateExpression } from "./random-expressions.ts";

const tree = (text: string): unknown => {
  const { text: _text, ...rest } = parseAssertion(text);
  return rest;
};

describe("parseAssertion()", () => {
  it.each([
    ["goodput>=0.95*offered", "rates.goodput >= 0.95 * rates.offered"],
    ["  response.ok.p99Ms<250ms ", "latency.response.ok.p99Ms < 0.25s"],
    ["response.ok.p99.9Ms<1s", "latency.response.ok.p999Ms < 1s"],
    ["service.accepted.p99.95Ms < 1m30s", "latency.service.accepted.p99.95Ms < 90s"],
    ["wait.p100Ms<5", "latency.wait.maxMs < 5"],
    ["throttled/planned<=5 %", "calls.throttled / calls.planned <= 5%"],
    ["on:goodput>1.2*off:goodput", "on:rates.goodput > 1.2 * off:rates.goodput"],
    [`"k=1.5, b":ok!='it\\'s':ok`, `"k=1.5, b":calls.ok != "it's":calls.ok`],
    ["max(throttled/planned)<1e-1", "max(calls.throttled / calls.planned) < 0.1"],
    ["min<1", undefined],
    ["a.b", undefined],
    ["ratio.goodput.low>1", "ratio.goodput.low > 1"],
    ["statuses.5xx==0", "statuses.5xx == 0"],
    ['errors."E, \\"odd\\""==0', 'errors."E, \\"odd\\"" == 0'],
    ["(1+2)*3==3*3", "(1 + 2) * 3 == 3 * 3"],
    ["1-(2-3)-4==-(1+2)", "1 - (2 - 3) - 4 == -(1 + 2)"],
    ["target.cpuTotalSeconds/attempts.accepted<5ms", "target.cpuTotalSeconds / attempts.accepted < 0.005s"],
    ["criticality.CRITICAL.ok>=0.9*criticality.CRITICAL.planned", undefined],
  ])("parseAssertion() reads %s as what it says", (text, canonical) => {
    if (canonical !== undefined) expect(formatAssertion(parseAssertion(text))).toBe(canonical);
    else if (text.startsWith("criticality")) expect(() => parseAssertion(text)).not.toThrow();
    else expect(() => parseAssertion(text)).toThrow(UnknownFigureError);
  });

  it.each([
    ["", "at its end, a figure or a number must follow"],
    ["goodput", "at its end, one of < <= > >= == != must follow"],
    ["goodput = 5", "at character 9, one of < <= > >= == != must follow: write =="],
    ["goodput => 5", "write >="],
    ["1 < goodput < 5", "at character 13, the assertion must be over"],
    ["goodput > 5 goodput", "the assertion must be over"],
    ["(goodput > 5", "a closing parenthesis must follow"],
    ["goodput > 5x", "'5x' must be a number, a percentage or a duration"],
    ["goodput > 1e999", "is too large"],
    ['"on:goodput > 5', "is never closed"],
    ["goodput > 5 & ok > 1", 'there is no place for "&"'],
    ["goodput > 250ms", "two figures cannot be compared: goodput is a rate per second, 250ms is a time in seconds"],
    ["response.ok.p99Ms < goodput", "response.ok.p99Ms is a time in ms, goodput is a rate per second"],
    ["failed < 5%", "failed is a count, 5% is a share"],
    ["goodput + ok > 1", "two figures cannot be added"],
    ["sent/planned < 1.1", "sent is a rate per second and planned is a count: divide rates by rates"],
    ["max(min(goodput)) > 1", "must not be inside another"],
    ["max(5) > 1", "must be of a figure that each trial has"],
    ["max(ratio.goodput) > 1", "must be of a figure that each trial has"],
    ["max(on:goodput - off:goodput) > 1", "must be over the trials of one arm"],
    [`${"(".repeat(100)}1${")".repeat(100)} < 2`, "at most 64 levels"],
    ["ok > ".padEnd(3000, "1"), "at most 2000 characters"],
  ])("parseAssertion() refuses %s in one line that says where and why", (text, why) => {
    expect(() => parseAssertion(text)).toThrow(RangeError);
    expect(() => parseAssertion(text)).toThrow(why);
    let message = "";
    try {
      parseAssertion(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).not.toContain("\n");
  });

  it.each([
    "goodptu>1",
    "statuses.600>1",
    "statuses.ok>1",
    "latency.response.ok.p101Ms>1",
    "response.ok.p0Ms>1",
    "difference.goodput>1",
    "ratio.waste>1",
    "pair.x>1",
    "latency>1",
    "ratio.goodput.mid>1",
  ])("parseAssertion() knows before anything is measured that no result has a figure as in %s", (text) => {
    expect(() => parseAssertion(text)).toThrow(UnknownFigureError);
  });

  it("parseAssertion() reads back what formatAssertion() writes of any tree", () => {
    const expression = rateExpression([undefined, "on", "k=1.5 (a)", 'a "b" \\ c']);
    const comparator = fc.constantFrom("<", "<=", ">", ">=", "==", "!=");
    fc.assert(
      fc.property(expression, comparator, expression, (left, sign, right) => {
        const assertion = { left, comparator: sign as "<", right };
        expect(tree(formatAssertion(assertion))).toEqual(assertion);
      }),
    );
  });

  it("parseAssertion() reads back literals, and figures and arms of any name, to the last bit", () => {
    const zero = { kind: "number", value: 0 } as const;
    fc.assert(
      fc.property(fc.oneof(literal, anyExpression()), (left) => {
        const assertion = { left, comparator: "<", right: zero } as const;
        const text = formatAssertion(assertion);
        // Units may forbid what the grammar can write.
        let read: unknown;
        try {
          read = tree(text);
        } catch (error) {
          expect((error as Error).message).toMatch(/cannot be (added|subtracted|compared)|characters|divide rates/u);
          return;
        }
        expect(read).toEqual(assertion);
      }),
    );
  });

  it("parseAssertion() of any text throws nothing but a RangeError", () => {
    const piece = fc.constantFrom(
      "goodput",
      "on:",
      "(",
      ")",
      "<",
      "5%",
      "1ms",
      "max(",
      ".",
      '"',
      "-",
      "*",
      "/",
      " ",
      "=",
      "é",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join("")),
        ),
        (text) => {
          try {
            parseAssertion(text);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        },
      ),
    );
  });
});

describe("the catalogue of figures", () => {
  it("has every number of a trial in the schema, but for its rows and lists without names", () => {
    const paths = numbersIn((resultJsonSchema() as Schema).properties!.trials!.items!, []);
    const listed = new Set(listFigures().map(({ name }) => name));
    const left = paths.filter((path) => !listed.has(shortName(path)));
    expect(paths.length).toBeGreaterThan(200);
    expect(
      left
        .map((path) => path.join("."))
        .filter((path) => !/^(?:series|governor\.windows|governor\.events)\./u.test(path)),
    ).toEqual([]);
  });

  it("finds every name that it lists", () => {
    const names = [
      ...figureNames(),
      ...listFigures().map(({ name }) => name.replaceAll("*", name.startsWith("statuses") ? "503" : "x")),
    ];
    expect(names.filter((name) => findFigure(name.split(".")) === undefined)).toEqual([]);
  });

  it("lists every name of a comparison or a recovery that it finds", () => {
    const listed = listFigures().map(({ name }) => name);
    const kinds = ["ratio", "difference", "pValue", "adjustedPValue", "detectable"];
    const candidates = [
      ...kinds.flatMap((kind) => METRIC_KEYS.flatMap((key) => [`${kind}.${key}`, `${kind}.${key}.low`])),
      "recovery.seconds",
      "recovery.horizonSeconds",
    ];
    const found = candidates.filter((name) => findFigure(name.split(".")) !== undefined);
    expect(found.length).toBeGreaterThan(4 * METRIC_KEYS.length);
    expect(found.filter((name) => !listed.includes(name))).toEqual([]);
    const units = new Map(listFigures().map(({ name, unit }) => [name, unit]));
    for (const name of found) expect(units.get(name)).toEqual(findFigure(name.split("."))?.unit);
  });
});

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly propertyNames?: { readonly enum?: readonly string[] };
  readonly additionalProperties?: boolean | Schema;
}

function numbersIn(schema: Schema, path: readonly string[]): string[][] {
  const types = [schema.type ?? []].flat();
  if (types.includes("integer") || types.includes("number")) return [[...path]];
  const inParts = Object.entries(schema.properties ?? {}).flatMap(([key, of]) => numbersIn(of, [...path, key]));
  const { items, additionalProperties: others } = schema;
  if (items !== undefined)
    return numbersIn(items, [...path, "*"]).map((each) => (path.at(-1) === "series" ? ["series", ...each] : each));
  if (typeof others !== "object") return inParts;
  const keys = schema.propertyNames?.enum ?? ["*"];
  return [...inParts, ...keys.flatMap((key) => numbersIn(others, [...path, key]))];
}
