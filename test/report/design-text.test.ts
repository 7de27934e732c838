import { describe, expect, it } from "vitest";
import { type DesignedTrial, designLines, type ExperimentDesign } from "../../src/report/design-text.ts";

const TRIAL: DesignedTrial = {
  arm: "on",
  pair: 0,
  warmupSeconds: 5,
  durationSeconds: 10,
  drainSeconds: 10,
  calls: 6000,
};
const DESIGN: ExperimentDesign = {
  trials: [TRIAL],
  world: "real",
  workers: 1,
  wait: { leastSeconds: 2, mostSeconds: 20, text: "a rest" },
  looks: [],
  remarks: [],
};

function pairsOf(count: number, arms: readonly string[]): DesignedTrial[] {
  return Array.from({ length: count }, (_, pair) => arms.map((arm) => ({ ...TRIAL, arm, pair }))).flat();
}

function text(design: Partial<ExperimentDesign>): string {
  const lines = designLines({ ...DESIGN, ...design });
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  return lines.join("\n");
}

describe("designLines()", () => {
  it("tells of a single trial how long it takes", () => {
    expect(text({})).toBe(
      [
        "Plan: 1 trial",
        "  arm          on",
        "  a trial      15 s, of which 5 s are warm-up, at 400/s; then up to 10 s for calls under way",
        "  in all       15 s at least, 25 s at most, about 6,000 calls",
      ].join("\n"),
    );
  });

  it("adds the waits between trials to all of them: at least and at most", () => {
    const shown = text({ trials: pairsOf(3, ["off", "on"]) });
    expect(shown).toContain("6 trials: 2 arms in 3 pairs");
    // 6 x 15 + 5 x 2; 6 x (15 + 10) + 5 x 20.
    expect(shown).toContain("1 min 40 s at least, 4 min 10 s at most");
  });

  it("shows the order pair by pair, as far as it is not too long", () => {
    const shown = text({
      trials: pairsOf(
        7,
        Array.from({ length: 20 }, (_, k) => `k=${k}`),
      ),
    });
    expect(shown).toContain("1: k=0, k=1");
    expect(shown).toContain("and 8 more");
    expect(shown).toContain("and 3 more pairs");
  });

  it("says when it may stop early, which is the least that it takes", () => {
    const shown = text({ trials: pairsOf(12, ["off", "on"]), looks: [6, 9, 12] });
    expect(shown).toContain("asked after 6, 9 and 12 pairs");
    expect(shown).toContain("3 min at least");
  });

  it("tells what comes first and counts it, with the wait after it, to what it takes at most", () => {
    const first = { text: "the capacity is found", mostSeconds: 190 };
    const shown = text({ first, load: "at 2 x the capacity" });
    expect(shown).toMatch(/^Plan: 1 trial\n {2}first +the capacity is found\n {2}arm +on\n/u);
    expect(shown).toContain("15 s, of which 5 s are warm-up, at 2 x the capacity;");
    // 15 + 2; 190 + 15 + 10 + 20. How many calls that is, nobody knows.
    expect(shown).toMatch(/in all +17 s at least, 3 min 55 s at most$/u);
  });

  it("tells of simulations how much is simulated, not how long that takes", () => {
    const shown = text({ trials: pairsOf(1000, ["off", "on"]), world: "virtual", workers: 4 });
    expect(shown).toContain("8 h 20 min of simulated time, about 12,000,000 calls, 4 trials at a time");
    expect(shown).not.toContain("at most");
  });

  it("ends with what else there is to say", () => {
    expect(text({ remarks: ["Varied: k = 1, 2."] })).toMatch(/besides {6}Varied: k = 1, 2\.$/u);
  });
});
