import { describe, expect, it } from "vitest";
import { errorCodeOf, faultOf } from "../../../src/world/real/faults.ts";

describe("faultOf()", () => {
  it.each([
    ["ECONNREFUSED", "refused"],
    ["EHOSTUNREACH", "refused"],
    ["ECONNRESET", "reset"],
    ["EPIPE", "reset"],
    ["UND_ERR_SOCKET", "reset"],
    ["ETIMEDOUT", "timeout"],
    ["EMFILE", "client"],
    ["EADDRNOTAVAIL", "client"],
    ["UND_ERR_INVALID_ARG", "client"],
    ["ENOTFOUND", "other"],
    ["HPE_INVALID_CONSTANT", "other"],
    ["CERT_HAS_EXPIRED", "client"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "client"],
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

describe("errorCodeOf()", () => {
  it("finds the code of an error, of the first of several, or of its cause", () => {
    const refused = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
    expect(errorCodeOf(refused)).toBe("ECONNREFUSED");
    expect(errorCodeOf(new AggregateError([refused], "all failed"))).toBe("ECONNREFUSED");
    expect(errorCodeOf(new Error("y", { cause: refused }))).toBe("ECONNREFUSED");
    expect(errorCodeOf(new TypeError("z"))).toBe("TypeError");
  });
});
