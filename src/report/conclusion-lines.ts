import type { Comparison } from "../result/comparison-schema.ts";
import { wrap } from "./wrap.ts";

/** The conclusion of a comparison: as one paragraph, or with several contrasts an item for each. */
export function conclusionLines({ conclusion, contrasts }: Comparison): string[] {
  const sentences = contrasts.map(({ sentence }) => sentence).join(" ");
  const start = conclusion.indexOf(sentences);
  if (contrasts.length < 2 || start === -1) return wrap(conclusion);
  const [before, after] = [conclusion.slice(0, start).trim(), conclusion.slice(start + sentences.length).trim()];
  return [
    ...(before === "" ? [] : wrap(before)),
    ...contrasts.flatMap(({ sentence }) => wrap(sentence, "- ")),
    ...(after === "" ? [] : wrap(after)),
  ];
}
