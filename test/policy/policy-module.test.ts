import { describe, expect, it } from "vitest";
import { policyPresets, resolvePreset } from "../../src/policy/catalogue.ts";
import { ADAPTER_OPTIONS, presetOf, type UserPolicy } from "../../src/policy/policy-module.ts";
import { policy as example } from "../cli/fixtures/mine.ts";

const OPTION = { default: 1, kind: "number", min: 0, max: 10, unit: "ratio", doc: "What it does" } as const;
const GIVEN: UserPolicy = {
  name: "mine",
  summary: "A policy",
  options: { factor: OPTION },
  create: () => () => ({ admit: () => "send", settle: () => "done" }),
};

describe("presetOf()", () => {
  it("needs a name, a summary, options and create; the rest says that it is somebody's own", () => {
    expect(presetOf(GIVEN)).toMatchObject({
      name: "mine",
      family: "custom",
      summary: "A policy",
      use: "Own policy",
      fails: "Own policy",
      equation: "Own policy",
      source: "Own policy",
      options: { factor: OPTION },
    });
  });

  it("keeps what a module says beyond that", () => {
    const more = {
      family: "budget",
      use: "Here",
      fails: "Never",
      equation: "1 = 1",
      source: "Us",
      readsHeaders: ["a"],
    };
    expect(presetOf({ ...GIVEN, ...more })).toMatchObject(more);
  });

  it("takes every preset of the catalogue for a policy", () => {
    for (const preset of policyPresets) expect(presetOf(preset)).toMatchObject({ name: preset.name });
  });

  it("calls create with its own this", () => {
    const given = { ...GIVEN, kept: 7, create: (): never => undefined as never };
    given.create = function (this: typeof given) {
      return this.kept as never;
    };
    expect(presetOf(given).create({})).toBe(7);
  });

  it("resolves the example with its own options and those that any policy takes", () => {
    const { own, options } = resolvePreset(presetOf(example), { pause: "250ms", scope: "process" });
    expect(own).toEqual({ pause: 0.25 });
    expect(options).toEqual({ pause: 0.25, scope: "process" });
  });

  it.each<[unknown, string]>([
    [undefined, "It must export 'policy': there is no such export"],
    [null, "'policy' must be an object with name, summary, options and create: current value is null"],
    [() => 1, "'policy' must be an object with name, summary, options and create: current value is a function"],
    [{ ...GIVEN, name: undefined }, "'policy.name' must be a name in lower case, with dashes"],
    [{ ...GIVEN, name: "My Policy" }, "'policy.name' must be a name in lower case"],
    [{ ...GIVEN, name: "a\nb" }, "'policy.name' must be a name in lower case"],
    [{ ...GIVEN, name: "sre" }, "'policy.name' must be a name that no preset has: current value is \"sre\""],
    [{ ...GIVEN, summary: "" }, "'policy.summary' must be a text of 1 to 300 characters"],
    [{ ...GIVEN, use: 7 }, "'policy.use' must be a text of 1 to 300 characters: current value is 7"],
    [{ ...GIVEN, create: {} }, "'policy.create' must be a function: current value is an object"],
    [{ ...GIVEN, family: "mine" }, "'policy.family' must be one of baseline, backoff"],
    [{ ...GIVEN, options: undefined }, "'policy.options' must be an object, {} where there are none"],
    [{ ...GIVEN, options: [] }, "'policy.options' must be an object"],
    [{ ...GIVEN, options: { "a-b": OPTION } }, "'policy.options.a-b' must be named in letters and digits"],
    [{ ...GIVEN, options: { scope: OPTION } }, "'policy.options.scope' must have another name"],
    ...ADAPTER_OPTIONS.map((name): [unknown, string] => [
      { ...GIVEN, options: { [name]: OPTION } },
      `'policy.options.${name}' must have another name: '${name}' is an option of overloadFetch and overloadControl`,
    ]),
    [{ ...GIVEN, options: { a: 1 } }, "'policy.options.a' must be an object with default, kind, min, max"],
    [{ ...GIVEN, options: { a: { ...OPTION, kind: "text" } } }, "'policy.options.a.kind' must be number or integer"],
    [{ ...GIVEN, options: { a: { ...OPTION, min: "0" } } }, "'policy.options.a.min' must be a number"],
    [{ ...GIVEN, options: { a: { ...OPTION, max: Number.NaN } } }, "'policy.options.a.max' must be a number"],
    [{ ...GIVEN, options: { a: { ...OPTION, unit: "ms" } } }, "'policy.options.a.unit' must be one of seconds"],
    [{ ...GIVEN, options: { a: { ...OPTION, doc: 1 } } }, "'policy.options.a.doc' must be a text"],
    [
      { ...GIVEN, options: { a: { ...OPTION, default: 11 } } },
      "'policy.options.a.default' must be a number from min to max",
    ],
    [{ ...GIVEN, readsHeaders: "date" }, "'policy.readsHeaders' must be a list of names of headers in lower case"],
    [{ ...GIVEN, readsHeaders: ["Date"] }, "'policy.readsHeaders' must be a list of names of headers in lower case"],
  ])("refuses %o in one line", (exported, message) => {
    expect(() => presetOf(exported, ["sre"])).toThrow(RangeError);
    expect(() => presetOf(exported, ["sre"])).toThrow(message);
    expect(() => presetOf(exported, ["sre"])).not.toThrow(/\n/);
  });
});
