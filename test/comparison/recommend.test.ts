import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recommend } from "../../src/comparison/recommend.ts";
import { pairsToProve } from "../../src/comparison/standings.ts";
import { stream } from "../../src/plan/streams.ts";
import type { Sweep, SweepRecommendation } from "../../src/result/sweep-schema.ts";
import { type CellFacts, checkWaste, INVALID, sweepOf, trialsOfCell } from "../support/sweep-cases.ts";

function recommended(cells: readonly CellFacts[], facts: Partial<Sweep> = {}): SweepRecommendation {
  const trials = cells.flatMap(trialsOfCell);
  const { recommendations } = recommend({ trials, design: {} }, sweepOf(cells, facts), checkWaste(trials));
  return recommendations[0] as SweepRecommendation;
}

/** So many pairs around a rate, by up to 1 % off. */
function around(rate: number, pairs = 8): number[] {
  return Array.from({ length: pairs }, (_, pair) => rate * (1 + 0.002 * ((pair * 7) % 5)));
}

describe("recommend()", () => {
  it("ships the arm with the highest goodput when the others are proven to be worse", () => {
    const found = recommended([
      { arm: "k=1.5", goodput: around(600) },
      { arm: "k=2", goodput: around(500), waste: 0.05 },
    ]);
    expect(found).toMatchObject({ arm: "k=1.5", best: "k=1.5", plateau: ["k=1.5"] });
    expect(found.standings?.[1]).toMatchObject({ verdict: "worse", ratio: expect.closeTo(5 / 6, 3) });
    expect(found.sentence).toMatch(/^Ship sre with K = 1.5: 60\d\/s of .* served, the most of 2 cells\.$/u);
  });

  it("prefers on the plateau the arm that wastes less, and says by how much", () => {
    const found = recommended([
      { arm: "k=1.5", goodput: around(600), waste: 0.33 },
      { arm: "k=1.1", goodput: around(595), waste: 0.1 },
    ]);
    expect(found).toMatchObject({ arm: "k=1.1", best: "k=1.5", plateau: ["k=1.5", "k=1.1"] });
    // Told from the best, but by less than matters: it stays on the plateau.
    expect(found.standings?.[1]?.verdict).toBe("worse");
    expect(found.reasons.join(" ")).toContain("wastes the least of what it sends: 10 %, the next 33 %");
  });

  it("prefers, where the waste is the same, the arm that comes back faster", () => {
    const found = recommended([
      { arm: "k=1.5", goodput: around(600), recovery: 40 },
      { arm: "k=2", goodput: around(599), recovery: 12 },
    ]);
    expect(found.arm).toBe("k=2");
    expect(found.reasons.join(" ")).toContain("comes back the fastest");
  });

  it("prefers, where nothing else differs, the arm nearest to its policy's defaults", () => {
    const found = recommended([
      { arm: "k=1.9", goodput: around(600), changes: 1, recovery: 12 },
      { arm: "k=2", goodput: around(600), changes: 0, recovery: 12 },
    ]);
    expect(found.arm).toBe("k=2");
    expect(found.reasons.join(" ")).toContain("nearest to its policy's defaults");
  });

  it("tells in the sentence itself of an arm that does not come back, and of one that does", () => {
    const found = recommended([
      { arm: "k=1.1", goodput: around(600), recovery: null },
      { arm: "k=2", goodput: around(500), recovery: 12 },
      { arm: "k=3", goodput: around(400), recovery: 3 },
    ]);
    expect(found.sentence).toContain("it is not back within 60 s; k=2 is in 12 s.");
    expect(found.reasons.join(" ")).toContain("k=2 is back in 12 s, at the price of 17 % less goodput");
  });

  it("leaves out an arm that breaks a limit, and names limit and figure", () => {
    const found = recommended(
      [
        { arm: "k=2", goodput: around(600), waste: 0.5 },
        { arm: "k=1.1", goodput: around(500), waste: 0.1 },
      ],
      { limits: ["waste<=0.3"] },
    );
    expect(found.arm).toBe("k=1.1");
    expect(found.excluded).toEqual([{ arm: "k=2", why: "it broke waste<=0.3: 0.50" }]);
    expect(found.sentence).toContain("within the limits");
  });

  it("recommends nothing when no arm keeps the limits, and names the closest", () => {
    const found = recommended(
      [
        { arm: "k=2", goodput: around(600), waste: 0.5 },
        { arm: "k=1.1", goodput: around(500), waste: 0.1 },
      ],
      { limits: ["waste<=0.05"] },
    );
    expect(found).toMatchObject({ arm: null, plateau: [] });
    expect(found.sentence).toBe("No cell keeps the limit; the closest is k=1.1: it broke waste<=0.05: 0.10.");
  });

  it("never ships an arm with an invalid trial", () => {
    const found = recommended([
      { arm: "k=1.5", goodput: around(600), reasons: [INVALID] },
      { arm: "k=2", goodput: around(400) },
    ]);
    expect(found.arm).toBe("k=2");
    expect(found.excluded[0]?.why).toBe(`all of its 8 trials are invalid: ${INVALID.message}`);
    expect(recommended([{ arm: "k=1.5", goodput: [600], reasons: [INVALID] }]).sentence).toContain(
      "No cell can be trusted",
    );
  });

  it("says that a load under which all is served does not tell the arms apart", () => {
    const found = recommended([
      { arm: "k=1.5", goodput: around(100), offered: 100 },
      { arm: "k=2", goodput: around(100), offered: 100 },
    ]);
    expect(found.arm).toBeNull();
    expect(found.sentence).toContain("Nothing was overloaded");
    expect(found.sentence).toContain("Raise --rps");
  });

  it("says what too few pairs cannot prove, how many could, and by what rule it went meanwhile", () => {
    const found = recommended([
      { arm: "k=1.5", goodput: [600, 605, 610] },
      { arm: "k=2", goodput: [500, 505, 520], waste: 0.01 },
      { arm: "k=3", goodput: [595, 606, 601], waste: 0.4 },
    ]);
    expect(found).toMatchObject({ arm: "k=1.5", plateau: ["k=1.5", "k=3"] });
    expect(found.standings?.map(({ verdict }) => verdict)).toEqual(["best", "lower", "undecided"]);
    expect(found.reasons.join(" ")).toContain("3 pairs cannot prove a difference between 3 cells: it takes 6");
    expect(found.reasons.join(" ")).toContain("sets apart: k=2.");
  });

  it("takes an arm that served nothing for worse", () => {
    const found = recommended([
      { arm: "k=1.5", goodput: around(600) },
      { arm: "k=9", goodput: around(0) },
    ]);
    expect(found.plateau).toEqual(["k=1.5"]);
    expect(found.standings?.[1]?.verdict).toBe("worse");
  });

  it("sets theory beside what was measured, where it is known", () => {
    const closedForm = { capacity: 720, rejectCost: 0.4, source: "The model." };
    const found = recommended(
      [
        { arm: "k=1.5", goodput: around(590), k: 1.5 },
        { arm: "k=2", goodput: around(500), k: 2 },
      ],
      { closedForm },
    );
    expect(found.reasons.join(" ")).toContain("Theory has 600/s for it");
  });

  it("has nothing to choose from with one arm, and says what became of it", () => {
    const found = recommended([{ arm: "k=1.5", goodput: around(600) }]);
    expect(found.arm).toBe("k=1.5");
    expect(found.sentence).toContain("There was nothing to choose from");
  });

  it("recommends arms without measured trials never, and does not fail without any", () => {
    const cells = [
      { arm: "k=1.5", goodput: [] },
      { arm: "k=2", goodput: [500] },
    ];
    expect(recommended(cells)).toMatchObject({ arm: "k=2", excluded: [{ arm: "k=1.5" }] });
    expect(recommended([{ arm: "k=1.5", goodput: [] }])).toMatchObject({ arm: null });
  });

  const cellsOf = fc.array(
    fc.record({
      goodput: fc.integer({ min: 0, max: 900 }),
      waste: fc.integer({ min: 0, max: 90 }),
      isInvalid: fc.boolean(),
      recovery: fc.option(fc.integer({ min: 0, max: 60 })),
    }),
    { minLength: 1, maxLength: 6 },
  );

  it("recommends only what keeps the limits, is not invalid and is on the plateau, which holds the best", () => {
    fc.assert(
      fc.property(cellsOf, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 99 }), (drawn, pairs, limit) => {
        const cells = drawn.map(({ goodput, waste, isInvalid, recovery }, index): CellFacts => {
          const facts = { arm: `k=${index + 2}`, goodput: around(goodput, pairs), waste: waste / 100, recovery };
          return isInvalid ? { ...facts, reasons: [INVALID] } : facts;
        });
        const found = recommended(cells, { limits: [`waste<=${limit / 100}`] });
        const out = found.excluded.map(({ arm }) => arm);
        // Of few attempts the waste is another than was drawn: there are whole ones.
        const kept = cells.flatMap((cell, index) => {
          const waste = Math.max(...trialsOfCell(cell).map((trial) => trial.waste));
          return drawn[index]?.isInvalid || waste > limit / 100 ? [] : [cell.arm];
        });
        if (found.arm !== null) {
          expect(kept).toContain(found.arm);
          expect(found.plateau).toContain(found.arm);
        }
        if (found.best !== undefined) expect(found.plateau).toContain(found.best);
        for (const arm of found.plateau) expect(out).not.toContain(arm);
        expect(found.standings?.map(({ arm }) => arm)).toEqual(cells.map(({ arm }) => arm));
      }),
      { numRuns: 200 },
    );
  });

  it("keeps the truly best arm on the plateau in at least 95 % of sweeps of equal arms", () => {
    const chance = stream(1, "policy");
    const noise = (): number => 1 + 0.1 * (chance.random() + chance.random() + chance.random() - 1.5);
    const sweeps = 300;
    let lost = 0;
    for (let sweep = 0; sweep < sweeps; sweep += 1) {
      const cells = [1.1, 1.5, 2, 3].map(
        (k): CellFacts => ({ arm: `k=${k}`, goodput: Array.from({ length: 8 }, () => 600 * noise()) }),
      );
      if (!recommended(cells).plateau.includes("k=1.5")) lost += 1;
    }
    // Its share is at most 5 %; three standard errors above.
    expect(lost / sweeps).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / sweeps));
  });
});

