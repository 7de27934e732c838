import { describe, expect, it } from "vitest";
import { ageText } from "../../src/figures/age-text.ts";
import { renderAb } from "../../src/report/ab-text.ts";
import { clientsText } from "../../src/report/context-line.ts";
import { detailLines } from "../../src/report/trial-details.ts";
import { renderTrial } from "../../src/report/trial-text.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { compared, cure, throttled } from "../support/trial-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const AGE = { seconds: 120, calls: 240_000, throttled: 0 };
const SCRIPT = "0s..100s:outage";

function windowed(change: Partial<TrialResult> = {}): TrialResult {
  return { ...trialFixture({ policy: { name: "sre", options: { k: 2, window: 120 } } }), ...change };
}

/** Without the line breaks. */
function flat(text: string): string {
  return text.replaceAll(/\s+/gu, " ");
}

describe("the age of the clients in a report", () => {
  it("is said where they had one, and where cold ones react at once to what happens to the backend", () => {
    const cases: readonly (readonly [TrialResult, string | undefined])[] = [
      [windowed({ age: AGE }), "clients aged 120 s"],
      [windowed(), undefined],
      [windowed({ script: SCRIPT }), "cold clients"],
      [windowed({ script: SCRIPT, warmup: { ...warmup(), seconds: 119 } }), "cold clients"],
      [windowed({ script: SCRIPT, warmup: { ...warmup(), seconds: 120 } }), undefined],
      [{ ...trialFixture(), script: SCRIPT }, undefined],
    ];
    for (const [trial, expected] of cases) {
      expect(clientsText([trial])).toBe(expected);
      const text = flat(renderTrial(resultFixture([trial], { command: "run" }), 0));
      for (const words of ["clients aged 120 s", "cold clients"]) expect(text.includes(words)).toBe(words === expected);
    }
  });

  it("comes with the calls of that past and what was refused of it", () => {
    const line = (trial: TrialResult) =>
      detailLines(trial)
        .filter((text) => text.startsWith("Past"))
        .join();
    expect(detailLines(windowed({ age: AGE })).join(" ")).toContain(
      "Past         120 s of healthy traffic before the trial, simulated:",
    );
    expect(flat(detailLines(windowed({ age: AGE })).join(" "))).toContain("240,000 calls, none refused by the policy");
    expect(flat(detailLines(windowed({ age: { ...AGE, throttled: 12 } })).join(" "))).toContain("12 refused");
    expect(line(windowed())).toBe("");
  });

  it("stands once over the arms of a comparison, or in the table where they differ", () => {
    const aged = cure().map((trial) => ({ ...trial, age: AGE }));
    const same = flat(renderAb(compared(aged)));
    expect(same).toContain("clients aged 120 s");
    expect(same).not.toMatch(/cold clients|clients cold/u);
    const mixed = renderAb(compared(cure().map((trial) => (trial.arm === "on" ? { ...trial, age: AGE } : trial))));
    expect(mixed).toMatch(/^clients +cold +aged 120 s$/mu);
    expect(mixed).not.toContain("clients aged");
    expect(renderAb(compared(cure()))).not.toMatch(/^clients/mu);
  });

  it("is told apart from that of others by its length alone", () => {
    expect(ageText({ ...throttled(0), age: AGE })).toBe("aged 120 s");
    expect(ageText(throttled(0))).toBe("cold");
  });
});

function warmup(): NonNullable<TrialResult["warmup"]> {
  const { calls, attempts } = trialFixture();
  return { seconds: 0, calls, attempts };
}
