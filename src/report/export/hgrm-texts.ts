/** A `.hgrm` for each arm: one latency distribution, that of all its trials together. */

import type { RenderOptions } from "../formats.ts";
import type { NamedResult } from "../named-result.ts";
import type { ExportedText } from "./export-input.ts";
import { renderHgrm } from "./hgrm.ts";
import { trialLatencies } from "./trial-latencies.ts";

/** @throws RangeError when no trial has such a distribution, or there is no such arm. */
export function hgrmTexts(
  results: readonly NamedResult[],
  { decode, histogram, arm: wanted }: RenderOptions,
): readonly ExportedText[] {
  const hdrs = new Map<string, string[]>();
  const names = new Set<string>();
  const arms = new Set<string>();
  const several = results.length > 1;
  for (const { name: file, result } of results) {
    for (const trial of result.trials) {
      arms.add(trial.arm);
      if (wanted !== undefined && trial.arm !== wanted) continue;
      for (const { name, latency } of trialLatencies(trial)) {
        names.add(name);
        if (name !== histogram) continue;
        const key = several ? `${file}-${trial.arm}` : trial.arm;
        hdrs.set(key, [...(hdrs.get(key) ?? []), latency.hdr]);
      }
    }
  }
  if (wanted !== undefined && !arms.has(wanted)) {
    throw new RangeError(`there is no arm '${wanted}': the arms are ${[...arms].join(", ")}`);
  }
  if (hdrs.size === 0) {
    throw new RangeError(`no trial has values of '${histogram}': there are ${[...names].join(", ") || "none at all"}`);
  }
  return [...hdrs].map(([key, own]) => ({ part: hdrs.size === 1 ? "" : key, text: renderHgrm(decode(own)) }));
}
