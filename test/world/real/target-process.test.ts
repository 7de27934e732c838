import { afterEach, describe, expect, it } from "vitest";
import type * as TargetProcesses from "../../../src/world/real/target-process.ts";
import { readTarget } from "../../../src/world/real/target-stats.ts";
import { startingModule } from "../../support/run-program.ts";

const { startTarget, TargetUsageError }: typeof TargetProcesses = await import(
  /* @vite-ignore */ startingModule("world/real/target-process")
);

/** Whether the target is warm is no matter here. */
const COLD = { pin: false, stopRequested: () => true };

const started: TargetProcesses.TargetProcess[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((target) => target.stop()));
});

describe("startTarget()", { timeout: 30_000 }, () => {
  it("hands its script to the target, which waits with it", async () => {
    const target = await startTarget({ ...COLD, spec: "shed:queue=10", script: "1s..2s:outage,5s..:latency=100ms" });
    started.push(target);
    expect(await readTarget(target.url)).toMatchObject({
      script: { text: "1s..2s:outage,5s..:latency=100ms", secondsIn: null },
    });
  });

  it("gives a target no script unless it is asked to", async () => {
    const target = await startTarget({ ...COLD, spec: "bernoulli:acceptShare=0.5" });
    started.push(target);
    expect(await readTarget(target.url)).toMatchObject({ script: null });
  });

  it.each([
    ["shed", "0s..:outage@2", /^overloadable: Cannot use --script as it must name no backend .*\(see --help\)$/],
    ["shed:acceptMs=100", "0s..:capacity=0.001", /^overloadable: Cannot use --script .* 10000 ms or less.*$/],
    ["shed:reject=1", "0s..:outage", /^overloadable: Cannot use SPEC .*$/],
  ])("says in the target's own line why it refused '%s' with '%s'", async (spec, script, message) => {
    const refused = await startTarget({ ...COLD, spec, script }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TargetUsageError);
    expect((refused as Error).message).toMatch(message);
    expect((refused as Error).message).not.toContain("\n");
  });
});
