import { describe, expect, it } from "vitest";
import { endedByPeer, errorCodeOf, faultOf } from "../../../src/world/real/faults.ts";

describe("faultOf()", () => {
  it.each([
    ["ECONNREFUSED", "refused"],
    ["EHOSTUNREACH", "refused"],
    ["ECONNRESET", "reset"],
    ["EPIPE", "reset"],
    ["UND_ERR_SOCKET", "reset"],
    ["ETIMEDOUT", "timeout"],
    ["EMFILE", "client"],
    ["ENFILE", "client"],
    ["EADDRNOTAVAIL", "client"],
    ["UND_ERR_INVALID_ARG", "client"],
    ["EAFNOSUPPORT", "client"],
    ["ENOTFOUND", "client"],
    ["EAI_AGAIN", "client"],
    ["DNS_ENOTFOUND", "client"],
    ["EAGAIN", "refused"],
    ["ENOENT", "refused"],
    ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "reset"],
    ["UND_ERR_RES_EXCEEDED_MAX_SIZE", "other"],
    ["UND_ERR_HEADERS_OVERFLOW", "other"],
    ["HTTPParserError", "other"],
    ["CERT_HAS_EXPIRED", "client"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "client"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "client"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "client"],
    ["UND_ERR_NOT_SUPPORTED", "client"],
    ["SomethingNew", "other"],
  ] as const)("takes %s for %s", (code, fault) => {
    expect(faultOf(code)).toBe(fault);
  });
});

describe("faultOf() of an undici socket error", () => {
  it("tells a connection that broke from an answer that undici did not like", () => {
    expect(faultOf("UND_ERR_SOCKET", "other side closed")).toBe("reset");
    expect(faultOf("UND_ERR_SOCKET", "bad response")).toBe("other");
    expect(faultOf("UND_ERR_SOCKET", "bad upgrade")).toBe("other");
  });
});

describe("faultOf() of an answer that cannot be parsed", () => {
  it("tells one that the connection's end cut short from one that is no HTTP", () => {
    const text = "Response does not match the HTTP/1.1 protocol";
    expect(faultOf("HTTPParserError", `${text} (Invalid EOF state)`)).toBe("reset");
    expect(faultOf("HTTPParserError", `${text} (Expected HTTP/)`)).toBe("other");
  });
});

describe("endedByPeer()", () => {
  const info = (message: string): Error => Object.assign(new Error(message), { code: "UND_ERR_INFO" });

  it("is true of a connection that the target closed, reset, or did not want to keep", () => {
    expect(endedByPeer(Object.assign(new Error("x"), { code: "ECONNRESET" }), false)).toBe(true);
    const closed = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
    expect(endedByPeer(closed, false)).toBe(true);
    expect(endedByPeer(info("reset"), false)).toBe(true);
  });

  it("is false of one that we closed: as asked for, for idleness, or for an answer we did not take", () => {
    expect(endedByPeer(info("reset"), true)).toBe(false);
    expect(endedByPeer(info("socket idle timeout"), false)).toBe(false);
    expect(endedByPeer(info("aborted"), false)).toBe(false);
    expect(endedByPeer(Object.assign(new Error("x"), { code: "UND_ERR_HEADERS_OVERFLOW" }), false)).toBe(false);
    expect(endedByPeer(Object.assign(new Error("bad response"), { code: "UND_ERR_SOCKET" }), false)).toBe(false);
  });
});

describe("errorCodeOf()", () => {
  it("finds the code of an error, of the first of several, or of its cause", () => {
    const refused = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
    expect(errorCodeOf(refused)).toBe("ECONNREFUSED");
    expect(errorCodeOf(new AggregateError([refused], "all failed"))).toBe("ECONNREFUSED");
    expect(errorCodeOf(new Error("y", { cause: refused }))).toBe("ECONNREFUSED");
    expect(errorCodeOf(new TypeError("z"))).toBe("TypeError");
  });
});
