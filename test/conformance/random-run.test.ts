import { describe, expect, it } from "vitest";
import { startPathological } from "./pathological-server.ts";
import { PATHOLOGIES, PATHOLOGY_NAMES } from "./pathologies.ts";
import { randomConfigurations } from "./random-configuration.ts";
import { commandLine, tryOut } from "./random-run.ts";

/** A handful of what `random-runs.ts` does a thousand times. */
const RUNS = 6;
const SEED = 11;
const LIMIT_MS = 60_000;

/** Those that need no process of their own. */
const MODES = PATHOLOGY_NAMES.filter((name) => !("standstill" in PATHOLOGIES[name]));

describe("the program, drawn at random", () => {
  it.concurrent.each(
    randomConfigurations(MODES, RUNS, SEED).map(
      (configuration) => [commandLine(configuration), configuration] as const,
    ),
  )("keeps its counts: %s", { timeout: LIMIT_MS }, async (_line, configuration) => {
    const server = await startPathological(configuration.mode);
    try {
      const { found } = await tryOut(configuration, server, () => server.truth());
      expect(found).toEqual([]);
    } finally {
      await server.close();
    }
  });
});
