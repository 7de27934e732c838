import { naturalLog } from "../plan/natural-log.ts";

/** e - 1. */
const E_LESS_ONE = 1.718281828459045;

/**
 * How much of the chance of a false decision may have been spent when a share `done` of an experiment has been run:
 *
 *     f(t) = ln(1 + (e - 1) t)
 *
 * of it. This one spends about evenly, as Pocock's constant boundary does, so that a large difference ends an experiment early;
 * the alternative of O'Brien and Fleming saves nearly all for the end, which few pairs cannot even use: they attain no level
 * as small as it gives to early looks. The looks need not be planned: only the share at each counts.
 *
 * Source: K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70(3), 1983, alpha_2*.
 *
 * @param done from 0 to 1.
 * @returns 0 at 0, 1 at 1, increasing.
 */
export function spentShare(done: number): number {
  if (!(done >= 0 && done <= 1)) {
    throw new RangeError(`Cannot spend as 'done' must be from 0 to 1: current value is ${done}`);
  }
  return done === 1 ? 1 : naturalLog(1 + E_LESS_ONE * done);
}