describe("pairsToProve()", () => {
  it("is the first number of pairs whose least p-value is small enough for so many arms", () => {
    expect([2, 4, 8, 20].map(pairsToProve)).toEqual([5, 6, 8, 9]);
  });
});

describe("recommend() over several loads", () => {
  const axes: Sweep["axes"] = [
    { name: "k", of: "policy", values: ["1.1", "2"] },
    { name: "rps", of: "load", values: ["300", "1000"] },
  ];
  const cell = (k: string, rps: string, goodput: readonly number[], more: Partial<CellFacts> = {}): CellFacts => ({
    arm: `k=${k} rps=${rps}`,
    point: { k, rps },
    goodput,
    offered: Number(rps),
    ...more,
  });

  function overall(cells: readonly CellFacts[], facts: Partial<Sweep> = {}) {
    const trials = cells.flatMap(trialsOfCell);
    return recommend({ trials, design: {} }, sweepOf(cells, { axes, ...facts }), checkWaste(trials));
  }

  it("recommends at each load, and over all what is on the plateau at most of them", () => {
    const { recommendations, overall: all } = overall([
      cell("1.1", "300", around(200)),
      cell("2", "300", around(201), { waste: 0.4 }),
      cell("1.1", "1000", around(200)),
      cell("2", "1000", around(150), { waste: 0.5 }),
    ]);
    expect(recommendations.map(({ load, arm }) => [load, arm])).toEqual([
      [{ rps: "300" }, "k=1.1 rps=300"],
      [{ rps: "1000" }, "k=1.1 rps=1000"],
    ]);
    expect(all?.point).toEqual({ k: "1.1" });
    expect(all?.sentence).toContain("Over all loads ship sre with K = 1.1: at both loads");
    expect(all?.reasons.join(" ")).toContain("sre with K = 2 is so at 1 of 2 loads, and at worst 2");
  });

  it("passes over loads at which nothing was overloaded", () => {
    const { recommendations, overall: all } = overall([
      cell("1.1", "300", around(299, 6)),
      cell("2", "300", around(299, 6)),
      cell("1.1", "1000", around(200, 6)),
      cell("2", "1000", around(250, 6)),
    ]);
    expect(recommendations[0]?.arm).toBeNull();
    expect(all?.point).toEqual({ k: "2" });
    expect(all?.reasons.join(" ")).toContain("At 1 of 2 loads nothing was overloaded");
  });

  it("recommends nothing for all loads when no policy keeps the limits at each of them", () => {
    const { overall: all } = overall(
      [
        cell("1.1", "300", around(200), { waste: 0.5 }),
        cell("2", "300", around(150), { waste: 0.1 }),
        cell("1.1", "1000", around(200), { waste: 0.1 }),
        cell("2", "1000", around(150), { waste: 0.5 }),
      ],
      { limits: ["waste<=0.3"] },
    );
    expect(all).toMatchObject({ point: null });
    expect(all?.sentence).toContain("No policy keeps the limits at all loads; the closest is sre with K = 1.1");
  });
});
