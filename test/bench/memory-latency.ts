/** What it costs to fetch something from memory that is in no cache. */

const LINE_BYTES = 64;
const WORDS_PER_LINE = LINE_BYTES / 4;
const READS = 2_000_000;

/**
 * Nanoseconds a read, each at an address that the one before gave: a walk through all cache lines of `megabytes`, in random
 * order. No two of the reads overlap, and no prefetcher guesses the next one.
 */
export function dependentReadNanos(megabytes: number): number {
  const memory = randomCycle(Math.round((megabytes * 1e6) / LINE_BYTES));
  walk(memory, 0);
  const startMs = performance.now();
  const end = walk(memory, 0);
  const nanos = ((performance.now() - startMs) * 1e6) / READS;
  if (memory[end] === undefined) throw new Error("The walk left its memory");
  return nanos;
}

/** One cycle through all lines (Sattolo's shuffle): the first word of each says where the next one begins. */
function randomCycle(lines: number): Int32Array {
  const memory = new Int32Array(lines * WORDS_PER_LINE);
  const next = Int32Array.from({ length: lines }, (_, line) => line);
  for (let line = lines - 1; line > 0; line -= 1) {
    const other = Math.floor(Math.random() * line);
    const swapped = next[line] as number;
    next[line] = next[other] as number;
    next[other] = swapped;
  }
  for (const [line, following] of next.entries()) memory[line * WORDS_PER_LINE] = following * WORDS_PER_LINE;
  return memory;
}

function walk(memory: Int32Array, from: number): number {
  let place = from;
  for (let read = 0; read < READS; read += 1) place = memory[place] as number;
  return place;
}
