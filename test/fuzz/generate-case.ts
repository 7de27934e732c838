/** Cases by seed and index: the same ones wherever they are made. */

import { textOf, validDraft } from "./draft.ts";
import { Draws } from "./draws.ts";
import { bytesOf, type FuzzCase } from "./fuzz-case.ts";
import { mutateDraft } from "./mutate-draft.ts";
import { mutateText } from "./mutate-text.ts";

/** Of the cases: as drawn, with parts changed, with bytes changed; the others have both. */
const VALID = 0.12;
const PARTS_CHANGED = 0.4;
const BYTES_CHANGED = 0.3;

export function generateCase(seed: number, index: number): FuzzCase {
  const draws = new Draws(seed, index);
  const draft = validDraft(draws);
  const kind = draws.below(1000) / 1000;
  const bytesChange = kind >= VALID + PARTS_CHANGED;
  if (kind >= VALID && (!bytesChange || kind >= VALID + PARTS_CHANGED + BYTES_CHANGED)) mutateDraft(draws, draft);
  const text = textOf(draft);
  const bytes = bytesOf(bytesChange ? mutateText(draws, text) : text);
  return { bytes, bodiless: draws.chance(0.1), cuts: cutsOf(draws, bytes.length) };
}

/** Where a case is cut: mostly nowhere, at a few places, between all bytes. */
export function cutsOf(draws: Draws, length: number): number[] {
  if (length < 2 || draws.chance(0.4)) return [];
  if (length < 600 && draws.chance(0.1)) return Array.from({ length: length - 1 }, (_, index) => index + 1);
  const cuts = new Set<number>();
  for (let more = 1 + draws.below(4); more > 0; more -= 1) cuts.add(1 + draws.below(length - 1));
  return [...cuts].sort((a, b) => a - b);
}
