/** What somebody may have meant who wrote a name that there is not. */

const SUGGESTIONS_MAX = 3;

/** The names nearest to `word`, the nearest first: those that start with it or contain it, and those a few letters away. */
export function nearestNames(word: string, names: readonly string[]): readonly string[] {
  const asked = word.toLowerCase();
  const near = Math.max(1, Math.floor(asked.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, distance: distanceOf(asked, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= near)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
}

function distanceOf(asked: string, name: string): number {
  if (asked !== "" && name.startsWith(asked)) return 0;
  if (asked.length > 2 && name.includes(asked)) return 1;
  return editDistance(asked, name);
}

/** Letters to insert, delete or replace, and neighbours to swap (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const above = rows[row - 1] as number[];
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwapped ? (rows[row - 2]?.[column - 2] as number) + 1 : Number.POSITIVE_INFINITY;
      const replaced = (above[column - 1] as number) + (isSame ? 0 : 1);
      line.push(Math.min(replaced, swapped, (above[column] as number) + 1, (line[column - 1] as number) + 1));
    }
    rows.push(line);
  }
  return rows[a.length]?.[b.length] as number;
}

/** A part of a message: `: did you mean 'a' or 'b'?`; empty where nothing is near. */
export function didYouMean(word: string, names: readonly string[]): string {
  const near = nearestNames(word, names).map((name) => `'${name}'`);
  const last = near.pop();
  if (last === undefined) return "";
  return `: did you mean ${near.length === 0 ? last : `${near.join(", ")} or ${last}`}?`;
}
