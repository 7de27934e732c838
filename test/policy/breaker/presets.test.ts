import { describe, expect, it } from "vitest";
import { breakerPresets } from "../../../src/policy/breaker/presets.ts";
import { resolvePreset } from "../../../src/policy/catalogue.ts";
import { isAllowed } from "../../../src/policy/option.ts";
import { presetNamed, Story } from "./story.ts";

/** Each line: when, how the calls would end, and what became of them (`-`: broken). Worked out by hand from the source. */
type Line = readonly [atSeconds: number, outcomes: string, expected: string];

function tell(story: Story, lines: readonly Line[]): void {
  expect(lines.map(([at, outcomes]) => [at, outcomes, story.play(at, outcomes)])).toEqual(lines);
}

const x = (count: number) => "x".repeat(count);
const ok = (count: number) => ".".repeat(count);
const no = (count: number) => "-".repeat(count);

describe("resilience4j, half-open with late results", () => {
  it("takes a probe's own result also after a late one was counted, as the source's half-open window does", () => {
    const story = new Story("resilience4j", {
      slidingWindowSize: 2,
      minimumNumberOfCalls: 2,
      permittedNumberOfCallsInHalfOpenState: 2,
      waitDurationInOpenState: 1,
    });
    const late = story.begin(0);
    expect(story.play(0, "xx")).toBe("xx");
    const probe = story.begin(2);
    story.end(late, 2, "accepted");
    story.end(probe, 2, "overloaded", 503);
    // One of two is half: open again.
    expect(story.play(2.5, "..")).toBe("--");
    expect(story.play(3.5, "..")).toBe("..");
  });

  it("takes no result of a probe twice", () => {
    const story = new Story("resilience4j", {
      slidingWindowSize: 2,
      minimumNumberOfCalls: 2,
      permittedNumberOfCallsInHalfOpenState: 2,
      waitDurationInOpenState: 1,
    });
    expect(story.play(0, "xx")).toBe("xx");
    const probe = story.begin(2);
    story.end(probe, 2, "accepted");
    story.end(probe, 2, "accepted");
    expect(story.begin(2)).not.toBe("broken");
    expect(story.begin(2)).toBe("broken");
  });
});

