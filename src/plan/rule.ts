/** @throws RangeError with the rule and the value, unless `holds`. */
export function check(holds: boolean, rule: string, value: number | string): void {
  if (holds) return;
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new RangeError(`Cannot plan as ${rule}: current value is ${shown}`);
}
