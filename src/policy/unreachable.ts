/** For the default of a switch that has a case for everything: a compile error when one is missing, and an error if it is reached. */
export function unreachable(value: never): never {
  throw new Error(`Unknown kind: ${String(value)}`);
}
