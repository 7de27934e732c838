/** Five pairs of the same sign come about by chance in 2 of 32 experiments: no level of 5 % can be met before the sixth. */
const FIRST_LOOK = 6;
/** A look is worth an eighth more pairs: each costs nothing but the spending that it brings forward. */
const GROWTH = 8;

/**
 * After how many pairs an experiment is asked whether to go on: after 6, 7, 8, 9, 11, 13, 15, 17, 20, 23, ... and at its end.
 *
 * @returns increasing, the last one `pairsMax`; only that one when there are fewer than seven pairs.
 */
export function lookSchedule(pairsMax: number): number[] {
  const looks: number[] = [];
  for (let pairs = FIRST_LOOK; pairs < pairsMax; pairs += Math.ceil(pairs / GROWTH)) looks.push(pairs);
  return [...looks, pairsMax];
}