describe("breakerPresets", () => {
  it("have lines of 10 to 200 characters without a full stop, and defaults that obey their own rules", () => {
    expect(new Set(breakerPresets.map(({ name }) => name)).size).toBe(breakerPresets.length);
    for (const preset of breakerPresets) {
      for (const line of [preset.summary, preset.use, preset.fails, preset.source]) {
        expect(line).toMatch(/^[^\n]{9,199}[^.\n]$/);
      }
      expect(preset.equation).toMatch(/^[^\n]{9,199}$/);
      for (const spec of Object.values(preset.options)) {
        expect(isAllowed(spec, spec.default)).toBe(true);
        expect(spec.doc).toMatch(/[^.]$/);
      }
    }
  });

  it.each([
    ["breaker-consecutive", { failures: 6, timeout: 60, maxRequests: 1, interval: 0 }],
    ["breaker-ratio", { failureRatio: 0.5, window: 10, minRequests: 20, openFor: 5 }],
    ["breaker-retries-only", { maxRate: 0.1, window: 0, maxAttempts: 4 }],
    ["polly", { failureRatio: 0.1, minimumThroughput: 100, samplingDuration: 30, breakDuration: 5 }],
    [
      "resilience4j",
      {
        failureRateThreshold: 50,
        slowCallRateThreshold: 100,
        slowCallDurationThreshold: 60,
        slidingWindowSize: 100,
        minimumNumberOfCalls: 100,
        permittedNumberOfCallsInHalfOpenState: 10,
        waitDurationInOpenState: 60,
      },
    ],
    [
      "hystrix",
      {
        requestVolumeThreshold: 20,
        errorThresholdPercentage: 50,
        sleepWindow: 5,
        rollingStatsTime: 10,
        healthSnapshots: 20,
      },
    ],
    [
      "opossum",
      {
        errorThresholdPercentage: 50,
        volumeThreshold: 0,
        rollingCountTimeout: 10,
        rollingCountBuckets: 10,
        resetTimeout: 30,
      },
    ],
    ["cockatiel", { threshold: 0.2, duration: 30, minimumRps: 0, halfOpenAfter: 10 }],
    [
      "finagle-failure-accrual",
      { requiredSuccessRate: 0.8, window: 30, minRequestThreshold: 5, numFailures: 5, minBackoff: 5, maxBackoff: 300 },
    ],
    ["linkerd-breaker", { maxFailures: 7, minPenalty: 1, maxPenalty: 60, jitterRatio: 0.5 }],
  ])("%s has the defaults of its source", (name, options) => {
    const { own } = resolvePreset(presetNamed(name));
    const added = name === "breaker-retries-only" ? {} : { maxAttempts: 1, probeTimeout: 60 };
    expect(own).toEqual({ ...options, ...added });
  });

  it.each([
    ["finagle-failure-accrual", { minBackoff: 6, maxBackoff: 5 }, "'minBackoff' must be at most 'maxBackoff' (5)"],
    ["linkerd-breaker", { minPenalty: 6, maxPenalty: 5 }, "'minPenalty' must be at most 'maxPenalty' (5)"],
  ])("%s refuses %o", (name, options, rule) => {
    const { preset, own } = resolvePreset(presetNamed(name), options);
    expect(() => preset.create(own)).toThrow(
      new RangeError(`Cannot use policy '${name}' as ${rule}: current value is 6`),
    );
  });

  it("a retry meets the breaker that its own first attempts opened", () => {
    const story = new Story("breaker-consecutive", { failures: 2, maxAttempts: 3 });
    const call = story.begin(0);
    expect(story.end(call, 0, "overloaded", 503)).toBe("retry");
    if (typeof call === "string") throw new Error("it was not sent");
    call.attempt = 1;
    expect(story.policy.admit(call)).toBe("send");
    expect(story.end(call, 0, "overloaded", 503)).toBe("retry");
    call.attempt = 2;
    expect(story.policy.admit(call)).toBe("broken");
  });
});

describe("breaker-consecutive", () => {
  it("opens at the sixth failure in a row, and is half-open when more than 60 s have passed", () => {
    tell(new Story("breaker-consecutive"), [
      [0, "xxxxx.xxxxx.", "xxxxx.xxxxx."],
      [1, x(8), x(6) + no(2)],
      [61, ".", "-"],
      [61.25, "..x", "..x"],
    ]);
  });

  it("is open for 60 s again when the probe fails", () => {
    tell(new Story("breaker-consecutive"), [
      [0, x(6), x(6)],
      [60.5, "x.", "x-"],
      [120.5, ".", "-"],
      [121, "..", ".."],
    ]);
  });

  it("with maxRequests 3 closes after three successes, and opens at one failure before", () => {
    tell(new Story("breaker-consecutive", { maxRequests: 3 }), [
      [0, x(6), x(6)],
      [61, "..x.", "..x-"],
      [122, "...", "..."],
      [122, x(5), x(5)],
    ]);
  });

  it("with an interval forgets its failures when more than that has passed, and answers from before it too", () => {
    const story = new Story("breaker-consecutive", { interval: 10 });
    tell(story, [[0, x(5), x(5)]]);
    const late = story.begin(9);
    tell(story, [[10.25, x(5), x(5)]]);
    story.end(late, 10.5, "overloaded", 503);
    tell(story, [[10.5, "xx", "x-"]]);
  });
});

