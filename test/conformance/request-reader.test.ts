import { describe, expect, it } from "vitest";
import { RequestReader } from "./request-reader.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const POST = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";

describe("RequestReader", () => {
  it.each([1, 2, 7, 1000])("finds each request once, whatever the pieces it comes in (%d bytes)", (size) => {
    const reader = new RequestReader();
    const text = `${GET}${POST}${GET}${POST}`;
    const found: string[] = [];
    for (let at = 0; at < text.length; at += size) {
      found.push(...reader.read(text.slice(at, at + size)).map(({ method }) => method));
    }
    expect(found).toEqual(["GET", "POST", "GET", "POST"]);
  });

  it("has no request before its body is whole", () => {
    const reader = new RequestReader();
    expect(reader.read(POST.slice(0, -1))).toEqual([]);
    expect(reader.read(POST.slice(-1))).toHaveLength(1);
  });

  it.each([
    ["HTTP/1.1", "", "", false],
    ["HTTP/1.1", "Connection: close\r\n", "", true],
    ["HTTP/1.0", "", "", true],
    ["HTTP/1.0", "Connection: Keep-Alive\r\n", "Connection: keep-alive\r\n", false],
  ])("knows whether a client of %s with %j wants to keep its connection", (version, field, keepAliveHeader, last) => {
    expect(new RequestReader().read(`GET / ${version}\r\n${field}\r\n`)).toEqual([
      { method: "GET", keepAliveHeader, last },
    ]);
  });

  it("refuses a head without an end", () => {
    expect(() => new RequestReader().read("x".repeat(70_000))).toThrow(RangeError);
  });
});
