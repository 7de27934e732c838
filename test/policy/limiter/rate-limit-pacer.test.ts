import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { RateLimitPacer } from "../../../src/policy/limiter/rate-limit-pacer.ts";

function answered(status: number, ...headers: string[]): CallRecord {
  const call = new CallRecord();
  call.status = status;
  call.answerHeaders = headers;
  return call;
}

class Bench {
  now = 0;
  readonly pacer: RateLimitPacer;

  constructor(options = {}) {
    this.pacer = new RateLimitPacer(0, options);
    expect(this.pacer.acquire(0)).toBe(0);
  }

  answer(status: number, ...headers: string[]): this {
    this.pacer.settle(answered(status, ...headers), status < 400 ? "accepted" : "overloaded", this.now);
    return this;
  }

  limit(field: string): this {
    return this.answer(200, "ratelimit", field);
  }

  /** When the next attempts go, without any further answer. */
  sends(count: number): number[] {
    const times: number[] = [];
    while (times.length < count) {
      const wait = this.pacer.acquire(this.now);
      if (wait === 0) times.push(this.now);
      else this.now += wait;
    }
    return times;
  }
}

// Worked out by hand from the equation in its docstring.
describe("RateLimitPacer", () => {
  it("lets everything pass that has no fields", () => {
    expect(new Bench().answer(200).answer(429).answer(200, "date", "x").sends(3)).toEqual([0, 0, 0]);
  });

  it("spreads what remains over the time until there is more, and is free again after it", () => {
    expect(new Bench().limit('"default";r=4;t=10').sends(7)).toEqual([2, 4, 6, 8, 10, 10, 10]);
  });

  it("waits for the end when nothing remains", () => {
    expect(new Bench().limit('"default";r=0;t=7').sends(2)).toEqual([7, 7]);
  });

  it("does not make a client wait that sends less than r / t", () => {
    const bench = new Bench().limit('"default";r=8;t=16');
    for (let second = 4; second < 16; second += 4) {
      bench.now = second;
      expect(bench.pacer.acquire(second)).toBe(0);
    }
  });

  it("goes on with the policy's quota and window after the end", () => {
    const bench = new Bench().answer(200, "ratelimit-policy", '"a";q=1;w=8', "ratelimit", '"a";r=1;t=4');
    expect(bench.sends(5)).toEqual([2, 7, 13.5, 20.75, 28.375]);
  });

  it("follows the tightest of several quotas", () => {
    expect(new Bench().limit('"burst";r=10;t=1,"hourly";r=2;t=9').sends(4)).toEqual([3, 6, 9, 9]);
    expect(new Bench().answer(200, "ratelimit", '"a";r=10;t=1', "ratelimit", '"b";r=0;t=3').sends(1)).toEqual([3]);
  });

  it("never gives back within a window what was sent since: an answer that is late raises nothing", () => {
    const bench = new Bench().limit('"a";r=3;t=8');
    expect(bench.sends(2)).toEqual([2, 4]);
    bench.limit('"a";r=3;t=4'); // of the same window, sent before the two
    expect(bench.sends(2)).toEqual([6, 8]);
    const fresh = new Bench().limit('"a";r=4;t=8');
    fresh.limit('"a";r=1;t=8');
    expect(fresh.sends(1)).toEqual([4]);
  });

  it("takes a window that ends at another time for a new one", () => {
    const bench = new Bench().limit('"a";r=0;t=8');
    bench.limit('"a";r=3;t=2');
    expect(bench.sends(4)).toEqual([0.5, 1, 1.5, 2]);
  });

  it("lets Retry-After win over RateLimit, with 429 and 503 only", () => {
    expect(new Bench().answer(429, "ratelimit", '"a";r=0;t=30', "retry-after", "3").sends(2)).toEqual([3, 3]);
    expect(new Bench().answer(503, "retry-after", "3").sends(1)).toEqual([3]);
    expect(new Bench().answer(429, "ratelimit", '"a";r=0;t=30', "retry-after", "soon").sends(1)).toEqual([30]);
    expect(new Bench().answer(200, "ratelimit", '"a";r=0;t=30', "retry-after", "3").sends(1)).toEqual([30]);
    const date = ["date", "Tue, 15 Nov 1994 18:00:00 GMT", "retry-after", "Tue, 15 Nov 1994 18:00:05 GMT"];
    expect(new Bench().answer(429, ...date).sends(1)).toEqual([5]);
  });

  it("keeps the longest of several Retry-After", () => {
    expect(new Bench().answer(429, "retry-after", "5").answer(429, "retry-after", "2").sends(1)).toEqual([5]);
  });

  it("ignores malformed fields", () => {
    expect(new Bench().limit('"a";r=0;t=x').limit("r=0;t=9").sends(1)).toEqual([0]);
    expect(new Bench().limit('"a";r=0;t=4').limit('"a";r=9;t=').sends(1)).toEqual([4]);
  });

  it("ignores quotas of bytes and of concurrency, and limits that say no time", () => {
    for (const unit of ["content-bytes", "concurrent-requests"]) {
      const policy = `"a";q=9;qu="${unit}";w=60`;
      expect(new Bench().answer(200, "ratelimit-policy", policy, "ratelimit", '"a";r=0;t=30').sends(1)).toEqual([0]);
    }
    expect(new Bench().limit('"a";r=0').sends(1)).toEqual([0]);
    expect(new Bench().answer(200, "ratelimit-policy", '"a";q=9;w=6', "ratelimit", '"a";r=0').sends(1)).toEqual([6]);
  });

  it("sends one attempt after maxWait whatever the server says", () => {
    expect(new Bench({ maxWait: 60 }).limit('"a";r=0;t=1000000').sends(3)).toEqual([60, 120, 180]);
    expect(new Bench({ maxWait: 60 }).answer(429, "retry-after", "1000000").sends(1)).toEqual([60]);
  });

  it("follows no more than eight quotas, whose places are taken over once they have ended", () => {
    const bench = new Bench();
    for (let n = 0; n < 10_000; n++) bench.limit(`"name ${n}";r=9;t=8`);
    const kept = Object.values(bench.pacer).filter(Array.isArray);
    expect(kept.map((quotas) => quotas.length)).toEqual([8]);
    bench.now = 100;
    bench.limit('"new";r=0;t=8');
    expect(bench.sends(1)).toEqual([108]);
  });

  it("is not held up by a clock that is set back an hour", () => {
    const bench = new Bench();
    bench.now = 7200;
    expect(bench.pacer.acquire(7200)).toBe(0);
    bench.limit('"a";r=0;t=8');
    bench.now = 3600;
    expect(bench.pacer.acquire(3600)).toBe(8);
    expect(bench.pacer.acquire(3608)).toBe(0);
  });
});
