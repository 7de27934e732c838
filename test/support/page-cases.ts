/** Results of every kind, to be shown on a page. */

import { compareArms } from "../../src/comparison/compare-arms.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { abortedCase, capacityCase, healingCase, saturatedCase, withCapacity } from "./governed-cases.ts";
import { manyArmsCase, recoveryCase, recoveryMapCase, stuckCase } from "./recovery-cases.ts";
import {
  CUT,
  collapsed,
  compared,
  cure,
  silent,
  simulated,
  spoiled,
  throttled,
  twinOf,
  warmed,
} from "./trial-cases.ts";
import { latencyFixture, resultFixture, trialFixture } from "./trial-fixture.ts";

const KS = [1.1, 1.5, 2, 3];
const POLICIES = ["sre", "sre-sent-only"];

/** A sweep of K for two policies, three trials a cell, which obeys the closed form. */
export function sweepCase(policies: readonly string[] = POLICIES, ks: readonly number[] = KS): Result {
  const cells = policies.flatMap((policy) => ks.map((k) => ({ policy, k, arm: `${policy} k=${k}` })));
  const trials = [0, 1, 2].flatMap((pair) =>
    cells.map(({ policy, k, arm }) => {
      const ok = Math.round((10 * 700) / (1 + 0.3 * (k - 1))) - 10 * pair;
      const overloaded = Math.round(ok * (k - 1));
      return trialFixture({
        arm,
        pair,
        world: "virtual",
        model: "shed:capacity=700,rejectCost=0.3",
        policy: { name: policy, options: { k, window: 10 } },
        calls: { ok, throttled: 20_000 - ok },
        attempts: { accepted: ok, overloaded },
        response: { ok: latencyFixture(ok, 20, 40 + k, 60) },
      });
    }),
  );
  const [first] = cells;
  const best = first?.arm ?? "";
  return resultFixture(trials, {
    command: "sweep",
    comparison: compareArms(trials, best),
    sweep: {
      axes: [
        { name: "policy", of: "policy", values: [...policies] },
        { name: "k", of: "policy", values: ks.map(String) },
      ],
      cells: cells.map(({ policy, k, arm }) => ({ arm, point: { policy, k: String(k) }, k })),
      limits: ["waste<=0.6", "goodput>=0.1*offered"],
      closedForm: { capacity: 700, rejectCost: 0.3, source: "The model." },
      recovery: cells.map(({ arm, k }) => ({ arm, seconds: k < 1.2 ? null : 40 / k, horizonSeconds: 60 })),
      recoveryScenario: "A quarter of the capacity for 20 s.",
      recommendations: [
        {
          load: {},
          arm: best,
          plateau: [best],
          excluded: cells.filter(({ k }) => k === 3).map(({ arm }) => ({ arm, why: "it broke waste<=0.6: 0.67" })),
          reasons: ["It has the highest goodput."],
          sentence: `Ship ${best}.`,
          best,
          standings: cells.map(({ arm, k }) => ({
            arm,
            verdict: arm === best ? "best" : k === 3 ? "excluded" : "lower",
            ratio: k === 3 ? null : 1.03 / (1 + 0.3 * (k - 1)),
            pValue: arm === best ? null : 0.25,
          })),
        },
      ],
    },
  });
}

/** What could break out of a page, or turn it. */
export const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(2)>',
  "</script><script>alert(3)</script>",
  "\u0024{alert(4)}`",
  "\u202egnp.exe\u202c",
  "N".repeat(500),
  "' onmouseover='alert(5)",
  "<!-- --!>",
  "]]><![CDATA[",
  "javascript:alert(6)",
  "</style><svg/onload=alert(7)>",
  "&lt;b&gt;&#60;i",
  "\u0000\u001b[31m\u2028",
];

