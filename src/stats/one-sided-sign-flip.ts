import type { Random } from "../policy/policy.ts";
import { eachSignPattern, TIE } from "./sign-patterns.ts";

/**
 * The exact p-value of "the effects lie below zero": the share of the 2^n sign patterns whose sum is as low as the observed one.
 * The smallest possible is 1 / 2^n. With a margin subtracted from each effect first it tests "they lie below the margin": two
 * such tests, one a side, show that an effect is no larger than the margin (TOST).
 *
 * Sources: R. A. Fisher, "The Design of Experiments", 1935, section 21; D. J. Schuirmann, "A comparison of the two one-sided tests
 * procedure and the power approach", Journal of Pharmacokinetics and Biopharmaceutics 15, 1987.
 *
 * @param effects by pairs, all finite.
 * @param random draws patterns when there are too many to look at each.
 * @returns in (0, 1]; 1 without effects.
 */
export function belowZeroPValue(effects: readonly number[], random: Random): number {
  const sizes = effects.reduce((sum, effect) => sum + Math.abs(effect), 0);
  if (sizes === 0) return 1;
  const observed = effects.reduce((sum, effect) => sum + effect, 0) + TIE * sizes;
  let reached = 0;
  // One pattern of two opposite ones is visited, and stands for both.
  const patterns = eachSignPattern([effects], random, (sums) => {
    const sum = sums[0] as number;
    if (sum <= observed) reached += 1;
    if (-sum <= observed) reached += 1;
  });
  return reached / (2 * patterns);
}
