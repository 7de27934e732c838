/** Numeric options of the policies: one description serves the constructors, the catalogue and the help text. */

/** What a number counts. Options in seconds may be given as a duration (`10s`) where text is read. */
export type OptionUnit = "seconds" | "attempts" | "ratio";

/** A numeric option: its default, its bounds and what it does. */
export interface OptionSpec {
  readonly default: number;
  readonly kind: "number" | "integer";
  /** Smallest allowed value. */
  readonly min: number;
  /** Largest allowed value; `Infinity` means that any finite value is allowed. */
  readonly max: number;
  readonly unit: OptionUnit;
  /** One sentence for a help text. */
  readonly doc: string;
}

/** Number of attempts of one call, retries included: the same meaning in every policy. */
export const maxAttemptsOption: OptionSpec = {
  default: 3,
  kind: "integer",
  min: 1,
  max: Number.POSITIVE_INFINITY,
  unit: "attempts",
  doc: "Attempts of one call, the first included; 1 never retries",
};

/** Whether `value` is a number that `spec` allows. */
export function isAllowed(spec: OptionSpec, value: unknown): value is number {
  const isOfKind = spec.kind === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isOfKind && (value as number) >= spec.min && (value as number) <= spec.max;
}

/** The rule of `spec` in words, such as "a finite number of at least 1". */
export function ruleText(spec: OptionSpec): string {
  if (spec.kind === "integer" && spec.min === 1 && spec.max === Number.POSITIVE_INFINITY) return "a positive integer";
  const noun = spec.kind === "integer" ? "an integer" : "a finite number";
  const subject = spec.unit === "seconds" ? `${noun} of seconds` : noun;
  if (spec.max !== Number.POSITIVE_INFINITY) return `${subject} from ${spec.min} to ${spec.max}`;
  return `${subject}${spec.unit === "seconds" ? "," : " of"} at least ${spec.min}`;
}

/**
 * The value of an option given to a constructor: its default when `undefined`.
 *
 * @param action what fails when the value is wrong, such as "create OverloadClient".
 * @throws {RangeError} when `value` is not what `spec` allows.
 */
export function resolveOption(action: string, name: string, spec: OptionSpec, value: unknown): number {
  if (value === undefined) return spec.default;
  if (isAllowed(spec, value)) return value;
  throw new RangeError(`Cannot ${action} as '${name}' must be ${ruleText(spec)}: current value is ${String(value)}`);
}
