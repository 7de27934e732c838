/** Stretches this short are sorted by insertion. */
const RUN = 16;

/**
 * Sorts times in place, ascending, and their owners with them; arrivals at one time keep their order. A merge sort from
 * short stretches up that only copies where two stretches are in order already, as they mostly are in an access log.
 */
export function sortArrivals(times: Float64Array, owners: Uint32Array): void {
  for (let start = 0; start < times.length; start += RUN) {
    sortByInsertion(times, owners, start, Math.min(start + RUN, times.length));
  }
  if (times.length <= RUN) return;
  let from: Stretch = { times, owners };
  let to: Stretch = { times: new Float64Array(times.length), owners: new Uint32Array(owners.length) };
  for (let width = RUN; width < times.length; width *= 2) {
    for (let start = 0; start < times.length; start += 2 * width) {
      merge(from, to, start, Math.min(start + width, times.length), Math.min(start + 2 * width, times.length));
    }
    [from, to] = [to, from];
  }
  if (from.times === times) return;
  times.set(from.times);
  owners.set(from.owners);
}

interface Stretch {
  readonly times: Float64Array;
  readonly owners: Uint32Array;
}

function sortByInsertion(times: Float64Array, owners: Uint32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const time = times[i] as number;
    const owner = owners[i] as number;
    let at = i;
    for (; at > start && (times[at - 1] as number) > time; at--) {
      times[at] = times[at - 1] as number;
      owners[at] = owners[at - 1] as number;
    }
    times[at] = time;
    owners[at] = owner;
  }
}

function merge(from: Stretch, to: Stretch, start: number, middle: number, end: number): void {
  if (middle === end || (from.times[middle - 1] as number) <= (from.times[middle] as number)) {
    to.times.set(from.times.subarray(start, end), start);
    to.owners.set(from.owners.subarray(start, end), start);
    return;
  }
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const takeLeft = right === end || (left < middle && (from.times[left] as number) <= (from.times[right] as number));
    const taken = takeLeft ? left++ : right++;
    to.times[at] = from.times[taken] as number;
    to.owners[at] = from.owners[taken] as number;
  }
}
