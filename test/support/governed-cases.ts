/** Searches for a capacity: the real governor against a target whose answers are worked out by a formula. */

import { ThrottleGovernor } from "../../src/governor/throttle-governor.ts";
import type { Capacity, Governed, GovernedWindowRow } from "../../src/result/governor-schema.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { resultFixture, trialFixture } from "./trial-fixture.ts";

const WINDOW_SECONDS = 2;
const HOLD_WINDOWS = 12;
const HIGH = 0.05;
const LOW = 0.01;

interface TargetFacts {
  /** Calls per second that are accepted, at a time. */
  readonly capacity: (atSeconds: number) => number;
  readonly windows: number;
  readonly control?: Governed["control"];
  /** Without a response time the target is one of no latency. */
  readonly baseMs?: number;
  readonly ended?: Governed["ended"];
}

/** What the governor does in so many windows. */
export function governedFixture(facts: TargetFacts): Governed {
  const { capacity, windows: count, control = "rate", baseMs = 4, ended = "held" } = facts;
  let offer = 0;
  let now = 0;
  const events: Governed["events"] = [];
  const governor = new ThrottleGovernor(
    { now: () => now },
    {
      committed: () => offer,
      commit(value) {
        offer = value;
      },
    },
    { control, high: HIGH, low: LOW, start: 1, window: WINDOW_SECONDS },
    ({ level, event, text }) => events.push({ atSeconds: now, level, kind: event.kind, text }),
  );
  const windows: GovernedWindowRow[] = [];
  let successes = 0;
  let failures = 0;
  for (let index = 0; index < count; index++) {
    const fromSeconds = now;
    const held = offer;
    now += WINDOW_SECONDS;
    // A closed loop of n calls asks for n / latency.
    const wanted = (control === "rate" ? held : (1000 * held) / baseMs / 10) * WINDOW_SECONDS;
    const sent = Math.round(wanted);
    const room = Math.round(capacity(fromSeconds) * WINDOW_SECONDS);
    const ok = Math.min(sent, room);
    successes += ok;
    failures += sent - ok;
    const load = Math.min(0.97, wanted / (1.05 * room));
    const decision = governor.tick({ successes, failures })?.kind ?? "none";
    windows.push({
      fromSeconds,
      toSeconds: now,
      offer: held,
      calls: sent,
      sent,
      successes: ok,
      failures: sent - ok,
      ok,
      decision,
      lastBad: governor.lastBad ?? null,
      p50Ms: ok === 0 ? null : (baseMs * 0.5) / (1 - load),
      p99Ms: ok === 0 ? null : (baseMs * 2.4) / (1 - load),
    });
  }
  const last = windows.slice(-HOLD_WINDOWS);
  const total = (of: (window: GovernedWindowRow) => number): number => last.reduce((sum, each) => sum + of(each), 0);
  return {
    control,
    high: HIGH,
    low: LOW,
    floor: 1,
    ceiling: null,
    start: 1,
    windowSeconds: WINDOW_SECONDS,
    holdWindows: HOLD_WINDOWS,
    holdBand: 0.15,
    ended,
    offer: total((each) => each.offer) / last.length,
    goodput: total((each) => each.ok) / (WINDOW_SECONDS * last.length),
    failedShare: total((each) => each.failures) / total((each) => each.sent),
    windows,
    events,
  };
}

/** A trial that walked through these windows. */
export function governedTrial(governor: Governed, overrides: Partial<TrialResult> = {}): TrialResult {
  const sum = (of: (window: GovernedWindowRow) => number): number =>
    governor.windows.reduce((total, each) => total + of(each), 0);
  const ok = sum((each) => each.ok);
  const failed = sum((each) => each.calls) - ok;
  const trial = trialFixture({
    arm: "capacity",
    world: "virtual",
    model: "shed:capacity=400,latency=5ms",
    calls: { ok, failed },
    attempts: { accepted: ok, overloaded: failed },
    durationSeconds: governor.windows.at(-1)?.toSeconds ?? 0,
  });
  return { ...trial, governor, ...overrides };
}

