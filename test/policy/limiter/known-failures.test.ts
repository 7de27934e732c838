import { describe, expect, it } from "vitest";
import { stream } from "../../../src/plan/streams.ts";
import { AimdLimit } from "../../../src/policy/limiter/aimd-limit.ts";
import { DialogueLimit } from "../../../src/policy/limiter/dialogue-limit.ts";
import { EnvoyGradientLimiter } from "../../../src/policy/limiter/envoy-gradient-limiter.ts";
import { Gradient2Limit } from "../../../src/policy/limiter/gradient2-limit.ts";
import { SlotLimiter } from "../../../src/policy/limiter/slot-limiter.ts";
import { VegasLimit } from "../../../src/policy/limiter/vegas-limit.ts";
import type { ConcurrencyLimiter } from "../../../src/policy/parts.ts";
import { queueing, type Run, refusing, runClient, shedding } from "./one-client.ts";

const random = () => stream(7, "policy");
const makers = {
  aimd: () => new SlotLimiter(new AimdLimit({ minLimit: 1 })),
  dialogue: () => new SlotLimiter(new DialogueLimit()),
  vegas: () => new SlotLimiter(new VegasLimit(random())),
  gradient2: () => new SlotLimiter(new Gradient2Limit()),
  envoy: () => new EnvoyGradientLimiter(0, random()),
} as const satisfies Record<string, () => ConcurrencyLimiter>;

const SECONDS = 20;

/** 100 per second in 1/8 s each, so 12.5 at once; four times that is offered, and the rest is refused in 1 ms. */
const onShedding = (name: keyof typeof makers): Run =>
  runClient(makers[name](), shedding(100, 1 / 8), 400, 3 * SECONDS);
const SERVABLE = 100 * 1.5 * SECONDS;

/** All is refused, in 1/16 s, so that 250 would be under way at once. */
const inOutage = (name: keyof typeof makers): Run => runClient(makers[name](), refusing(1 / 16), 4000, SECONDS);

/** 8 workers of 1/16 s: 128 per second, which leave 8 at once without a queue; twice that is offered. */
const onQueue = (name: keyof typeof makers): Run => runClient(makers[name](), queueing(8, 1 / 16), 256, 3 * SECONDS);

const refusedShare = ({ refused, sent }: Run) => refused / sent;

describe("limiters while all is refused (V12)", () => {
  it.each([
    ["gradient2", 200],
    ["envoy", 1000],
  ] as const)("%s rises to its maximum of %i: it does not look at drops", (name, max) => {
    expect(inOutage(name).meanLimit).toBeGreaterThan(0.95 * max);
  });

  it.each(["aimd", "dialogue", "vegas"] as const)("%s falls to 1", (name) => {
    expect(inOutage(name).meanLimit).toBeLessThan(1.5);
  });

  it("Gradient2 sends twenty times as much into the outage as AIMD", () => {
    expect(inOutage("gradient2").sent).toBeGreaterThan(20 * inOutage("aimd").sent);
  });
});

describe("limiters while a part is refused, fast (V12)", () => {
  it.each(["gradient2", "envoy"] as const)(
    "%s limits nothing: three of four attempts are refused, as without it",
    (name) => {
      const run = onShedding(name);
      expect(run.meanLimit).toBeGreaterThan(2 * 12.5);
      expect(refusedShare(run)).toBeGreaterThan(0.7);
    },
  );

  it.each([
    ["aimd", 0.5],
    ["dialogue", 0.1],
  ] as const)("%s stays near what is served at once, serves all of it, and wastes less than %s", (name, waste) => {
    const run = onShedding(name);
    expect(run.meanLimit).toBeLessThan(1.5 * 12.5);
    expect(run.served).toBeGreaterThan(0.97 * SERVABLE);
    expect(refusedShare(run)).toBeLessThan(waste);
  });

  it("Vegas takes the refusals' 1 ms for its no-load time, and then starves a backend that would serve", () => {
    const run = onShedding("vegas");
    expect(run.meanLimit).toBeLessThan(0.7 * 12.5);
    expect(run.served).toBeLessThan(0.7 * SERVABLE);
  });

  it("AIMD with its default minimum of 20 cannot protect a backend that serves 12 at once", () => {
    const guarded = (minLimit: number) =>
      runClient(new SlotLimiter(new AimdLimit({ minLimit })), shedding(100, 1 / 8), 4000, SECONDS);
    expect(refusedShare(guarded(20))).toBeGreaterThan(0.9);
    expect(refusedShare(guarded(1))).toBeLessThan(0.5);
  });
});

describe("limiters on a queue whose latency grows (V12, the reverse)", () => {
  const aimd = onQueue("aimd");

  it("AIMD sees no drop and fills the queue: its maximum of 200, 24 times the service time", () => {
    expect(aimd.meanLimit).toBe(200);
    expect(aimd.meanLatencySeconds).toBeGreaterThan(20 / 16);
  });

  it.each([
    ["vegas", 3],
    ["envoy", 3],
    ["gradient2", 10],
  ] as const)("%s keeps the latency below %i times the service time, and serves as much", (name, times) => {
    const run = onQueue(name);
    expect(run.meanLatencySeconds).toBeLessThan(times / 16);
    expect(run.served).toBeGreaterThan(0.95 * aimd.served);
  });

  it("Gradient2 drifts: the usual time follows the queue, so that its limit is several times what is needed", () => {
    expect(onQueue("gradient2").meanLimit).toBeGreaterThan(3 * 8);
  });
});

it("all places are free after each of these runs", () => {
  for (const name of Object.keys(makers) as (keyof typeof makers)[]) {
    const limiter = makers[name]();
    runClient(limiter, queueing(8, 1 / 16), 256, 5);
    expect(limiter.inFlight).toBe(0);
  }
});
