/** A capacity that changes steadily: a backend that heals, that gets warm with time, or that wears out. */

/** The capacity goes linearly from `factor` to `toFactor`, both above 0, between two times in seconds of the measured window. */
export interface CapacityRamp {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly factor: number;
  readonly toFactor: number;
}

/** How many times the usual capacity there is at a time within the ramp. */
export function rampFactor({ fromSeconds, toSeconds, factor, toFactor }: CapacityRamp, seconds: number): number {
  return factor + (toFactor - factor) * ((seconds - fromSeconds) / (toSeconds - fromSeconds));
}
