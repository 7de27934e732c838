/** Durations as people read them who wait for them or plan with them. */

import { formatCount } from "./number-format.ts";

/** `0.5 s`, `45 s`, `3 min 20 s`, `1 h 5 min`: parts that are nothing are left out. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(1)} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  const hours = formatCount(Math.floor(minutes / 60));
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}