describe("breaker-ratio", () => {
  it("opens at a failure when at least half of at least 20 in the last ten buckets failed", () => {
    tell(new Story("breaker-ratio"), [
      [0, x(19), x(19)],
      [0, ".", "."],
      [0.5, "xx", "x-"],
      [5, ".", "-"],
      [5.5, ".", "."],
    ]);
    tell(new Story("breaker-ratio"), [
      [0, ok(10), ok(10)],
      [0, x(11), x(10) + no(1)],
    ]);
  });

  it("has forgotten at 10 s what ended in the second from 0", () => {
    const story = (at: number): Line[] => [
      [0, x(19), x(19)],
      [at, "x.", at < 10 ? "x-" : "x."],
    ];
    tell(new Story("breaker-ratio"), story(9.75));
    tell(new Story("breaker-ratio"), story(10));
  });

  it("starts with an empty window when the probe succeeded", () => {
    tell(new Story("breaker-ratio"), [
      [0, x(21), x(20) + no(1)],
      [5, ".", "."],
      [5, x(20), x(20)],
      [5, ".", "-"],
    ]);
  });
});

describe("polly", () => {
  it("opens at a failure when a tenth of 100 failed, and a slice starts with the traffic", () => {
    tell(new Story("polly"), [
      [0, ok(90) + x(9), ok(90) + x(9)],
      [0, "x.", "x-"],
      [4.75, ".", "-"],
      [5, ".x", ".x"],
    ]);
    // The first slice is that of 1 s, so it leaves at 31 s and not at 30.
    const story: Line[] = [
      [1, ok(90), ok(90)],
      [5, x(8), x(8)],
    ];
    tell(new Story("polly"), [...story, [30.75, "xx", "xx"], [30.75, ".", "-"]]);
    tell(new Story("polly"), [...story, [31, "xx.", "xx."]]);
  });

  it("a late answer passes for the probe's: a success closes it, and the probe's own failure then only counts", () => {
    const story = new Story("polly", { minimumThroughput: 2 });
    const late = story.begin(0);
    tell(story, [[0, "xx", "xx"]]);
    const probe = story.begin(6);
    expect(story.begin(6)).toBe("broken");
    story.end(late, 6.5, "accepted");
    story.end(probe, 7, "overloaded", 503);
    tell(story, [[7, "..", ".."]]);
  });
});

describe("resilience4j", () => {
  it("opens when half of 100 failed, at a success too, and is half-open when more than 60 s have passed", () => {
    tell(new Story("resilience4j"), [
      [0, x(50) + ok(49), x(50) + ok(49)],
      [0, "..", ".-"],
      [60, ".", "-"],
      [60.25, "...", "..."],
    ]);
  });

  it("keeps no more than the last 100, however old", () => {
    tell(new Story("resilience4j"), [
      [0, x(49) + ok(51), x(49) + ok(51)],
      [86_400, ok(49) + x(49), ok(49) + x(49)],
      [86_400, "..", ".."],
      [86_400, "x.", "x-"],
    ]);
  });

  it.each([
    ["closes when fewer than half of ten probes failed", "xxxx......", "xxxx......xx"],
    ["opens when half of ten probes failed", "xxxxx.....", "xxxxx.....--"],
  ])("%s, and only then", (_claim, outcomes, expected) => {
    tell(new Story("resilience4j"), [
      [0, x(100), x(100)],
      [61, `${outcomes}xx`, expected],
    ]);
  });

  it("lets ten probes out at once and refuses the eleventh", () => {
    const story = new Story("resilience4j");
    story.play(0, x(100));
    const probes = Array.from({ length: 100 }, () => story.begin(61));
    expect(probes.filter((call) => typeof call !== "string")).toHaveLength(10);
    for (const probe of probes.slice(0, 10)) story.end(probe, 62, "accepted");
    tell(story, [[62, "..", ".."]]);
  });

  it("opens when all of 100 took more than 60 s, though none failed", () => {
    const story = new Story("resilience4j");
    const calls = Array.from({ length: 101 }, () => story.begin(0));
    for (const call of calls.slice(0, 99)) story.end(call, 60.25, "accepted");
    story.end(calls[99] ?? "broken", 60.25, "accepted");
    expect(story.begin(60.25)).toBe("broken");
    const exact = new Story("resilience4j");
    const onTime = Array.from({ length: 100 }, () => exact.begin(0));
    for (const call of onTime) exact.end(call, 60, "accepted");
    tell(exact, [[60, ".", "."]]);
  });
});

