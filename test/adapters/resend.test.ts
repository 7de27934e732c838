import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { isIdempotentMethod, isRepeatableBody, obstacleTo } from "../../src/adapters/resend.ts";

describe("isRepeatableBody()", () => {
  test.each<readonly [string, unknown]>([
    ["none", undefined],
    ["null", null],
    ["text", "a"],
    ["empty text", ""],
    ["bytes", new Uint8Array(1)],
    ["a view", new DataView(new ArrayBuffer(1))],
    ["a Buffer", Buffer.from("a")],
    ["an ArrayBuffer", new ArrayBuffer(1)],
    ["a Blob", new Blob(["a"])],
    ["a File", new File(["a"], "a.txt")],
    ["a form", new FormData()],
    ["parameters", new URLSearchParams("a=b")],
  ])("%s can be sent again", (_name, body) => {
    expect(isRepeatableBody(body)).toBe(true);
  });

  test.each<readonly [string, unknown]>([
    ["a web stream", new ReadableStream()],
    ["a Node stream", Readable.from(["a"])],
    ["a generator", (function* () {})()],
    ["an async generator", (async function* () {})()],
    ["an iterable", new Set(["a"])],
    ["an object", {}],
    ["a function", () => "a"],
    ["a number", 1],
  ])("%s cannot", (_name, body) => {
    expect(isRepeatableBody(body)).toBe(false);
  });
});

describe("obstacleTo()", () => {
  const get = { hasRepeatableBody: true, isIdempotent: true };
  const post = { hasRepeatableBody: true, isIdempotent: false };
  const stream = { hasRepeatableBody: false, isIdempotent: true };

  test.each([
    [get, 500, "none", false, undefined],
    [get, 0, "timeout", false, undefined],
    [post, 503, "none", false, undefined],
    [post, 429, "none", false, undefined],
    [post, 0, "refused", false, undefined],
    [post, 500, "none", false, "method"],
    [post, 0, "timeout", false, "method"],
    [post, 0, "reset", false, "method"],
    [post, 0, "reset", true, undefined],
    [stream, 503, "none", false, "body"],
    [stream, 0, "refused", true, "body"],
  ] as const)("%o after %s %s, retryUnsafe %s: %s", (request, status, fault, retryUnsafe, obstacle) => {
    expect(obstacleTo(request, status, fault, retryUnsafe)).toBe(obstacle);
  });
});

test("isIdempotentMethod() knows the methods of RFC 9110, in either case", () => {
  const methods = ["GET", "head", "PUT", "delete", "OPTIONS", "TRACE", "POST", "patch", "CONNECT", "PURGE"];
  expect(methods.filter(isIdempotentMethod)).toEqual(["GET", "head", "PUT", "delete", "OPTIONS", "TRACE"]);
});
