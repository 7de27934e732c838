/** Aged clients live before the zero of a trial's clock, and go on after it: no policy may mind where its clock has its zero. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { policyPresets } from "../../src/policy/catalogue.ts";
import { type Answer, type StoryCall, told } from "./shifted-client.ts";

const SECOND_TICKS = 1024;

const answer: fc.Arbitrary<Answer> = fc.record({
  verdict: fc.constant("accepted" as const),
  status: fc.constantFrom(200, 404, 500),
  fault: fc.constant("none" as const),
  tookTicks: fc.integer({ min: 1, max: SECOND_TICKS }),
});
const refusal: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({
    verdict: fc.constant("overloaded" as const),
    status: fc.constantFrom(429, 503),
    fault: fc.constant("none" as const),
    headers: fc.constantFrom<readonly string[]>([], ["retry-after", "1"], ["grpc-retry-pushback-ms", "300"]),
    tookTicks: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({
    verdict: fc.constant("overloaded" as const),
    status: fc.constant(0),
    fault: fc.constantFrom("timeout" as const, "refused" as const),
    tookTicks: fc.constant(2 * SECOND_TICKS),
  }),
);

/** Mostly busy, now and then idle: stretches of health and of overload, and both at once. */
const stretch: fc.Arbitrary<readonly StoryCall[]> = fc
  .constantFrom(answer, refusal, fc.oneof(answer, refusal))
  .chain((one) =>
    fc.array(
      fc.record({
        gapTicks: fc.oneof(
          { weight: 30, arbitrary: fc.integer({ min: 0, max: 200 }) },
          { weight: 1, arbitrary: fc.integer({ min: 0, max: 60 * SECOND_TICKS }) },
        ),
        answers: fc.array(one, { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 10, maxLength: 80 },
    ),
  );
const story = fc.array(stretch, { minLength: 1, maxLength: 4 }).map((stretches) => stretches.flat());

/** A story before zero, one across it, and one of a machine that has been up for long; whole multiples of all buckets. */
const ORIGINS = [-3600, -60, 86_400] as const;

const MODIFIERS = {
  "all of them": {
    startJitter: 3,
    deadline: 5,
    deadlineHeader: "x-left",
    retryAfter: "client",
    pushback: "on",
    backoff: "full",
    reconnect: "on",
  },
} as const;

function sameFrom(name: string, options: Readonly<Record<string, unknown>>, calls: readonly StoryCall[]): void {
  const here = told(name, options, calls, 0).join("\n");
  for (const origin of ORIGINS) expect(told(name, options, calls, origin).join("\n"), `from ${origin} s`).toBe(here);
}

describe("the zero of the clock", () => {
  it.each(policyPresets.map(({ name }) => name))("makes no difference to what %s decides", (name) => {
    fc.assert(
      fc.property(story, (calls) => sameFrom(name, {}, calls)),
      { numRuns: 15, seed: 8 },
    );
  });

  it.each(Object.entries(MODIFIERS))("makes no difference to modifiers: %s", (_what, options) => {
    fc.assert(
      fc.property(fc.constantFrom("sre", "retry", "none"), story, (name, calls) => sameFrom(name, options, calls)),
      { numRuns: 20, seed: 8 },
    );
  });

  it("lets no story pass in which nothing was decided but sending", () => {
    const seen = new Set<string>();
    const all = fc.sample(fc.tuple(fc.constantFrom(...policyPresets), story), { numRuns: 300, seed: 8 });
    for (const [{ name }, calls] of all) {
      for (const line of told(name, {}, calls, 0)) seen.add(/: attempt \d+ (?:was \w+: )?(\w+)/u.exec(line)?.[1] ?? "");
    }
    expect([...seen].toSorted()).toEqual(
      ["broken", "budget", "done", "limited", "retry", "send", "throttled", "wait"].toSorted(),
    );
  });
});
