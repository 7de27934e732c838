import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { AimdLimit } from "../../../src/policy/limiter/aimd-limit.ts";
import { CubicPacer } from "../../../src/policy/limiter/cubic-pacer.ts";
import { DialogueLimit } from "../../../src/policy/limiter/dialogue-limit.ts";
import { EnvoyGradientLimiter } from "../../../src/policy/limiter/envoy-gradient-limiter.ts";
import { GradientLimit } from "../../../src/policy/limiter/gradient-limit.ts";
import { Gradient2Limit } from "../../../src/policy/limiter/gradient2-limit.ts";
import { RateLimitPacer } from "../../../src/policy/limiter/rate-limit-pacer.ts";
import { SlotLimiter } from "../../../src/policy/limiter/slot-limiter.ts";
import { VegasLimit } from "../../../src/policy/limiter/vegas-limit.ts";
import { WindowedLimit } from "../../../src/policy/limiter/windowed-limit.ts";
import type { ConcurrencyLimiter, Evidence, Pacer } from "../../../src/policy/parts.ts";
import { ScriptedRandom } from "../fakes.ts";

type CountingLimiter = ConcurrencyLimiter & { readonly inFlight: number };

const chance = () => new ScriptedRandom(0.3, 0.9, 0, 0.5);
const limiters: Record<string, { readonly make: () => CountingLimiter; readonly max: number }> = {
  aimd: { make: () => new SlotLimiter(new AimdLimit({ minLimit: 1 })), max: 200 },
  "aimd in windows": { make: () => new SlotLimiter(new WindowedLimit(new AimdLimit({ minLimit: 1 }))), max: 200 },
  dialogue: { make: () => new SlotLimiter(new DialogueLimit()), max: 1_000_000 },
  vegas: { make: () => new SlotLimiter(new VegasLimit(chance())), max: 1000 },
  gradient: { make: () => new SlotLimiter(new GradientLimit(chance(), { probeInterval: 5 })), max: 1000 },
  gradient2: { make: () => new SlotLimiter(new Gradient2Limit({ minLimit: 1, longWindow: 3 })), max: 200 },
  "gradient2 in windows": { make: () => new SlotLimiter(new WindowedLimit(new Gradient2Limit())), max: 200 },
  "envoy-gradient": { make: () => new EnvoyGradientLimiter(0, chance(), { requestCount: 3 }), max: 1000 },
};

/** Steps of a clock: forwards mostly, sometimes set, sometimes broken. */
const clockSteps = fc.oneof(
  { weight: 8, arbitrary: fc.double({ min: 0, max: 0.5, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(-3600, 3600, -0.001, 5 * 86_400, 2 ** 53) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY) },
);
const times = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0, max: 2, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, Number.MIN_VALUE) },
);
const ends = fc.constantFrom<Evidence>("success", "success", "failure", "ignored");

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("acquire" as const), clock: clockSteps }),
    fc.record({ kind: fc.constant("release" as const), clock: clockSteps, took: times, end: ends, which: fc.nat() }),
  ),
  { maxLength: 150 },
);

/** A reading that is no time does not last. */
function moved(now: number, step: number): { readonly reading: number; readonly next: number } {
  const reading = now + step;
  return { reading, next: Number.isFinite(reading) ? reading : now };
}

describe.each(Object.entries(limiters))("the limiter %s", (_name, { make, max }) => {
  it("has as many under way as were admitted and have not ended, whatever the clock and the times", () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const limiter = make();
        const places: number[] = [];
        let now = 0;
        for (const step of sequence) {
          const { reading, next } = moved(now, step.clock);
          now = next;
          if (step.kind === "acquire") {
            const place = limiter.acquire(reading);
            expect(place).toBe(places.length < Math.floor(limiter.limit) ? places.length + 1 : 0);
            if (place > 0) places.push(place);
          } else if (places.length > 0) {
            const [place] = places.splice(step.which % places.length, 1);
            limiter.release(place as number, step.took, step.end, reading);
          }
          expect(limiter.inFlight).toBe(places.length);
          expect(limiter.limit).toBeGreaterThanOrEqual(1);
          expect(limiter.limit).toBeLessThanOrEqual(max);
        }
        for (const place of places) limiter.release(place, 0.25, "success", now);
        expect(limiter.inFlight).toBe(0);
        expect(limiter.acquire(now)).toBe(1);
      }),
    );
  });

  it("is not moved by ends that are no evidence", () => {
    const limiter = make();
    const { limit } = limiter;
    for (let n = 0; n < 1000; n++) limiter.release(limiter.acquire(n / 64), 0.25, "ignored", n / 64 + 0.25);
    expect(limiter.limit).toBe(limit);
  });

  it("grows again once attempts that fill it succeed, after an hour's jump and a thousand drops", () => {
    const limiter = make();
    let now = 10;
    const turn = (took: number, evidence: Evidence) => {
      const places: number[] = [];
      for (let place = limiter.acquire(now); place > 0 && places.length < 50; place = limiter.acquire(now)) {
        places.push(place);
      }
      now += took;
      for (const place of places) limiter.release(place, took, evidence, now);
    };
    turn(3600, "success");
    for (let n = 0; n < 1000; n++) turn(1 / 64, "failure");
    const low = Math.min(30, limiter.limit);
    let high = 0;
    for (let n = 0; n < 2000; n++) {
      turn(1 / 64, "success");
      high = Math.max(high, limiter.limit);
    }
    expect(high).toBeGreaterThan(low);
  });
});

const statuses = fc.constantFrom(200, 429, 503, 500, 0);
const fields = fc.oneof(
  fc.constant(undefined),
  fc.record({ r: fc.nat(20), t: fc.nat(5000) }).map(({ r, t }) => ["ratelimit", `"a";r=${r};t=${t}`]),
  fc.record({ q: fc.nat(20), w: fc.nat(5000) }).map(({ q, w }) => ["ratelimit-policy", `"a";q=${q};w=${w}`]),
  fc.nat(5000).map((seconds) => ["retry-after", String(seconds)]),
  fc.string().map((text) => ["ratelimit", text]),
);
const pacerSteps = fc.array(
  fc.record({ clock: clockSteps, isAcquire: fc.boolean(), status: statuses, headers: fields }),
  {
    maxLength: 100,
  },
);

describe.each([
  ["CubicPacer", () => new CubicPacer(0) as Pacer, 3],
  ["RateLimitPacer", () => new RateLimitPacer(0, { maxWait: 60 }) as Pacer, 61],
])("the pacer %s", (_name, make, longest) => {
  it("tells waits that are finite and bounded, and admits who waited, whatever clock and answers were", () => {
    fc.assert(
      fc.property(pacerSteps, (sequence) => {
        const pacer = make();
        const call = new CallRecord();
        let now = 0;
        for (const step of sequence) {
          const { reading, next } = moved(now, step.clock);
          now = next;
          if (step.isAcquire) {
            const wait = pacer.acquire(reading);
            expect(wait).toBeGreaterThanOrEqual(0);
            expect(wait).toBeLessThanOrEqual(longest);
          } else {
            call.status = step.status;
            call.answerHeaders = step.headers;
            pacer.settle(call, "accepted", reading);
          }
        }
        now = Math.min(now, 1e9);
        let asked = 0;
        for (let wait = pacer.acquire(now); wait > 0; wait = pacer.acquire(now)) {
          now += wait;
          asked += 1;
          expect(asked).toBeLessThan(10);
        }
      }),
    );
  });
});
