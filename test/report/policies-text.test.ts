import { describe, expect, it } from "vitest";
import { type PolicyFacts, policiesText, policyText } from "../../src/report/policies-text.ts";

const OPTION = {
  name: "window",
  default: "120 s",
  written: "120",
  range: "1 to 604800 s",
  doc: "How far back it looks",
};
const POLICY: PolicyFacts = {
  name: "sre",
  family: "throttle",
  summary: "Rejects with a probability that grows as the backend refuses more than a share of what is sent to it",
  use: "Many calls a second and client to one backend, whose rejections are cheaper than its work, and so on",
  fails: "Slow to open again after an outage",
  equation: "p = max(0, (requests - K accepts) / (requests + 1))",
  source: "A book",
  options: [OPTION],
};
const NONE: PolicyFacts = { ...POLICY, name: "none", family: "baseline", options: [] };

describe("policiesText()", () => {
  it("lists each family once, in the order of its first policy", () => {
    const text = policiesText([NONE, POLICY, { ...NONE, name: "retry" }], 100);
    expect(text.split("\n").filter((line) => /^\S|^ {2}\S/.test(line))).toEqual([
      "BASELINE",
      "  none",
      "  retry",
      "THROTTLE",
      "  sre",
      "overload-bench policies NAME tells all of one: its rule, its source and its options.",
    ]);
  });

  it.each([
    [20, 60],
    [80, 80],
    [100, 100],
    [120, 120],
    [300, 120],
  ])("keeps every line within a terminal of %d columns: at most %d", (columns, width) => {
    const lines = `${policiesText([NONE, POLICY], columns)}${policyText(POLICY, [OPTION], columns)}`.split("\n");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(width - 15);
  });

  it("says what a policy does, when it is used and how it fails", () => {
    expect(policiesText([POLICY], 120)).toBe(`THROTTLE

  sre
    Rejects with a probability that grows as the backend refuses more than a share of what is sent to it.
    used   Many calls a second and client to one backend, whose rejections are cheaper than its work, and so on
    fails  Slow to open again after an outage

overload-bench policies NAME tells all of one: its rule, its source and its options.
`);
  });
});

describe("policyText()", () => {
  it("tells all of a policy, and what any policy takes besides", () => {
    const scope = { name: "scope", default: "user", written: "user", range: "user or process", doc: "Whose it is" };
    expect(
      policyText({ ...POLICY, summary: "Rejects" }, [scope, { ...scope, name: "none", default: "" }], 120),
    ).toBe(`sre: Rejects.

  family  throttle
  used    Many calls a second and client to one backend, whose rejections are cheaper than its work, and so on
  fails   Slow to open again after an outage
  rule    p = max(0, (requests - K accepts) / (requests + 1))
  source  A book

Options, as in --policy sre,window=120

           default
  window   120 s     1 to 604800 s
      How far back it looks.

Options that any policy takes

          default
  scope   user      user or process
      Whose it is.
  none    none      user or process
      Whose it is.
`);
  });

  it("says so when a policy has no options of its own", () => {
    expect(policyText(NONE, [OPTION], 80)).toContain("\nIt has no options of its own.\n");
  });
});
