import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Call } from "../../../src/engine/call.ts";
import type { WorkerModelSpec } from "../../../src/engine/trial-spec.ts";
import { parseScript, type ScriptChange } from "../../../src/plan/script.ts";
import { Timeline } from "../../../src/plan/timeline.ts";
import type { Criticality } from "../../../src/policy/policy.ts";
import { EventQueue } from "../../../src/world/virtual/event-queue.ts";
import { PendingAttempt } from "../../../src/world/virtual/pending-attempt.ts";
import { WorkerServer } from "../../../src/world/virtual/worker-server.ts";
import { Backend } from "../../../targets/overloadable/backend.ts";

/** One attempt: when it arrives, and after how long its client gives up. */
interface Visit {
  readonly atSeconds: number;
  readonly staysSeconds?: number;
  readonly criticality?: Criticality;
}

/** `[visit, seconds, "ok" | "no"]` for what a client that still waited was told. */
type Answer = readonly [visit: number, atSeconds: number, what: "ok" | "no"];

/** All of them in a given order: of time, then as listed. */
function eventsOf(
  visits: readonly Visit[],
): { readonly atSeconds: number; readonly visit: number; readonly leaves: boolean }[] {
  return visits
    .flatMap(({ atSeconds, staysSeconds }, visit) => [
      { atSeconds, visit, leaves: false },
      ...(staysSeconds === undefined ? [] : [{ atSeconds: atSeconds + staysSeconds, visit, leaves: true }]),
    ])
    .sort((a, b) => a.atSeconds - b.atSeconds);
}

function answersOfModel(model: WorkerModelSpec, visits: readonly Visit[], script: readonly ScriptChange[] = []) {
  const events = new EventQueue();
  const answers: Answer[] = [];
  const headers: (readonly string[] | undefined)[] = [];
  const attempts = visits.map((visit, index) => {
    const attempt = new PendingAttempt(() => {});
    attempt.call = new Call();
    attempt.user = index;
    attempt.criticality = visit.criticality ?? 1;
    return attempt;
  });
  let ended = 0;
  const server = new WorkerServer(model, {
    timeline: new Timeline(script),
    startSeconds: 0,
    scheduler: events,
    sink: {
      answered(attempt, atSeconds) {
        ended += 1;
        if (attempt.call === undefined) return;
        answers.push([attempt.user, atSeconds, attempt.status === 200 ? "ok" : "no"]);
        headers.push(attempt.answerHeaders);
      },
    },
  });
  for (const { atSeconds, visit, leaves } of eventsOf(visits)) {
    const attempt = attempts[visit] as PendingAttempt;
    const run = (): void => {
      if (leaves) attempt.call = undefined;
      else server.serve(attempt);
    };
    events.at(atSeconds, { run });
  }
  events.run(1_000_000, () => false);
  expect(ended).toBe(visits.length);
  return { answers, headers };
}

/**
 * The target's own code in a world in which burning moves the clock, and sockets are read between two of its turns. A millisecond
 * there is a second here: the two must agree to the last bit, and so nothing is converted.
 */
function answersOfTarget(model: WorkerModelSpec, visits: readonly Visit[], script: readonly ScriptChange[] = []) {
  const timeline = new Timeline(script);
  const answers: Answer[] = [];
  const gone = new Set<number>();
  const leaves = (visit: number): number => {
    const { atSeconds, staysSeconds = Number.POSITIVE_INFINITY } = visits[visit] as Visit;
    return atSeconds + staysSeconds;
  };
  let now = 0;
  let turn: (() => void) | undefined;
  const backend = new Backend<number>(
    {
      mode: "shed",
      acceptMs: model.acceptSeconds,
      rejectMs: model.rejectSeconds,
      capacity: model.queueMax,
      reserve: model.reserve ?? 0,
      acceptShare: 1,
      ...(model.cold === undefined ? {} : { cold: model.cold }),
    },
    {
      burn(milliseconds) {
        now += milliseconds;
        return milliseconds;
      },
      state: () => timeline.at(now),
      outagesOver: () => timeline.outagesOver(now),
      random: () => 0,
      defer(step) {
        turn = step;
      },
      isAbandoned: (visit) => gone.has(visit),
      accept: (visit) => leaves(visit) > now && answers.push([visit, now, "ok"]),
      reject: (visit) => leaves(visit) > now && answers.push([visit, now, "no"]),
    },
  );
  const events = eventsOf(visits);
  for (let next = 0; next < events.length || turn !== undefined; ) {
    for (; (events[next]?.atSeconds ?? Number.POSITIVE_INFINITY) <= now; next += 1) {
      const { visit, leaves: isLeaving } = events[next] as (typeof events)[number];
      if (isLeaving) gone.add(visit);
      else backend.arrive(visit, visits[visit]?.criticality ?? 1);
    }
    const step = turn;
    turn = undefined;
    if (step === undefined) now = events[next]?.atSeconds ?? now;
    else step();
  }
  return answers;
}

