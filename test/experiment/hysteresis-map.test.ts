import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LoadToTry, type MapOptions, mapHysteresis, mapTrialsMax } from "../../src/experiment/hysteresis-map.ts";
import { mapSpecs, mapTrial } from "../../src/experiment/hysteresis-trials.ts";
import { parseTrigger } from "../../src/experiment/recovery-trigger.ts";
import type { ArmMap } from "../../src/result/recovery-schema.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../support/trial-spec.ts";

const OPTIONS: MapOptions = {
  arm: "retry",
  trigger: "slowdown=0.05:3s",
  horizonSeconds: 240,
  seeds: 10,
  lowRps: 20,
  highRps: 200,
  tolerance: 0.02,
};

/** As much of a trial as a map reads. */
function trial(stuck: boolean, verdict: TrialResult["validity"]["verdict"] = "valid"): TrialResult {
  return {
    interrupted: false,
    validity: { verdict, reasons: [] },
    calls: { planned: 100, ok: stuck ? 10 : 96 },
    recovery: { stuck: stuck ? 1 : 0 },
  } as unknown as TrialResult;
}

/** @param stuckOf how many of the seeds fail at a load. */
async function mapOf(stuckOf: (load: LoadToTry) => number, change: Partial<MapOptions> = {}): Promise<ArmMap> {
  const options = { ...OPTIONS, ...change };
  return await mapHysteresis(options, async (loads) =>
    loads.map((load) => Array.from({ length: options.seeds }, (_, seed) => trial(seed < stuckOf(load)))),
  );
}

function steps(survives: number, served: number): (load: LoadToTry) => number {
  return ({ rps, triggered }) => (rps <= (triggered ? survives : served) ? 0 : 10);
}

