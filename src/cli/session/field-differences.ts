/** Where two documents differ, field by field. */

/** A field, and what was recorded of it, and what is there now; undefined where there was none. */
export interface Difference {
  /** As in `trials[on, pair 2].calls.ok`. */
  readonly field: string;
  readonly recorded: unknown;
  readonly now: unknown;
}

/** Fields that differ, to the leaves. @param skipped names of fields of the outermost objects that may differ. */
export function fields(
  path: string,
  then: unknown,
  now: unknown,
  skipped: ReadonlySet<string> = new Set(),
): readonly Difference[] {
  if (Object.is(then, now)) return [];
  if (!isObject(then) || !isObject(now) || Array.isArray(then) !== Array.isArray(now)) {
    return [{ field: path, recorded: then, now }];
  }
  const keys = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...keys]
    .filter((key) => !skipped.has(key))
    .flatMap((key) => fields(joined(path, key, Array.isArray(then)), then[key], now[key]));
}

function joined(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
