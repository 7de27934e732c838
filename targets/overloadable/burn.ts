const clock = performance;

/**
 * Keeps the processor busy for a while and says for how long it really did.
 *
 * It spins on the monotonic clock, so it burns wall time, not CPU time: when the host takes the core away (steal, a
 * cgroup's throttle, another process), the lost time counts as burnt, and a loss longer than what was left of the job
 * stretches the job. A stolen core therefore shows as a capacity below nominal and as CPU seconds of the process
 * (`cpuTotalSeconds`) below the seconds that it spent spinning.
 *
 * @param milliseconds how long; 0 returns at once.
 * @returns the seconds that passed.
 */
export function burn(milliseconds: number): number {
  const start = clock.now();
  let now = start;
  while (now - start < milliseconds) now = clock.now();
  return (now - start) / 1000;
}
