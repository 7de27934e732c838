/** What is pushed while a trial runs, as OpenMetrics text. */

import { openMetricsText, type TextFamily } from "../export/openmetrics-text.ts";
import { type Attributes, type Family, families, type PushSample, sampleAttributes } from "./metrics.ts";

export const OPENMETRICS_CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Units as the end of a name has them; a family of another unit has none. */
const UNIT_WORDS: Readonly<Record<string, string>> = {
  s: "seconds",
  "{call}/s": "calls_per_second",
  "{attempt}/s": "attempts_per_second",
};

export function renderOpenMetrics(sample: PushSample): string {
  const common = sampleAttributes(sample);
  return openMetricsText(families(sample).map((family) => textFamily(family, common, sample.startMs)));
}

function textFamily({ name, help, unit, kind, points }: Family, common: Attributes, startMs: number): TextFamily {
  const word = UNIT_WORDS[unit];
  return {
    name: `${name.replaceAll(".", "_")}${word === undefined ? "" : `_${word}`}`,
    type: kind,
    ...(word === undefined ? {} : { unit: word }),
    help,
    samples: points.flatMap(({ attributes, value }) => {
      const labels = { ...common, ...attributes };
      return kind === "counter"
        ? [
            { suffix: "_total", labels, value },
            { suffix: "_created", labels, value: startMs / 1000 },
          ]
        : [{ suffix: "", labels, value }];
    }),
  };
}