/** Every text of a result that somebody could have chosen is one of {@link HOSTILE}. */
function hostileCase(): Result {
  const arms = HOSTILE.slice(0, 2);
  const trials = cure().map((trial, index): TrialResult => {
    const text = (offset: number): string => HOSTILE[(index + offset) % HOSTILE.length] as string;
    return {
      ...trial,
      arm: arms[trial.arm === "off" ? 0 : 1] as string,
      policy: { name: text(0), options: { [text(1)]: text(2) } },
      script: text(3),
      model: text(4),
      startedAt: text(5),
      plan: { ...trial.plan, rate: text(6), hash: `${trial.pair}${text(0)}` },
      statuses: { [text(7)]: 1 },
      errors: { [text(8)]: 1 },
      validity: {
        verdict: "suspect",
        reasons: [{ code: text(9), severity: "suspect", message: text(10), figure: 1, limit: 0, hint: text(11) }],
      },
    };
  });
  const sweep = sweepCase().sweep as NonNullable<Result["sweep"]>;
  const comparison = compareArms(trials, arms[0] as string);
  return resultFixture(trials, {
    tool: { name: "overload-bench", version: HOSTILE[0] as string },
    environment: {
      runtime: "bun",
      runtimeVersion: HOSTILE[1] as string,
      platform: HOSTILE[2] as string,
      arch: HOSTILE[3] as string,
      cpuModel: HOSTILE[4] as string,
      cpus: 1,
      memoryBytes: 1,
    },
    config: { url: `http://127.0.0.1/?${HOSTILE.join("&")}`, headers: HOSTILE },
    invocation: { command: HOSTILE[0] as string, flags: { [HOSTILE[1] as string]: HOSTILE }, redacted: HOSTILE },
    comparison: {
      ...comparison,
      conclusion: HOSTILE.join(" "),
      contrasts: comparison.contrasts.map((contrast) => ({ ...contrast, sentence: HOSTILE.join(" ") })),
    },
    assertions: HOSTILE.map((text) => ({ text, arm: text, holds: false, left: null, right: 1, message: text })),
    sweep: {
      ...sweep,
      axes: [
        { name: HOSTILE[1] as string, of: "policy", values: HOSTILE },
        { name: HOSTILE[2] as string, of: "load", values: [HOSTILE[6] as string, "2"] },
      ],
      cells: arms.map((arm, index) => ({
        arm,
        point: { [HOSTILE[1] as string]: HOSTILE[index] as string, [HOSTILE[2] as string]: "2" },
      })),
      limits: HOSTILE,
      recoveryScenario: HOSTILE[0] as string,
      recovery: arms.map((arm) => ({ arm, seconds: 1, horizonSeconds: 2 })),
      recommendations: arms.map((arm) => ({
        load: { [arm]: arm },
        arm,
        plateau: arms,
        excluded: [{ arm, why: HOSTILE[10] as string }],
        reasons: HOSTILE,
        sentence: HOSTILE.join(" "),
        best: arm,
        standings: arms.map((name) => ({ arm: name, verdict: "undecided" as const, ratio: 1, pValue: 0.5 })),
      })),
    },
  });
}

/** A search and a recovery of which every text is one of {@link HOSTILE}. */
function hostileSearch(): Result {
  const result = capacityCase();
  const { governor, ...trial } = result.trials[0] as TrialResult;
  const text = HOSTILE.join(" ");
  return {
    ...result,
    trials: [
      {
        ...trial,
        arm: HOSTILE[1] as string,
        aborted: { atSeconds: 1, text },
        ...(governor === undefined
          ? {}
          : {
              governor: {
                ...governor,
                events: governor.events.map((event, index) => ({
                  ...event,
                  kind: index === 3 ? (HOSTILE[2] as string) : event.kind,
                  text,
                })),
              },
            }),
      },
    ],
    config: { world: { kind: "real", url: HOSTILE[1] } },
    capacity: { ...(result.capacity as NonNullable<Result["capacity"]>), sentence: text, remarks: HOSTILE },
  };
}

function hostileRecovery(): Result {
  const result = recoveryMapCase();
  const { map, ...recovery } = result.recovery as NonNullable<Result["recovery"]>;
  const names = new Map(result.design.arms.map((arm, index) => [arm, HOSTILE[index] as string]));
  const named = <Of extends { arm: string; sentence: string }>(all: readonly Of[]): Of[] =>
    all.map((each) => ({ ...each, arm: names.get(each.arm) as string, sentence: HOSTILE.join(" ") }));
  return {
    ...result,
    design: { ...result.design, arms: [...names.values()] },
    trials: result.trials.map((trial) => ({ ...trial, arm: names.get(trial.arm) as string })),
    recovery: {
      ...recovery,
      trigger: HOSTILE[0] as string,
      hook: HOSTILE.join(" "),
      conclusion: HOSTILE.join(" "),
      arms: named(recovery.arms),
      ...(map === undefined ? {} : { map: { ...map, arms: named(map.arms) } }),
    },
  };
}

/** By name: what a page must be able to show. */
export const PAGE_CASES: Readonly<Record<string, Result>> = {
  cure: compared(cure()),
  run: resultFixture([throttled(0)], { command: "run", twin: twinOf(throttled(0)) }),
  invalid: resultFixture([spoiled()], { command: "run" }),
  warmed: resultFixture([{ ...warmed(), script: "2s..4s:capacity=0.25,6s..:outage" }], { command: "run" }),
  virtual: resultFixture([simulated()], { command: "run" }),
  silent: compared([silent("off", 0), silent("on", 0)]),
  zero: compared([collapsed(0, 0), throttled(0)]),
  interrupted: resultFixture(
    [trialFixture({ interrupted: true, durationSeconds: 3.2, calls: { ok: 3150, unfinished: 50 }, reasons: [CUT] })],
    { command: "run", partial: true },
  ),
  empty: resultFixture([trialFixture({ calls: { ok: 0 }, durationSeconds: 0 })], { command: "run" }),
  nothing: resultFixture([], { partial: true }),
  sweep: sweepCase(),
  capacity: capacityCase(),
  healing: healingCase(),
  saturated: saturatedCase(),
  aborted: abortedCase(),
  multiple: withCapacity(compared(cure())),
  recovery: recoveryCase(),
  map: recoveryMapCase(),
  stuck: stuckCase(),
  arms: manyArmsCase(),
  "hostile search": hostileSearch(),
  "hostile recovery": hostileRecovery(),
  hostile: hostileCase(),
};
