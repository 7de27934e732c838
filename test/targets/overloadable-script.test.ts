/** The target's modes and its script as a client meets them. Times are coarse: other work shares the machine. */

import { afterEach, describe, expect, test } from "vitest";
import { readStats, send, startTarget, statsWhen, stopTargets, TargetProcess } from "./target-process.ts";

const TIMEOUT_MS = 30_000;

afterEach(stopTargets);

function tellScript(url: string, method: "POST" | "DELETE") {
  return send(`${url}/__script`, { method });
}

async function statusesOf(url: string, count: number): Promise<number[]> {
  return (await Promise.all(Array.from({ length: count }, () => send(url)))).map(({ status }) => status);
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

describe("the target's script", { timeout: TIMEOUT_MS }, () => {
  test("waits for POST, and its outage begins and ends", async () => {
    const { url } = await startTarget("--accept-ms", "0", "--script", "0s..3s:outage");
    expect((await readStats(url)).script).toEqual({ text: "0s..3s:outage", secondsIn: null });
    expect(await statusesOf(url, 5)).toEqual([200, 200, 200, 200, 200]);
    const before = await readStats(url);

    expect(await tellScript(url, "POST")).toMatchObject({ status: 204, body: "" });
    expect(await statusesOf(url, 5)).toEqual([503, 503, 503, 503, 503]);
    const within = await readStats(url);
    expect(within.rejected - before.rejected).toBe(5);
    expect(within.cpuRejectSeconds).toBe(before.cpuRejectSeconds);
    expect(within.script?.secondsIn).toBeLessThan(3);

    await statsWhen(url, ({ script }) => (script?.secondsIn ?? 0) > 3);
    expect(await statusesOf(url, 5)).toEqual([200, 200, 200, 200, 200]);
  });

  test("begins anew with every POST, and DELETE restores the usual state", async () => {
    const { url } = await startTarget("--accept-ms", "0", "--script", "0s..10m:outage");
    await tellScript(url, "POST");
    await statsWhen(url, ({ script }) => (script?.secondsIn ?? 0) > 2);
    await tellScript(url, "POST");
    expect((await readStats(url)).script?.secondsIn).toBeLessThan(2);
    expect((await send(url)).status).toBe(503);
    expect((await tellScript(url, "DELETE")).status).toBe(204);
    expect((await readStats(url)).script?.secondsIn).toBeNull();
    expect((await send(url)).status).toBe(200);
  });

  test("holds answers back and counts them as in flight", async () => {
    const { url } = await startTarget("--accept-ms", "0", "--script", "0s..:latency=1s");
    expect(await msOf(() => send(url))).toBeLessThan(900);
    await tellScript(url, "POST");
    const held = msOf(() => send(url));
    await statsWhen(url, ({ inFlight, queue }) => inFlight === 1 && queue === 0);
    expect(await held).toBeGreaterThan(990);
    await tellScript(url, "DELETE");
    expect(await msOf(() => send(url))).toBeLessThan(900);
    expect(await readStats(url)).toMatchObject({ accepted: 3, inFlight: 0 });
  });

  test("holds rejections back too, those of an outage as well", async () => {
    const { url } = await startTarget("--script", "0s..:latency=1s,0s..:outage");
    await tellScript(url, "POST");
    let status = 0;
    const ms = await msOf(async () => {
      status = (await send(url)).status;
    });
    expect(status).toBe(503);
    expect(ms).toBeGreaterThan(990);
  });

  test("gives rejections another Retry-After than usual while it runs", async () => {
    const { url } = await startTarget(
      "bernoulli:acceptShare=0,acceptMs=0,rejectMs=0,retryAfter=3",
      "--script",
      "0s..10m:retryAfter=7s",
    );
    const retryAfter = async (): Promise<string | undefined> => (await send(url)).headers["retry-after"];
    const before = await retryAfter();
    await tellScript(url, "POST");
    const within = await retryAfter();
    await tellScript(url, "DELETE");
    expect([before, within, await retryAfter()]).toEqual(["3", "7", "3"]);
  });

  test("slows work down, and does not slow it down before and after", async () => {
    const { url } = await startTarget("--accept-ms", "50", "--script", "0s..:capacity=0.1");
    const burnt = async (): Promise<number> => {
      const before = await readStats(url);
      await send(url);
      return (await readStats(url)).cpuAcceptSeconds - before.cpuAcceptSeconds;
    };
    const usual = [await burnt(), await burnt(), await burnt()];
    expect(Math.min(...usual)).toBeLessThan(0.4);
    await tellScript(url, "POST");
    expect(await burnt()).toBeGreaterThanOrEqual(0.499);
    await tellScript(url, "DELETE");
    const again = [await burnt(), await burnt(), await burnt()];
    expect(Math.min(...again)).toBeLessThan(0.4);
  });

  test("is not there unless it was given: POST answers 409 in one line, DELETE changes nothing", async () => {
    const { url } = await startTarget();
    const { status, body } = await tellScript(url, "POST");
    expect({ status, body }).toEqual({ status: 409, body: "this target has no script: start it with --script\n" });
    expect((await tellScript(url, "DELETE")).status).toBe(204);
    expect(await readStats(url)).toMatchObject({ script: null, accepted: 0 });
  });

  test("that is wrong ends the target with one line, exit code 2", async () => {
    const { code, stdout, stderr } = await new TargetProcess(["--script", "20s..23s:capacity=half"]).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^overloadable: Cannot use --script as it must give 'capacity' as a factor .*\(see --help\)\n$/,
    );
  });
});

describe("the target in mode slope", { timeout: TIMEOUT_MS }, () => {
  test("makes each request wait for those before it, without burning and without rejecting", async () => {
    const { url } = await startTarget("slope:baseMs=100,slopeMs=50");
    const alone = await msOf(() => send(url));
    expect(alone).toBeGreaterThan(145);
    const before = await readStats(url);
    let statuses: number[] = [];
    const together = await msOf(async () => {
      statuses = await statusesOf(url, 20);
    });
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
    expect(together).toBeGreaterThan(100 + 20 * 50 - 10);
    const after = await readStats(url);
    expect(after).toMatchObject({ mode: "slope", accepted: 21, rejected: 0, queue: 0, inFlight: 0, queueMax: 20 });
    expect(after.cpuTotalSeconds - before.cpuTotalSeconds).toBeLessThan(0.8 * (together / 1000));
  });
});

describe("the target in mode bernoulli", { timeout: TIMEOUT_MS }, () => {
  const drawn = async (seed: string): Promise<number[]> => {
    const { url } = await startTarget("bernoulli:acceptShare=0.6,acceptMs=0,rejectMs=0", "--seed", seed);
    const statuses: number[] = [];
    for (let request = 0; request < 30; request += 1) statuses.push((await send(url)).status);
    const accepted = statuses.filter((status) => status === 200).length;
    expect(await readStats(url)).toMatchObject({ accepted, rejected: 30 - accepted, queue: 0 });
    return statuses;
  };

  test("accepts the same requests for the same seed, about its share of them", async () => {
    const first = await drawn("7");
    expect(await drawn("7")).toEqual(first);
    const accepted = first.filter((status) => status === 200).length;
    expect(Math.abs(accepted - 18)).toBeLessThan(9);
  });
});