describe("mapHysteresis()", () => {
  it("finds what survives the trigger and what is served without it, and the gap between", async () => {
    const map = await mapOf(steps(40, 150));
    expect(map.survives).toBeLessThanOrEqual(40);
    expect(map.survivesUpTo).toBeGreaterThan(40);
    expect(map.served).toBeLessThanOrEqual(150);
    expect(map.servedUpTo).toBeGreaterThan(150);
    expect(map.gap).toBeCloseTo(1 - 40 / 150, 1);
    expect(map.sentence).toBe(
      "retry: survives slowdown=0.05:3s up to 39.62/s, and is stuck at 40.34/s; without the trigger it is served up to 150/s, and not at 152.7/s: a hysteresis gap of 74 %. Between 39.62/s and 150/s it works until something happens, and does not come back. Each load: 10 seeds, looked at for 4 min after the trigger.",
    );
  });

  it("runs the loads of both searches at the same time, the ends first, and keeps every point", async () => {
    const batches: (readonly LoadToTry[])[] = [];
    const stuckOf = steps(40, 150);
    const map = await mapHysteresis(OPTIONS, async (loads) => {
      batches.push(loads);
      return loads.map((load) => Array.from({ length: 10 }, () => trial(stuckOf(load) > 0)));
    });
    expect(batches[0]).toEqual([
      { rps: 20, triggered: true },
      { rps: 200, triggered: true },
      { rps: 20, triggered: false },
      { rps: 200, triggered: false },
    ]);
    expect(batches.slice(1).every((loads) => loads.length === 2)).toBe(true);
    expect(map.points).toHaveLength(batches.flat().length);
    expect(10 * map.points.length).toBeLessThanOrEqual(mapTrialsMax(OPTIONS, 10, 1));
    expect(map.points.map(({ rps }) => rps)).toEqual(map.points.map(({ rps }) => rps).sort((a, b) => a - b));
  });

  it("survives with fewer than half of the seeds stuck, and not with half of them", async () => {
    expect((await mapOf(({ triggered }) => (triggered ? 4 : 0))).survives).toBe(200);
    expect((await mapOf(({ triggered }) => (triggered ? 5 : 0))).survives).toBeNull();
  });

  it("has no bound where all loads survive, or none does, and no gap where one is missing", async () => {
    const all = await mapOf(() => 0);
    expect(all).toMatchObject({ survives: 200, survivesUpTo: null, served: 200, servedUpTo: null, gap: 0 });
    expect(all.sentence).toContain("survives slowdown=0.05:3s at all loads judged, up to 200/s");
    const none = await mapOf(steps(1, 150));
    expect(none).toMatchObject({ survives: null, survivesUpTo: 20, gap: null });
    expect(none.sentence).toContain("does not survive slowdown=0.05:3s at 20/s, the lowest load tried");
    const open = await mapOf(steps(40, 1000));
    expect(open).toMatchObject({ served: 200, servedUpTo: null });
    expect(open.sentence).toContain("a hysteresis gap of at least 80 %");
  });

  it("tells of loads at which chance decides", async () => {
    const { sentence } = await mapOf(({ rps, triggered }) => {
      if (!triggered) return 0;
      return rps < 36 ? 0 : rps > 45 ? 10 : Math.round(rps - 35);
    });
    expect(sentence).toMatch(/With the trigger chance decides from \d+(\.\d+)?\/s to \d+(\.\d+)?\/s/);
  });

  it("tells of failures that do not rise with the load, and of loads that survive without being served", async () => {
    const noisy = await mapOf(({ rps, triggered }) => (triggered ? (rps === 20 ? 4 : rps > 60 ? 10 : 1) : 0));
    expect(noisy.sentence).toContain("With the trigger failures do not rise with the load throughout (4 of 10 at 20/s");
    expect((await mapOf(steps(100, 90))).sentence).toContain("That it survives more than it serves is chance");
    expect((await mapOf(steps(100, 90))).gap).toBe(0);
  });

  it("leaves trials that cannot be trusted out, and says where none can", async () => {
    const map = await mapHysteresis({ ...OPTIONS, seeds: 2 }, async (loads) =>
      loads.map(({ rps }) =>
        rps > 100 ? [trial(true, "invalid"), trial(true, "invalid")] : [trial(true, "invalid"), trial(false)],
      ),
    );
    expect(map.survivesUpTo).toBeNull();
    expect(map.survives).toBeGreaterThan(97);
    expect(map.points.find(({ rps }) => rps === 20)).toMatchObject({ trials: 1, stuck: 0 });
    expect(map.sentence).toContain("At 101/s, 104.7/s, 112.5/s, 200/s no trial can be trusted");
  });

  it("ends with what it has found when a load is not tried to its end", async () => {
    let batches = 0;
    const stuckOf = steps(40, 150);
    const map = await mapHysteresis(OPTIONS, async (loads) => {
      batches += 1;
      const seeds = batches > 3 ? 9 : 10;
      return loads.map((load) => Array.from({ length: seeds }, () => trial(stuckOf(load) > 0)));
    });
    expect(batches).toBe(4);
    expect(map).toMatchObject({ survives: 35.566, survivesUpTo: 63.246, gap: null });
    expect(map.sentence).toContain("stopped before it was done");
  });

  it("takes an interrupted trial for one that was not tried", async () => {
    const map = await mapHysteresis({ ...OPTIONS, seeds: 1 }, async (loads) =>
      loads.map(() => [{ ...trial(false), interrupted: true }]),
    );
    expect(map).toMatchObject({ survives: null, survivesUpTo: null, served: null, servedUpTo: null, points: [] });
    expect(map.sentence).toContain("nothing is known of whether it survives");
  });

  it("holds a threshold that noise blurs within what the noise can move it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 25, max: 180, noNaN: true }),
        fc.double({ min: 1.01, max: 1.1, noNaN: true }),
        fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 20 }),
        async (threshold, blur, noise) => {
          let index = 0;
          const map = await mapOf(({ rps }) => {
            if (rps < threshold / blur) return 0;
            return rps > threshold * blur ? 10 : (noise[index++ % noise.length] as number);
          });
          expect(map.survives ?? 20).toBeLessThanOrEqual(threshold * blur);
          expect(map.survivesUpTo ?? 200).toBeGreaterThanOrEqual(threshold / blur);
        },
      ),
    );
  });

  it("refuses a number of seeds that is none", async () => {
    await expect(mapOf(() => 0, { seeds: 0 })).rejects.toThrow("'seeds' must be a positive whole number");
  });

  it("finds lambda x attempts = capacity in the virtual world", async () => {
    const times = { trigger: parseTrigger("slowdown=0.05:3s"), settleSeconds: 5, horizonSeconds: 60 };
    const base = trialSpec({
      policy: { name: "retry", options: { maxAttempts: 4 } },
      timeoutSeconds: 0.2,
      world: { kind: "virtual", model: { name: "fifo", workers: 4, serviceSeconds: 0.025, latencySeconds: 0 } },
    });
    // One seed and a coarse tolerance: what a few seconds show. The validation has the precise one.
    const map = await mapHysteresis({ ...OPTIONS, seeds: 1, horizonSeconds: 60, tolerance: 0.1 }, async (loads) => {
      const runs: TrialResult[][] = [];
      for (const load of loads) {
        const trials: TrialResult[] = [];
        for (const spec of mapSpecs({ base, ...times }, load, 1)) {
          trials.push(mapTrial(await executeTrial(spec, UNWATCHED), times, load));
        }
        runs.push(trials);
      }
      return runs;
    });
    expect(map.survives).toBeGreaterThan(30);
    expect(map.survivesUpTo).toBeLessThan(50);
    expect(map.served).toBeGreaterThan(110);
    expect(map.servedUpTo).toBeLessThan(180);
  });
});

