import { describe, expect, it } from "vitest";
import { AnswerHeaders } from "../../../src/world/real/answer-headers.ts";

const raw = (...texts: string[]) => texts.map((text) => Buffer.from(text, "latin1"));
const wanted = new AnswerHeaders(["retry-after", "date", "ratelimit"]);

describe("AnswerHeaders", () => {
  it("picks the wanted ones, whatever their case, each time they come", () => {
    const picked = wanted.pick(
      raw("Retry-After", "5", "X-Other", "1", "DATE", "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after", "7"),
    );
    expect(picked).toEqual(["retry-after", "5", "date", "Sun, 06 Nov 1994 08:49:37 GMT", "retry-after", "7"]);
  });

  it("says nothing of an answer without any of them, or with a date alone", () => {
    expect(wanted.pick(raw("content-length", "5"))).toBeUndefined();
    expect(wanted.pick(raw("Date", "Sun, 06 Nov 1994 08:49:37 GMT"))).toBeUndefined();
    expect(wanted.pick([])).toBeUndefined();
  });

  it("dates an answer that has no date by our own clock, if the date is wanted", () => {
    const before = Date.now();
    const picked = wanted.pick(raw("RateLimit", '"default";r=1;t=2')) ?? [];
    expect(picked.slice(0, 3)).toEqual(["ratelimit", '"default";r=1;t=2', "date"]);
    expect(Date.parse(picked[3] ?? "")).toBeGreaterThan(before - 1000);
    expect(Date.parse(picked[3] ?? "")).toBeLessThanOrEqual(Date.now());
    expect(new AnswerHeaders(["retry-after"]).pick(raw("Retry-After", "1"))).toEqual(["retry-after", "1"]);
  });

  it("leaves out the value of a name that is cut off", () => {
    expect(wanted.pick(raw("retry-after"))).toBeUndefined();
  });
});
