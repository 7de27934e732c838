/** What a past that was simulated cannot teach a policy. */

import { perhapsBy } from "./remedy.ts";
import { type LoadFacts, short, type Warning } from "./warning.ts";

const MS = 1000;

/** @param learnsLatency whether the policy goes by the round-trip times that it has seen. */
export function ageWarnings(learnsLatency: boolean, { age, latencySeconds }: LoadFacts): readonly Warning[] {
  if (!learnsLatency || age === undefined || age.latencySeconds === latencySeconds) return [];
  const backend = latencySeconds === undefined ? "" : `, which take ${short(MS * latencySeconds)} ms`;
  return [
    {
      code: "aged-latency",
      message: `The past of the clients had answers of ${short(MS * age.latencySeconds)} ms, and the policy learns from latencies: it judges the target's by those${backend}`,
      hint: perhapsBy(
        "Age the clients with what the target takes at rest",
        settingOf(age.seconds, latencySeconds ?? age.latencySeconds),
      ),
      figure: MS * age.latencySeconds,
      limit: MS * (latencySeconds ?? 0),
    },
  ];
}

/** To the microsecond; undefined where the past would have no room for such an answer. */
function settingOf(ageSeconds: number, latencySeconds: number): string | undefined {
  const seconds = Math.ceil(ageSeconds);
  return latencySeconds < seconds
    ? `(--age ${seconds}s,latency=${Number((MS * latencySeconds).toFixed(3))}ms)`
    : undefined;
}