function capacityFixture(governed: Governed, overrides: Partial<Capacity> = {}): Capacity {
  const { offer, goodput, failedShare, windows, control } = governed;
  const held = governed.ended === "held";
  const step = Math.max(...windows.map((window) => window.offer)) / 12;
  const groups = new Map<number, GovernedWindowRow[]>();
  for (const window of windows) {
    const key = Math.round(window.offer / step);
    groups.set(key, [...(groups.get(key) ?? []), window]);
  }
  const knee = [...groups.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, group]) => {
      const total = (of: (window: GovernedWindowRow) => number): number =>
        group.reduce((sum, each) => sum + of(each), 0);
      const middle = group[Math.floor(group.length / 2)] as GovernedWindowRow;
      return {
        offer: total((each) => each.offer) / group.length,
        windows: group.length,
        goodput: total((each) => each.ok) / (WINDOW_SECONDS * group.length),
        failedShare: total((each) => each.failures) / total((each) => each.sent),
        p50Ms: middle.p50Ms,
        p99Ms: middle.p99Ms,
      };
    });
  const rate = goodput ?? 0;
  return {
    control,
    failureBound: governed.high,
    held,
    saturated: false,
    offer: offer ?? 0,
    goodput: rate,
    failedShare: failedShare ?? 0,
    interval: { low: rate * 0.994, high: rate * 1.004, confidence: 0.95, windows: 12, effectiveWindows: 6.4 },
    knee,
    kneeOffer: knee.find(({ p50Ms }) => (p50Ms ?? 0) > 2 * (knee[0]?.p50Ms ?? 0))?.offer ?? null,
    sentence: `The target takes ${rate.toFixed(0)} calls per second at a failure bound of 5 %.`,
    remarks: ["With Poisson arrivals the offer settles lower than with constant ones, as bursts fail first."],
    ...overrides,
  };
}

const SHARP = governedFixture({ capacity: () => 400, windows: 45 });
const SHARP_CAPACITY = capacityFixture(SHARP);

function capacityResult(governed: Governed, overrides: Partial<Capacity> = {}, result: Partial<Result> = {}): Result {
  return resultFixture([governedTrial(governed)], {
    command: "capacity",
    capacity: capacityFixture(governed, overrides),
    ...result,
  });
}

/** It came to rest below 400/s. */
export function capacityCase(): Result {
  return capacityResult(SHARP);
}

/** The target healed on the way: the memory was cleared, and its duration was over before the offer held. */
export function healingCase(): Result {
  const governed = governedFixture({
    capacity: (at) => (at < 60 ? 150 : 620),
    windows: 70,
    ended: "duration",
  });
  return capacityResult(governed, {
    held: false,
    interval: null,
    sentence: "The offer did not come to rest: over the last 12 windows 590 calls per second came back ok.",
  });
}

/** Calls at once against a target that is saturated at the floor. */
export function saturatedCase(): Result {
  const governed = governedFixture({ capacity: () => 0.6, windows: 20, control: "concurrency", ended: "duration" });
  return capacityResult(governed, {
    held: false,
    saturated: true,
    kneeOffer: null,
    sentence: "This is a saturation artefact and no capacity: 97 % of the attempts failed even at 1 call at once.",
    remarks: [],
  });
}

/** A guard ended it before the first window was over. */
export function abortedCase(): Result {
  const governed = { ...SHARP, ended: "aborted" as const, windows: [], events: SHARP.events.slice(0, 1) };
  const trial = governedTrial(
    { ...governed, offer: null, goodput: null, failedShare: null },
    {
      aborted: {
        atSeconds: 1.5,
        text: "errors>50%:1s: 93 % of the attempts of each of the last seconds were not accepted",
      },
      interrupted: true,
      validity: {
        verdict: "invalid",
        reasons: [
          {
            code: "aborted",
            severity: "invalid",
            message: "A guard ended the trial after 1.5 s",
            figure: 1.5,
            limit: 0,
            hint: "Lower the load, or see what ails the target",
          },
        ],
      },
    },
  );
  return resultFixture([trial], { command: "capacity", partial: true });
}

/** The trials of a comparison whose load is a multiple of the capacity that was found first. */
export function withCapacity(result: Result): Result {
  return { ...result, capacity: SHARP_CAPACITY, capacityTrials: [governedTrial(SHARP)] };
}
