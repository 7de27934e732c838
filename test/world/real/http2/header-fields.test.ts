import { describe, expect, it } from "vitest";
import { fieldsOf } from "../../../../src/world/real/http2/header-fields.ts";
import { huffmanText } from "../../../../src/world/real/http2/huffman.ts";

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("huffmanText()", () => {
  // RFC 7541, appendix C.4 and C.6.
  it.each([
    ["f1e3 c2e5 f23a 6ba0 ab90 f4ff", "www.example.com"],
    ["a8eb 1064 9cbf", "no-cache"],
    ["25a8 49e9 5ba9 7d7f", "custom-key"],
    ["25a8 49e9 5bb8 e8b4 bf", "custom-value"],
    ["6402", "302"],
    ["d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff", "Mon, 21 Oct 2013 20:13:21 GMT"],
    ["9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3", "https://www.example.com"],
    ["", ""],
  ])("reads %s as %s", (bytes, text) => {
    expect(huffmanText(hex(bytes))).toBe(text);
  });

  it.each([
    ["what is padded with more than seven bits", "64ff ffff"],
    ["padding that is not all ones", "18"],
    ["a code of more than 19 bits", "ffff ffff"],
  ])("gives nothing for %s", (_what, bytes) => {
    expect(huffmanText(hex(bytes))).toBeUndefined();
  });
});

describe("fieldsOf()", () => {
  const wanted = ["date", "retry-after", "custom-key"];

  it("reads indexed and literal names, plain and coded, in any of the representations of a literal", () => {
    const fields = fieldsOf(
      Buffer.concat([
        hex("20 88"), // a table of 0, :status 200
        hex("0f26 03"), // retry-after (53) without indexing
        Buffer.from("120"),
        hex("61 96 d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff"), // date (33) with indexing
        hex("10 88 25a8 49e9 5ba9 7d7f 89 25a8 49e9 5bb8 e8b4 bf"), // custom-key never indexed
        hex("00 03 782d 79 01 31"), // x-y: 1, which nobody wants
      ]),
      wanted,
    );
    expect(fields).toEqual([
      "retry-after",
      "120",
      "date",
      "Mon, 21 Oct 2013 20:13:21 GMT",
      "custom-key",
      "custom-value",
    ]);
  });

  it.each([
    ["a text", "00 05 6162"],
    ["a number", "0f 80"],
    ["a number", "0f ffff ffff ff"],
    ["a field", "0f26"],
  ])("throws a compression error for %s that is cut short or without end: %s", (_what, bytes) => {
    expect(() => fieldsOf(hex(bytes), wanted)).toThrow("Headers with");
  });
});
