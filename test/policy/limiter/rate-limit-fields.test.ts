import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRateLimit, parseRateLimitPolicy } from "../../../src/policy/limiter/rate-limit-fields.ts";
import { parseStructuredList } from "../../../src/policy/limiter/structured-list.ts";

// Fields of the draft's own examples, and forms that RFC 9651, 4.2, requires a parser to refuse.
describe("parseRateLimit()", () => {
  it.each([
    ['"default";r=50;t=30', [{ name: "default", remaining: 50, resetSeconds: 30 }]],
    ['"default";r=999;pk=:dHJpYWwxMjEzMjM=:', [{ name: "default", remaining: 999, resetSeconds: undefined }]],
    ['"problemPolicy";r=0;t=10', [{ name: "problemPolicy", remaining: 0, resetSeconds: 10 }]],
    [
      '"burst";r=4;t=1 ,\t"daily";r=900;t=86400',
      [
        { name: "burst", remaining: 4, resetSeconds: 1 },
        { name: "daily", remaining: 900, resetSeconds: 86_400 },
      ],
    ],
    [' "a";  r=1;   t=2 ', [{ name: "a", remaining: 1, resetSeconds: 2 }]],
    ['"say \\"hi\\" \\\\";r=1', [{ name: 'say "hi" \\', remaining: 1, resetSeconds: undefined }]],
    ['"a";r=1;r=2;t=7;t=8', [{ name: "a", remaining: 2, resetSeconds: 8 }]],
    [
      '"a";acme;acme-x=1.5;b=?0;c=tok/en:*;d=@1659578233;e=%"f%c3%bc";r=1',
      [{ name: "a", remaining: 1, resetSeconds: undefined }],
    ],
    ['"";r=999999999999999', [{ name: "", remaining: 999_999_999_999_999, resetSeconds: undefined }]],
  ])("reads %s", (text, limits) => {
    expect(parseRateLimit(text)).toEqual(limits);
  });

  it.each([
    "",
    " ",
    "50",
    "default;r=50;t=30",
    '"default"',
    '"default";t=30',
    '"default";r',
    '"default";r=-1',
    '"default";r=1.5',
    '"default";r="50"',
    '"default";r=50;t=-1',
    '"default";r=50;t=1.0',
    '"default";r=50;pk="x"',
    '"default";r=50;pk=:not base64:',
    '"default";r=50,',
    ',"default";r=50',
    '"default";r=50,,"b";r=1',
    '"default";r=50 "b";r=1',
    '"default" ;r=50',
    '"default"; R=50',
    '"default";r =50',
    '"default";r= 50',
    '"default";r=50;',
    '"default;r=50',
    '"def\\ault";r=50',
    '"defäult";r=50',
    '"default";r=1000000000000000',
    '"default";r=50;t=1.',
    '("default" "b");r=50',
    '"good";r=50;t=3, "bad";r=x',
    '"default";r=50;x=1234567890123.5',
    '"default";r=50;x=%"%C3"',
    "limit=100, remaining=50, reset=30",
  ])("ignores %j as a whole", (text) => {
    expect(parseRateLimit(text)).toBeUndefined();
  });

  it("ignores what is too long", () => {
    expect(parseRateLimit(`"${"x".repeat(4096)}";r=1`)).toBeUndefined();
    expect(parseRateLimit(Array.from({ length: 33 }, () => '"a";r=1').join(","))).toBeUndefined();
    expect(parseRateLimit(`"a";r=1${";x".repeat(32)}`)).toBeUndefined();
  });

  it("never throws, whatever the text", () => {
    const pieces = fc.constantFrom(
      '"',
      "\\",
      "a",
      ";",
      "r",
      "=",
      "5",
      ",",
      " ",
      "\t",
      ":",
      "(",
      "%",
      "@",
      "?",
      "*",
      "é",
      "-",
      ".",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(pieces).map((all) => all.join("")),
        ),
        (text) => {
          parseRateLimit(text);
          parseRateLimitPolicy(text);
        },
      ),
    );
  });

  it("takes time in proportion to the length only", () => {
    const hostile = [
      '"'.repeat(4096),
      "a".repeat(4096),
      `"a";r=1${" ".repeat(4000)}`,
      '\\"'.repeat(2048),
      "1".repeat(4096),
    ];
    for (const text of hostile) expect(parseStructuredList(text)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

describe("parseRateLimitPolicy()", () => {
  it.each([
    [
      '"burst";q=100;w=60,"daily";q=1000;w=86400',
      [
        { name: "burst", quota: 100, unit: "requests", windowSeconds: 60 },
        { name: "daily", quota: 1000, unit: "requests", windowSeconds: 86_400 },
      ],
    ],
    [
      '"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:',
      [{ name: "peruser", quota: 65_535, unit: "content-bytes", windowSeconds: 10 }],
    ],
    ['"a";q=0', [{ name: "a", quota: 0, unit: "requests", windowSeconds: undefined }]],
  ])("reads %s", (text, policies) => {
    expect(parseRateLimitPolicy(text)).toEqual(policies);
  });

  it.each(['"a";w=60', '"a";q=1;w=0', '"a";q=1;w=-5', '"a";q=1;w=0.5', '"a";q=1;qu=requests', '"a";q=-1', "a;q=1"])(
    "ignores %s as a whole",
    (text) => {
      expect(parseRateLimitPolicy(text)).toBeUndefined();
    },
  );
});