describe("mapSpecs()", () => {
  it("gives each seed arrivals of its own, at the load, for the same time with the trigger and without it", () => {
    const times = { trigger: parseTrigger("spike=4:5s"), settleSeconds: 10, horizonSeconds: 60 };
    const spiked = mapSpecs({ base: trialSpec(), ...times }, { rps: 40, triggered: true }, 3);
    const calm = mapSpecs({ base: trialSpec(), ...times }, { rps: 40, triggered: false }, 3);
    expect(new Set(spiked.map(({ plan }) => plan.seed)).size).toBe(3);
    expect(spiked.map(({ pair }) => pair)).toEqual([0, 1, 2]);
    expect(calm.map(({ plan }) => plan.seed)).toEqual(spiked.map(({ plan }) => plan.seed));
    expect(new Set([...spiked, ...calm].map(({ plan }) => plan.durationSeconds))).toEqual(new Set([75]));
    expect(calm[0]?.plan.arrival).toEqual({ law: "poisson", rate: { kind: "constant", rps: 40 } });
    expect(spiked[0]?.plan.arrival).toMatchObject({ rate: { kind: "stages", stages: [{}, { fromRps: 160 }, {}] } });
  });
});

describe("mapTrial()", () => {
  it("keeps what a hook really did, and plans a span where nothing tells of one", () => {
    const times = { trigger: parseTrigger("outage:3s"), settleSeconds: 1 };
    const load = { rps: 40, triggered: true };
    const row = { offered: 10, ok: 10, sent: 10 };
    const plain = {
      ...trial(false),
      recovery: undefined,
      durationSeconds: 20,
      series: Array.from({ length: 20 }, () => row),
    };
    const calm = plain as unknown as TrialResult;
    expect(mapTrial(calm, times, load).recovery?.trigger).toMatchObject({ fromSeconds: 1, toSeconds: 4 });
    const seen = trial(true);
    expect(mapTrial(seen, times, load)).toBe(seen);
    expect(mapTrial(calm, times, { rps: 40, triggered: false })).toBe(calm);
  });
});
