/** Names for elements that others point to; no two of a page are the same. */

export type Ids = (stem: string) => string;

/** @returns gives `stem` the first time it is asked for it, then `stem-2`, `stem-3`, ... */
export function createIds(): Ids {
  const taken = new Map<string, number>();
  return (stem) => {
    const count = (taken.get(stem) ?? 0) + 1;
    taken.set(stem, count);
    return count === 1 ? stem : `${stem}-${count}`;
  };
}
