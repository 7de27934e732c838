import { describe, expect, it } from "vitest";
import { parseSim } from "../../src/cli/flags/sim-option.ts";
import { describeModel } from "../../src/world/virtual/model.ts";

describe("parseSim()", () => {
  it.each([
    [
      "slope:base=50ms,slope=1ms",
      { model: { name: "slope", baseSeconds: 0.05, slopeSeconds: 0.001, latencySeconds: 0 } },
    ],
    [
      "worker:accept=5ms,reject=1.5ms,queue=20,latency=2ms,retryAfter=1s,reserve=0.1",
      {
        model: {
          name: "worker",
          acceptSeconds: 0.005,
          rejectSeconds: 0.0015,
          queueMax: 20,
          latencySeconds: 0.002,
          retryAfterSeconds: 1,
          reserve: 0.1,
        },
      },
    ],
    [
      "fifo:workers=4,service=5ms,coldCost=3,warmJobs=2000",
      {
        model: {
          name: "fifo",
          workers: 4,
          serviceSeconds: 0.005,
          latencySeconds: 0,
          cold: { coldCost: 3, warmJobs: 2000, warmth: 0 },
        },
      },
    ],
    [
      "worker:accept=5ms",
      { model: { name: "worker", acceptSeconds: 0.005, rejectSeconds: 0, queueMax: 50, latencySeconds: 0 } },
    ],
    [
      "shed:capacity=100,work=exponential,latency=5ms",
      { model: { name: "shed", capacity: 100, burst: 10, rejectCost: 0, latencySeconds: 0.005, work: "exponential" } },
    ],
    [
      "fifo:workers=4,service=exponential:25ms,latency=uniform:2ms..8ms",
      {
        model: {
          name: "fifo",
          workers: 4,
          serviceSeconds: { law: "exponential", meanSeconds: 0.025 },
          latencySeconds: 0,
        },
        network: { law: "uniform", fromSeconds: 0.002, toSeconds: 0.008 },
      },
    ],
    [
      "bernoulli:accept=0.5,latency=2ms+lognormal:5ms..20ms,backends=4",
      {
        model: { name: "bernoulli", accept: 0.5, latencySeconds: 0.002 },
        network: { law: "lognormal", medianSeconds: 0.005, p99Seconds: 0.02 },
        backends: { count: 4, balance: "round-robin" },
      },
    ],
    [
      "bernoulli:accept=1,latency=exponential:5ms,backends=2,balance=pinned",
      {
        model: { name: "bernoulli", accept: 1, latencySeconds: 0 },
        network: { law: "exponential", meanSeconds: 0.005 },
        backends: { count: 2, balance: "pinned" },
      },
    ],
  ])("reads %s", (text, choice) => {
    expect(parseSim(text)).toEqual(choice);
  });

  it.each([
    "shed:capacity=100,burst=10,rejectCost=0.3,latency=5ms,retryAfter=5s,reserve=0.2,work=exponential",
    "shed:capacity=100,latency=lognormal:5ms..20ms,backends=3,balance=least-loaded",
    "fifo:workers=4,service=lognormal:25ms..100ms,queue=7,latency=1ms+uniform:0..8ms",
    "fifo:workers=4,service=uniform:5ms..6ms",
    "slope:base=50ms,slope=1ms,backends=2,balance=pinned",
    "bernoulli:accept=0.7",
    "worker:accept=5ms,reject=1.5ms,queue=50,retryAfter=2s,reserve=0.1",
    "worker:accept=5ms,coldCost=3,warmJobs=2000",
    "worker:accept=5ms,retryAfter=2s,coldCost=1.5,warmJobs=1,warmth=0.25",
    "shed:capacity=100,work=exponential,coldCost=10,warmJobs=1000000000,warmth=1",
    "fifo:workers=4,service=exponential:5ms,queue=7,coldCost=3,warmJobs=2000,backends=2",
  ])("reads what describeModel() writes of %s", (text) => {
    const choice = parseSim(text);
    expect(parseSim(describeModel({ kind: "virtual", ...choice }))).toEqual(choice);
  });

  it.each([
    ["worker:accept=5ms,warmJobs=9", "must give 'coldCost' as a number from 1 to 1000"],
    ["worker:accept=5ms,warmth=1", "must give 'coldCost' as a number from 1 to 1000"],
    ["fifo:workers=1,service=5ms,coldCost=3", "must give 'warmJobs' as a whole number from 1 to 1000000000"],
    ["shed:capacity=1,coldCost=0.5,warmJobs=9", "must give 'coldCost' as a number from 1 to 1000"],
    ["shed:capacity=1,coldCost=3,warmJobs=0", "must give 'warmJobs' as a whole number from 1 to"],
    ["shed:capacity=1,coldCost=3,warmJobs=9,warmth=1.1", "must give 'warmth' as a number from 0 to 1"],
    ["bernoulli:accept=1,coldCost=3,warmJobs=9", "must use the options of bernoulli"],
    ["slope:base=1ms,slope=1ms,coldCost=3,warmJobs=9", "must use the options of slope"],
    ["slope:base=50ms", "must give 'slope' as a duration, such as 25ms"],
    ["slope:slope=5ms", "must give 'base' as a duration, such as 25ms"],
    ["worker:reject=5ms", "must give 'accept' as a duration above 0"],
    ["worker:accept=5ms,queue=0", "must give 'queue' as a whole number of at least 1"],
    ["shed:capacity=1,work=uniform", "must give 'work' as one of constant, exponential"],
    [
      "shed:capacity=1,latency=gamma:5ms",
      "must give 'latency' as a duration or as uniform:2ms..8ms, exponential:5ms or",
    ],
    ["shed:capacity=1,latency=exponential:5ms..6ms", "must give 'latency' as a duration or as uniform"],
    ["shed:capacity=1,latency=uniform:5ms", "must give 'latency' as a duration or as uniform"],
    ["shed:capacity=1,latency=5ms+7ms", "must give 'latency' as a duration or as uniform"],
    ["shed:capacity=1,latency=exponential:0", "must give 'latency' with a mean above 0"],
    ["shed:capacity=1,latency=uniform:8ms..2ms", "must give 'latency' with a second duration above the first"],
    ["shed:capacity=1,latency=lognormal:0..2ms", "must give 'latency' with a median above 0"],
    ["shed:capacity=1,latency=exponential:5", "must give 'latency' rightly: it must be a duration with a unit"],
    ["fifo:workers=1,service=exponential:0", "must give 'service' with a mean above 0"],
    ["fifo:workers=1,service=0", "must give 'service' as a duration above 0"],
    ["bernoulli:accept=1,balance=pinned", "must give 'backends' as a whole number from 1 to 1000"],
    ["bernoulli:accept=1,backends=0", "must give 'backends' as a whole number from 1 to 1000"],
    ["bernoulli:accept=1,backends=1001", "must give 'backends' as a whole number from 1 to 1000"],
    ["bernoulli:accept=1,backends=2,balance=random", "must give 'balance' as one of round-robin, least-loaded, pinned"],
    [
      "bernoulli:accept=1,service=5ms",
      "must use the options of bernoulli (accept, latency, backends, balance), not 'service'",
    ],
  ])("refuses %s: it %s", (text, message) => {
    expect(() => parseSim(text)).toThrow(RangeError);
    expect(() => parseSim(text)).toThrow(message);
  });
});
