/** A target that may be cold, one whose capacity goes up steadily, and one that takes so many at a time, as a client meets them. */

import { afterEach, describe, expect, test } from "vitest";
import { readStats, send, startTarget, statsWhen, stopTargets } from "./target-process.ts";

const TIMEOUT_MS = 30_000;

afterEach(stopTargets);

/** The work that a request was given, in ms. What it took depends on the machine. */
async function askedMs(url: string): Promise<number> {
  const before = await readStats(url);
  await send(url);
  return 1000 * ((await readStats(url)).askedSeconds - before.askedSeconds);
}

describe("a target that may be cold", { timeout: TIMEOUT_MS }, () => {
  const SPEC = "shed:acceptMs=20,coldCost=4,warmJobs=3";

  test("takes longer for a request the colder it is, tells how warm it is, and gets warm by work alone", async () => {
    const { url } = await startTarget(SPEC);
    for (let asked = 0; asked < 5; asked += 1) await send(`${url}/__health`);
    expect((await readStats(url)).warmth).toEqual({ jobs: 0, cost: 4 });
    expect(await askedMs(url)).toBeCloseTo(80, 6);
    expect((await readStats(url)).warmth).toEqual({ jobs: 1, cost: 3 });
    expect(await askedMs(url)).toBeCloseTo(60, 6);
    expect(await askedMs(url)).toBeCloseTo(40, 6);
    expect((await readStats(url)).warmth).toEqual({ jobs: 3, cost: 1 });
    expect(await askedMs(url)).toBeCloseTo(20, 6);
  });

  test("is cold after an outage of its script, and as at its start when it is told so", async () => {
    const { url } = await startTarget(SPEC, "--warmth", "1", "--script", "0s..500ms:outage");
    expect(await askedMs(url)).toBeCloseTo(20, 6);
    await send(`${url}/__script`, { method: "POST" });
    await statsWhen(url, ({ script }) => (script?.secondsIn ?? 0) > 0.5);
    expect((await readStats(url)).warmth).toEqual({ jobs: 0, cost: 4 });
    expect(await askedMs(url)).toBeCloseTo(80, 6);
    expect((await send(`${url}/__warmth`, { method: "DELETE" })).status).toBe(204);
    expect((await readStats(url)).warmth).toEqual({ jobs: 3, cost: 1 });
  });

  test("is none unless it was told so, and then DELETE /__warmth changes nothing", async () => {
    const { url } = await startTarget("shed:acceptMs=20");
    expect((await send(`${url}/__warmth`, { method: "DELETE" })).status).toBe(204);
    expect(await readStats(url)).toMatchObject({ warmth: null, accepted: 0 });
    expect(await askedMs(url)).toBeCloseTo(20, 6);
  });
});

test("in a ramp a request takes 1 / f of its time by the f of the moment", { timeout: TIMEOUT_MS }, async () => {
  const { url } = await startTarget("--accept-ms", "10", "--script", "0s..1m:capacity=0.1..0.7");
  const factorNow = async (): Promise<number> => {
    const { script } = await readStats(url);
    return 0.1 + (0.6 * (script?.secondsIn ?? Number.NaN)) / 60;
  };
  await send(`${url}/__script`, { method: "POST" });
  for (let request = 0; request < 3; request += 1) {
    const least = await factorNow();
    const ms = await askedMs(url);
    expect(ms).toBeLessThanOrEqual(10 / least);
    expect(ms).toBeGreaterThanOrEqual(10 / (await factorNow()));
  }
  expect(await askedMs(url)).toBeGreaterThan(14);
  await send(`${url}/__script`, { method: "DELETE" });
  expect(await askedMs(url)).toBeCloseTo(10, 6);
});

describe("a target in mode slope with a slope of 0", { timeout: TIMEOUT_MS }, () => {
  test("works on so many requests at once, never on more, and rejects the rest", async () => {
    const { url } = await startTarget("slope:baseMs=1500,slopeMs=0,fifoQueue=6,status=429");
    const replies = Promise.all(Array.from({ length: 20 }, () => send(url)));
    await statsWhen(url, ({ rejected }) => rejected === 14);
    expect(await readStats(url)).toMatchObject({ queue: 6, queueMax: 6, inFlight: 6 });
    const statuses = (await replies).map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([...Array(6).fill(200), ...Array(14).fill(429)]);
    expect((await send(url)).status).toBe(200);
    expect(await readStats(url)).toMatchObject({ accepted: 7, rejected: 14, queue: 0 });
  });
});
