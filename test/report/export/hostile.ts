/** Results in which every text is somebody's attack. */

import fc from "fast-check";
import type { Capacity } from "../../../src/result/governor-schema.ts";
import type { Recovery } from "../../../src/result/recovery-schema.ts";
import type { Result } from "../../../src/result/schema.ts";
import { capacityCase } from "../../support/governed-cases.ts";
import { recoveryMapCase } from "../../support/recovery-cases.ts";
import { collapsed, compared, LATE, throttled } from "../../support/trial-cases.ts";

const ATTACKS = [
  "<script>alert(1)</script>",
  '"]]>',
  "a|b",
  "a\nb\r\nc",
  "\u0000\u0007\u001b[31mred\u001b[0m",
  "🙂",
  "\u202egnp.exe",
  "مرحبا",
  "=1+1",
  "@here",
  "::error::x",
  "%0A",
  "`code` *b* _i_ [x](http://e.example)",
  'a"b\\c',
  "a,b c",
  "\ud800",
  "-1",
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ATTACKS),
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
  fc.array(fc.constantFrom(...ATTACKS), { minLength: 1, maxLength: 3 }).map((all) => all.join("")),
);

/** A comparison of two arms with that text wherever a result has a text. */
export function hostileResult(text: string): Result {
  const off = { ...collapsed(0), arm: `off ${text}` };
  const on = {
    ...throttled(0),
    arm: `${text} on`,
    policy: { name: text, options: { [text]: text } },
    errors: { [text]: 3 },
    startedAt: text,
    validity: { verdict: "suspect" as const, reasons: [{ ...LATE, message: text, hint: text, code: text }] },
  };
  const result = compared([off, on]);
  const { comparison } = result;
  return {
    ...result,
    design: { ...result.design, arms: [off.arm, on.arm] },
    plan: { ...result.plan, arrival: text, rate: text },
    environment: { ...result.environment, cpuModel: text },
    capacity: hostileCapacity(text),
    recovery: hostileRecovery(text, [off.arm, on.arm]),
    assertions: [{ text, arm: on.arm, holds: false, left: 1, right: 2, message: text }],
    ...(comparison === undefined
      ? {}
      : {
          comparison: {
            ...comparison,
            conclusion: text,
            contrasts: comparison.contrasts.map((each) => ({ ...each, arm: text, baseline: text, sentence: text })),
          },
        }),
  };
}

/** A capacity and a recovery that speak so. */
function hostileCapacity(text: string): Capacity {
  return { ...(capacityCase().capacity as Capacity), sentence: text, remarks: [text] };
}

function hostileRecovery(text: string, arms: readonly string[]): Recovery {
  const { arms: own, map, ...rest } = recoveryMapCase().recovery as Recovery;
  const named = <Of extends { arm: string; sentence: string }>(all: readonly Of[]): Of[] =>
    all.slice(0, arms.length).map((each, index) => ({ ...each, arm: arms[index] as string, sentence: text }));
  return {
    ...rest,
    trigger: text,
    hook: text,
    conclusion: text,
    arms: named(own),
    ...(map === undefined ? {} : { map: { ...map, arms: named(map.arms) } }),
  };
}
