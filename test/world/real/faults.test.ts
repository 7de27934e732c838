import { describe, expect, it } from "vitest";
import { endedByPeer, errorCodeOf } from "../../../src/world/real/faults.ts";

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
