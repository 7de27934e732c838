import { formatDuration } from "../../figures/duration.ts";

/** How long something will still take, to what anybody can be sure of: `9 s`, `2 min 5 s`, `3 h 20 min`. */
export function formatLeft(seconds: number): string {
  return formatDuration(Math.max(1, Math.round(seconds)));
}
