import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DEFAULT_OPTIONS,
  flagsOf,
  type OverloadableOptions,
  parseOptions,
  parseSpec,
} from "../../targets/overloadable/options.ts";
import { UsageError } from "../../targets/program/arguments.ts";

describe("parseOptions()", () => {
  test("gives the defaults without arguments", () => {
    expect(parseOptions([])).toEqual(DEFAULT_OPTIONS);
  });

  test("lets a flag win over SPEC", () => {
    expect(parseOptions(["--queue", "7", "fifo:acceptMs=2,queue=9,retryAfter=3"])).toEqual({
      ...DEFAULT_OPTIONS,
      mode: "fifo",
      acceptMs: 2,
      queue: 7,
      retryAfter: 3,
    });
  });

  test("finds --help among anything valid", () => {
    expect(parseOptions(["--port", "1", "--help"])).toBe("help");
  });

  test.each([
    [["--nope"], /'--nope'/],
    [["--port"], /--port/],
    [["--port", "65536"], "Cannot use --port as it must be a whole number from 0 to 65535: current value is '65536'"],
    [["--port", "0x50"], /--port .* '0x50'/],
    [["--port", ""], /--port .* ''/],
    [["--queue", "1.5"], /--queue .* '1.5'/],
    [["--queue", "0"], /--queue .* from 1 /],
    [["--accept-ms=-1"], /--accept-ms .* '-1'/],
    [["--accept-ms", "1ms"], /--accept-ms .* milliseconds .* '1ms'/],
    [["--reject-ms", "NaN"], /--reject-ms .* 'NaN'/],
    [["--status", "200"], /--status .* 400 to 599/],
    [["--retry-after", "0.5"], /--retry-after .* '0.5'/],
    [
      ["--mode", "lifo"],
      "Cannot use --mode as the mode must be one of shed, fifo, slope, bernoulli: current value is 'lifo'",
    ],
    [["--host", ""], /--host .* ''/],
    [["shed", "fifo"], /more than one SPEC/],
    [["lifo:queue=1"], /SPEC .* 'lifo'/],
    [["shed:"], /KEY=VALUE/],
    [["shed:queue"], /'queue' is not KEY=VALUE/],
    [["shed:Queue=1"], /'Queue=1' is not KEY=VALUE/],
    [["shed:queue=1,queue=2"], /sets 'queue' twice/],
    [["shed:mode=fifo"], /sets 'mode' twice/],
    [["shed:acceptMs=x"], /acceptMs .* 'x'/],
    [["--base-ms", "10001"], /--base-ms .* from 0 to 10000: .* '10001'/],
    [["bernoulli:acceptShare=1.1"], /acceptShare .* share from 0 to 1: .* '1.1'/],
    [["--seed", "4294967296"], /--seed .* '4294967296'/],
    [["--script", ""], /^Cannot use --script as it must be changes such as 20s\.\.23s:/],
    [["--script", "20s..10s:outage"], /^Cannot use --script as it must end each change after its beginning/],
    [
      ["--script", "0s..:outage@1"],
      'Cannot use --script as it must name no backend by @ as the target is one: current value is "0s..:outage@1"',
    ],
    [["--script", "0s..:capacity=0.00001"], /--script .* 10000 ms or less, not 1 ms \/ 0.00001/],
    [["slope:slopeMs=200", "--script", "0s..:capacity=0.01"], /--script .* 10000 ms or less, not 200 ms \/ 0.01/],
    [["--script", "0s..:latency=2h"], /--script .* at most 3600 s/],
    [["--script", "5s..:capacity=0.25..1"], /^Cannot use --script as it must end a ramp of the capacity/],
    [["--script", "0s..9s:capacity=1..0.00005"], /--script .* 10000 ms or less, not 1 ms \/ 0.00005/],
    [["shed:coldCost=0.5,warmJobs=9"], /coldCost .* factor from 1 to 1000: .* '0.5'/],
    [["shed:coldCost=3,warmJobs=0"], /warmJobs .* whole number of jobs from 1 /],
    [["shed:coldCost=3,warmJobs=9,warmth=2"], /warmth .* share from 0 to 1/],
    [["shed:coldCost=3"], /^Cannot use --cold-cost, --warm-jobs and --warmth as the first two must be given together$/],
    [["--warm-jobs", "9"], /the first two must be given together/],
    [["--warmth", "1"], /the first two must be given together/],
    [["slope:coldCost=3,warmJobs=9"], /^Cannot use --cold-cost as a target in mode slope does no work$/],
    [["fifo:acceptMs=20,coldCost=501,warmJobs=9"], /--cold-cost .* 10000 ms or less: .* '501' times 20 ms/],
    [
      ["fifo:acceptMs=20,coldCost=100,warmJobs=9", "--script", "0s..1s:capacity=0.1"],
      /--script .* 10000 ms or less, not 2000 ms \/ 0.1/,
    ],
    [["shed:script=0s..:outage"], /'script=0s..:outage' is not KEY=VALUE/],
  ])("refuses %j with one clear line", (args, message) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
    expect(() => parseOptions(args)).toThrow(message);
    expect(() => parseOptions(args)).not.toThrow(/\n/);
  });

  test("reads back what flagsOf() writes", () => {
    const options: fc.Arbitrary<OverloadableOptions> = fc.record({
      mode: fc.constantFrom("shed", "fifo", "slope", "bernoulli"),
      host: fc.constantFrom("127.0.0.1", "::1"),
      port: fc.integer({ min: 0, max: 65_535 }),
      acceptMs: fc.integer({ min: 0, max: 100_000 }).map((tenths) => tenths / 10),
      rejectMs: fc.integer({ min: 0, max: 100_000 }).map((tenths) => tenths / 10),
      queue: fc.integer({ min: 1, max: 1000 }),
      fifoQueue: fc.integer({ min: 1, max: 1000 }),
      baseMs: fc.integer({ min: 0, max: 100_000 }).map((tenths) => tenths / 10),
      slopeMs: fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10),
      acceptShare: fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100),
      seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      script: fc.constantFrom(null, "20s..23s:outage,0s..:retryAfter=5s", "0s..:latency=100ms"),
      status: fc.integer({ min: 400, max: 599 }),
      retryAfter: fc.option(fc.integer({ min: 0, max: 1000 })),
      reserve: fc.integer({ min: 0, max: 33 }).map((hundredths) => hundredths / 100),
      coldCost: fc.integer({ min: 100, max: 300 }).map((hundredths) => hundredths / 100),
      warmJobs: fc.integer({ min: 1, max: 10_000 }),
      warmth: fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
      exitWithParent: fc.boolean(),
    });
    fc.assert(
      fc.property(options, fc.boolean(), (drawn, isCold) => {
        const always = { coldCost: null, warmJobs: null, warmth: 0 };
        const mayBeCold = isCold && drawn.mode !== "slope" && drawn.acceptMs <= 3000;
        const wanted = mayBeCold ? drawn : { ...drawn, ...always };
        expect(parseOptions(flagsOf(wanted))).toEqual(wanted);
      }),
    );
  });
});

test("parseSpec() gives only what it was told", () => {
  expect(parseSpec("shed")).toEqual({ mode: "shed" });
  expect(parseSpec("slope:baseMs=50,slopeMs=0.5")).toEqual({ mode: "slope", baseMs: 50, slopeMs: 0.5 });
  expect(parseSpec("bernoulli:acceptShare=0.9,seed=7")).toEqual({ mode: "bernoulli", acceptShare: 0.9, seed: 7 });
  expect(parseSpec("fifo:coldCost=3,warmJobs=2000,warmth=1")).toEqual({
    mode: "fifo",
    coldCost: 3,
    warmJobs: 2000,
    warmth: 1,
  });
  expect(parseSpec("fifo:fifoQueue=5,acceptMs=0.5")).toEqual({ mode: "fifo", fifoQueue: 5, acceptMs: 0.5 });
});
