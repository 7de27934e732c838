/** A total outage, and what comes after it; without latency or retries, N clients with Poisson arrivals. */

import { describe, expect, it } from "vitest";
import { type OutagePlan, simulateOutage } from "./outage-simulation.ts";
import { presetNamed } from "./throttle-driver.ts";

const plan = (change: Partial<OutagePlan> = {}): OutagePlan => ({
  users: 20,
  rate: 10,
  healthySeconds: 240,
  outageSeconds: 240,
  horizonSeconds: 1200,
  seed: 1,
  ...change,
});

describe("after an outage of 240 s, at 10 calls a second and client", () => {
  it.each<[string, Record<string, number>, number, number, number]>([
    // Of the calls of the outage, about this percentage is sent; 95 % are served again between these seconds.
    ["sre-throttle", {}, 37, 500, 1100],
    ["sre-completion", {}, 37, 500, 1100],
    ["sre-throttle", { maxReject: 0.9 }, 42, 200, 235],
    ["sre-throttle", { countLocal: 0, countAt: 1 }, 39, 3, 18],
    ["go-zero", {}, 15, 7, 14],
    ["envoy-admission", {}, 24, 18, 26],
    ["failsafe-go-throttle", {}, 22, 26, 34],
    ["finagle-nack", {}, 74, 50, 60],
    ["kratos", {}, 100, 0, 0],
  ])("%s with %o sends %i percent and is back after %i to %i s", (name, options, percent, least, most) => {
    const result = simulateOutage(presetNamed(name), options, plan());
    expect(Math.abs(100 * result.sentShare - percent)).toBeLessThan(2.5);
    const seconds = result.recoverySeconds(0.95);
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);
  });

  it("kratos, at 50 calls a second and client, sends almost nothing and is back within half a minute", () => {
    const result = simulateOutage(presetNamed("kratos"), {}, plan({ rate: 50, horizonSeconds: 100 }));
    expect(result.sentShare).toBeLessThan(0.025);
    expect(result.recoverySeconds(0.95)).toBeGreaterThan(5);
    expect(result.recoverySeconds(0.95)).toBeLessThanOrEqual(35);
  });
});

describe("late in an outage of ten windows of 10 s, each client sends", () => {
  const long = plan({ users: 200, healthySeconds: 40, outageSeconds: 100, horizonSeconds: 60 });

  it("1 / W a second with local rejects counted", () => {
    const { probesPerSecond } = simulateOutage(presetNamed("sre-throttle"), { window: 10 }, long);
    // Buckets of a second hold half a second less than the window.
    expect(Math.abs(probesPerSecond(50) * 9.5 - 1)).toBeLessThan(0.1);
  });

  it("sqrt(rate / W) a second without", () => {
    const options = { window: 10, countLocal: 0, countAt: 1 };
    const { probesPerSecond } = simulateOutage(presetNamed("sre-throttle"), options, long);
    expect(Math.abs(probesPerSecond(50) / Math.sqrt(10 / 9.5) - 1)).toBeLessThan(0.1);
  });
});

describe("what an outage shorter than W (1 - 1/K) does", () => {
  it("is nothing: with K = 2 half a window goes unnoticed, its call after call sent", () => {
    const short = plan({ healthySeconds: 120, outageSeconds: 55, horizonSeconds: 30 });
    const result = simulateOutage(presetNamed("sre-throttle"), {}, short);
    expect(result.sentShare).toBeGreaterThan(0.99);
    expect(result.recoverySeconds(0.95)).toBe(0);
  });
});