const MODEL: WorkerModelSpec = {
  name: "worker",
  acceptSeconds: 1,
  rejectSeconds: 0.25,
  queueMax: 2,
  latencySeconds: 0,
};
const at = (...times: readonly number[]): Visit[] => times.map((atSeconds) => ({ atSeconds }));

describe("worker", () => {
  it("does a job, then the rejections that were due when it ended, then the next job", () => {
    // Of the first four two find room. While job 0 is done one place is free for 4; 5 is turned away after job 1.
    expect(answersOfModel(MODEL, at(0, 0, 0, 0, 0.5, 0.75)).answers).toEqual([
      [0, 1, "ok"],
      [2, 1.25, "no"],
      [3, 1.5, "no"],
      [1, 2.5, "ok"],
      [5, 2.75, "no"],
      [4, 3.75, "ok"],
    ]);
  });

  it("takes in what arrives while it is at work when that is done", () => {
    // 3 comes while 0 is done and finds 1 and 2 waiting; 4 comes while 3 would still be due.
    expect(answersOfModel({ ...MODEL, queueMax: 1 }, at(0, 0.125, 0.25, 1.5)).answers).toEqual([
      [0, 1, "ok"],
      [1, 2, "ok"],
      [2, 2.25, "no"],
      [3, 3.25, "ok"],
    ]);
  });

  it("skips jobs and rejections whose client has gone, at no cost, but ends what it has begun", () => {
    const visits: Visit[] = [
      { atSeconds: 0, staysSeconds: 0.5 },
      { atSeconds: 0, staysSeconds: 0.5 },
      { atSeconds: 0.25, staysSeconds: 0.125 },
      { atSeconds: 0.5 },
      { atSeconds: 0.5 },
    ];
    // 1 holds its place until its turn comes. 2 takes the other; 3 and 4 find none.
    expect(answersOfModel(MODEL, visits).answers).toEqual([
      [3, 1.25, "no"],
      [4, 1.5, "no"],
    ]);
  });

  it("keeps a share of its queue for what matters more", () => {
    const model = { ...MODEL, queueMax: 4, reserve: 0.25 };
    const visits = [3, 3, 2, 1, 1, 0, 0].map((criticality) => ({
      atSeconds: 0,
      criticality: criticality as Criticality,
    }));
    const { answers } = answersOfModel(model, visits);
    expect(answers.filter(([, , what]) => what === "no").map(([visit]) => visit)).toEqual([1, 4, 6]);
  });

  it("stretches the work that starts in a change of its capacity, that of rejections too", () => {
    const script = parseScript("1s..4s:capacity=0.5");
    expect(answersOfModel({ ...MODEL, queueMax: 1 }, at(0.5, 0.75, 0.875, 5), script).answers).toEqual([
      [0, 1.5, "ok"],
      [1, 3.5, "ok"],
      [2, 4, "no"],
      [3, 6, "ok"],
    ]);
  });

  it("works in a ramp at the capacity of the moment at which it starts", () => {
    const script = parseScript("0s..8s:capacity=0.25..1");
    // At 0, 4 and 5.6 s the capacity is 0.25, 0.625 and 0.775.
    const { answers } = answersOfModel(MODEL, at(0, 0.5, 8), script);
    expect(answers.map(([visit, , what]) => [visit, what])).toEqual([
      [0, "ok"],
      [1, "ok"],
      [2, "ok"],
    ]);
    expect(answers[0]?.[1]).toBe(4);
    expect(answers[1]?.[1]).toBe(4 + 1 / 0.625);
    expect(answers[2]?.[1]).toBe(9);
  });

  it("takes longer for jobs while it is cold, and as long as ever for rejections", () => {
    const cold = { coldCost: 3, warmJobs: 2, warmth: 0 };
    const model = { ...MODEL, queueMax: 1, cold };
    // Three times as long, then twice, then as usual.
    expect(answersOfModel(model, at(0, 0, 1, 3.5, 6)).answers).toEqual([
      [0, 3, "ok"],
      [1, 3.25, "no"],
      [2, 5.25, "ok"],
      [3, 6.25, "ok"],
      [4, 7.25, "ok"],
    ]);
    expect(answersOfModel({ ...model, cold: { ...cold, warmth: 0.5 } }, at(0)).answers).toEqual([[0, 2, "ok"]]);
  });

  it("is cold again after an outage, whether anything came in it or not, and was no colder in it", () => {
    const model = { ...MODEL, cold: { coldCost: 3, warmJobs: 1, warmth: 1 } };
    const script = parseScript("0.5s..2s:outage,5s..6s:outage");
    expect(answersOfModel(model, at(0, 0.25, 2.5, 7), script).answers).toEqual([
      [0, 1, "ok"],
      [1, 1, "no"],
      [2, 5.5, "ok"],
      [3, 10, "ok"],
    ]);
  });

  it("rejects at once and at no cost in an outage, and goes on with what it had", () => {
    const script = parseScript("0.5s..2s:outage");
    expect(answersOfModel(MODEL, at(0, 0.25, 0.75, 2.5), script).answers).toEqual([
      [0, 1, "ok"],
      [1, 1, "no"],
      [2, 1, "no"],
      [3, 3.5, "ok"],
    ]);
    expect(answersOfModel(MODEL, at(0.25, 0.25, 0.75, 1.5), script).answers).toEqual([
      [0, 1.25, "ok"],
      [2, 1.25, "no"],
      [1, 2.25, "ok"],
      [3, 3.25, "ok"],
    ]);
  });

  it("answers later by its latency and by what the script adds, and tells a rejection's client when to come again", () => {
    const script = parseScript("1s..:latency=500ms,1.125s..:retryAfter=7s");
    const model = { ...MODEL, queueMax: 1, latencySeconds: 0.125, retryAfterSeconds: 5 };
    const { answers, headers } = answersOfModel(model, at(0, 0, 3, 3), script);
    expect(answers).toEqual([
      [0, 1.625, "ok"],
      [1, 1.875, "no"],
      [2, 4.625, "ok"],
      [3, 4.875, "no"],
    ]);
    expect(headers).toEqual([undefined, ["retry-after", "7"], undefined, ["retry-after", "7"]]);
  });

  it.each([
    { offered: 900, goodput: 900 },
    { offered: 1500, goodput: (1000 - 0.3 * 1500) / 0.7 },
    { offered: 2000, goodput: (1000 - 0.3 * 2000) / 0.7 },
    { offered: 3000, goodput: (1000 - 0.3 * 3000) / 0.7 },
  ])("has a goodput of (C - r L) / (1 - r) at a load of $offered/s: $goodput/s", ({ offered, goodput }) => {
    const model = { ...MODEL, acceptSeconds: 0.001, rejectSeconds: 0.0003, queueMax: 50 };
    const visits = Array.from({ length: 10 * offered }, (_, visit) => ({ atSeconds: visit / offered }));
    // Before that the queue fills.
    const { answers } = answersOfModel(model, visits);
    const ok = answers.filter(([, seconds, what]) => what === "ok" && seconds > 2 && seconds <= 10);
    expect(Math.abs(ok.length / 8 / goodput - 1)).toBeLessThan(0.01);
  });

  it("answers every visit as the target's own code does, and at the same moment", () => {
    const visit = fc.record({
      gapMs: fc.oneof(fc.constant(0), fc.nat(12)),
      staysMs: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
      criticality: fc.constantFrom<Criticality>(0, 1, 2, 3),
    });
    const model = fc.record({
      acceptMs: fc.constantFrom(0, 1, 5, 9),
      rejectMs: fc.constantFrom(0, 0.5, 1.5, 4),
      queueMax: fc.integer({ min: 1, max: 6 }),
      reserve: fc.constantFrom(0, 0.25),
      script: fc.constantFrom(
        [],
        parseScript("0.05s..0.1s:capacity=0.25"),
        parseScript("0.02s..:capacity=2"),
        parseScript("0.03s..0.06s:outage"),
        parseScript("0.05s..0.3s:capacity=0.3..1.7"),
        parseScript("0.02s..0.06s:outage,0.06s..0.2s:capacity=0.1..1"),
        parseScript("0.03s..0.06s:outage,0.2s..0.25s:outage,0.1s..0.17s:capacity=2..0.25"),
      ),
      cold: fc.option(
        fc.record({
          coldCost: fc.constantFrom(1, 2, 3.3),
          warmJobs: fc.integer({ min: 1, max: 30 }),
          warmth: fc.constantFrom(0, 0.7, 1),
        }),
        { nil: undefined },
      ),
    });
    let rejected = 0;
    fc.assert(
      fc.property(
        model,
        fc.array(visit, { maxLength: 120, size: "max" }),
        ({ acceptMs, rejectMs, script, cold, ...bounds }, gaps) => {
          const spec = {
            ...MODEL,
            ...bounds,
            ...(cold === undefined ? {} : { cold }),
            acceptSeconds: acceptMs / 1000,
            rejectSeconds: rejectMs / 1000,
          };
          let nowMs = 0;
          const visits = gaps.map(({ gapMs, staysMs, criticality }) => {
            nowMs += gapMs;
            return {
              atSeconds: nowMs / 1000,
              criticality,
              ...(staysMs === undefined ? {} : { staysSeconds: staysMs / 1000 }),
            };
          });
          const answers = answersOfTarget(spec, visits, script);
          rejected += answers.filter(([, , what]) => what === "no").length;
          expect(answersOfModel(spec, visits, script).answers).toEqual(answers);
        },
      ),
      { numRuns: 1000 },
    );
    expect(rejected).toBeGreaterThan(3000);
  });
});
