import { describe, expect, it } from "vitest";
import { CRITICALITY_NAMES, criticalityAt } from "../../../src/policy/criticality.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

describe("criticalityAt()", () => {
  it.each([
    [[0.1, 0.4, 0.3, 0.2], 0, 0],
    [[0.1, 0.4, 0.3, 0.2], 0.0999, 0],
    [[0.1, 0.4, 0.3, 0.2], 0.1, 1],
    [[0.1, 0.4, 0.3, 0.2], 0.79, 2],
    [[0.1, 0.4, 0.3, 0.2], 0.999999, 3],
    [[0, 1, 0, 0], 0, 1],
    [[0.1, 0.2, 0.3, 0.4 - 1e-9], 1 - 1e-12, 3],
    [[0.5, 0.5 - 1e-9, 0, 0], 1 - 1e-12, 1],
  ] as const)("with the shares %j puts u = %f into class %i", (mix, u, criticality) => {
    expect(criticalityAt(mix, u)).toBe(criticality);
  });
});

const MIX = [0.1, 0.4, 0.3, 0.2] as const;
const PRIORITISED = {
  kind: "virtual",
  model: { name: "shed", capacity: 500, burst: 20, rejectCost: 0.1, latencySeconds: 0, reserve: 0.25 },
} as const;

describe("calls of several criticalities", () => {
  it("are as many of each class as the mix says, and a server with a reserve accepts more of those that matter more", async () => {
    const trial = await executeTrial(trialSpec({ criticality: MIX, world: PRIORITISED }), UNWATCHED);
    const rows = trial.criticality ?? [];
    expect(rows.map((row) => row.class)).toEqual([...CRITICALITY_NAMES]);
    for (const [index, { planned }] of rows.entries()) {
      expect(Math.abs(planned / trial.calls.planned - (MIX[index] as number))).toBeLessThan(0.02);
    }
    const sum = (column: "planned" | "ok" | "sent") => rows.reduce((total, row) => total + row[column], 0);
    expect([sum("planned"), sum("ok"), sum("sent")]).toEqual([
      trial.calls.planned,
      trial.calls.ok,
      trial.attempts.sent,
    ]);
    const shares = rows.map(({ planned, ok }) => ok / planned);
    expect(shares).toEqual([...shares].sort((a, b) => b - a));
    expect(shares[0]).toBeGreaterThan(2 * (shares[3] as number));
  });

  it("leave the plan alone, and are the same calls with any policy", async () => {
    const planned = async (name: string, criticality?: typeof MIX) => {
      const trial = await executeTrial(
        trialSpec({ policy: { name, options: {} }, world: PRIORITISED, ...(criticality && { criticality }) }),
        UNWATCHED,
      );
      return { hash: trial.plan.hash, classes: trial.criticality?.map((row) => row.planned) };
    };
    const [none, sre, alike] = [await planned("none", MIX), await planned("sre", MIX), await planned("sre")];
    expect(sre).toEqual(none);
    expect(alike).toEqual({ hash: none.hash, classes: undefined });
  });
});