describe("hystrix", () => {
  it("looks at its window each half second only, and was open since the tick", () => {
    tell(new Story("hystrix"), [
      [0, x(30), x(30)],
      [0.25, "xx", "xx"],
      [0.5, ".", "-"],
      [5.5, ".", "-"],
      [5.625, "x.", "x-"],
      [10.625, ".", "-"],
      [10.75, "..", ".."],
    ]);
  });

  it("has its sleep end as counted from the tick, also when nothing asked in between", () => {
    tell(new Story("hystrix"), [
      [0, x(20), x(20)],
      [5.625, ".", "."],
    ]);
  });

  it("drops the percentage's fraction: 49.x does not open, and opens at a tick without traffic when successes leave", () => {
    tell(new Story("hystrix"), [
      [0, ok(11), ok(11)],
      [1, x(20) + ok(10), x(20) + ok(10)],
      [10.375, ".", "."],
      [10.625, ".", "-"],
    ]);
  });

  it("opens at a tick in the middle of a silence, and counts its sleep from there", () => {
    tell(new Story("hystrix"), [
      [0, ok(11), ok(11)],
      [1, x(20) + ok(10), x(20) + ok(10)],
      [15.25, ".", "-"],
      [15.625, "..", ".."],
    ]);
  });

  it("stays closed below 20 attempts in the window", () => {
    tell(new Story("hystrix"), [
      [0, x(19), x(19)],
      [10.25, ".", "."],
      [30, "xx.", "xx."],
    ]);
  });
});

describe("opossum", () => {
  it("opens at the first failure, since more than half of one arrival failed, for 30 s", () => {
    tell(new Story("opossum"), [
      [0, "x.", "x-"],
      [29.75, ".", "-"],
      [30, "..x", "..x"],
    ]);
  });

  it("counts what it refused as arrivals, and forgets no failure when the probe succeeded", () => {
    tell(new Story("opossum", { resetTimeout: 2 }), [
      [0, "x........", "x--------"],
      [2, "x", "x"],
      [4, ".", "."],
      [4, x(7), x(7)],
      [4, "xx", "x-"],
    ]);
  });
});

describe("cockatiel", () => {
  it("opens above a fifth of at least 750 in 30 s", () => {
    tell(new Story("cockatiel"), [
      [1, ok(600) + x(150), ok(600) + x(150)],
      [1, "x.", "x-"],
      [10.75, ".", "-"],
      [11, ".x", ".x"],
    ]);
  });

  it("still counts after an hour what traffic has not turned over", () => {
    tell(new Story("cockatiel", { minimumRps: 0.5, threshold: 0.5 }), [
      [1, ok(7) + x(7), ok(7) + x(7)],
      [3601, "x.", "x-"],
    ]);
  });
});

describe("linkerd-breaker", () => {
  it("opens at the seventh failure in a row for 1, 2, 4, ..., 60 s, with up to half of it added in whole seconds", () => {
    tell(new Story("linkerd-breaker", {}, 0, 0.5, 0.5), [
      [0, x(8), x(7) + no(1)],
      [0.75, ".", "-"],
      [1, "x.", "x-"],
      // 2 s, as a half of a half of it is no whole second.
      [2.75, ".", "-"],
      [3, "x.", "x-"],
      // 4 s and a half of a half of it.
      [7.75, ".", "-"],
      [8, "...", "..."],
      [8, x(8), x(7) + no(1)],
      [9, ".", "."],
    ]);
  });

  it("takes 500 for a failure though the backend took the work, and 429 for none though it is overloaded", () => {
    const story = new Story("linkerd-breaker");
    const answer = (status: number, verdict: "accepted" | "overloaded") =>
      story.end(story.begin(0), 0, verdict, status);
    for (let n = 0; n < 20; n++) answer(429, "overloaded");
    for (let n = 0; n < 6; n++) answer(500, "accepted");
    answer(404, "accepted");
    for (let n = 0; n < 7; n++) answer(500, "accepted");
    expect(story.begin(0)).toBe("broken");
  });
});
