/** Options of the policies: one description serves the constructors, the catalogue and the help text. */

/** What a number counts. Options in seconds may be given as a duration (`10s`) where text is read. */
export type OptionUnit = "seconds" | "attempts" | "ratio" | "count" | "perSecond";

/** A numeric option: its default, its bounds and what it does. */
export interface NumberSpec {
  readonly default: number;
  readonly kind: "number" | "integer";
  /** Smallest allowed value. */
  readonly min: number;
  /** Largest allowed value; `Infinity` means that any finite value is allowed. */
  readonly max: number;
  readonly unit: OptionUnit;
  /** One sentence for a help text, without a full stop. */
  readonly doc: string;
}

/** An option that takes one of a few words. */
export interface ChoiceSpec {
  readonly default: string;
  readonly kind: "choice";
  readonly choices: readonly string[];
  readonly doc: string;
}

/** An option that takes the name of a header (RFC 9110, 5.6.2); empty means none. */
export interface HeaderNameSpec {
  readonly default: string;
  readonly kind: "headerName";
  readonly doc: string;
}

export type OptionSpec = NumberSpec | ChoiceSpec | HeaderNameSpec;

/** The value of an option. */
export type OptionValue = number | string;

/** Number of attempts of one call, retries included: the same meaning in every policy. */
export const maxAttemptsOption: NumberSpec = {
  default: 3,
  kind: "integer",
  min: 1,
  max: Number.POSITIVE_INFINITY,
  unit: "attempts",
  doc: "Attempts of one call, the first included; 1 never retries",
};

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers that a transport sets itself, or that would break the message: they belong to the connection or the body. */
const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Whether it is a header's name (RFC 9110, 5.6.2) that a request may be given. */
export function isHeaderName(name: string): boolean {
  return HEADER_NAME.test(name) && !FRAMING_HEADERS.has(name.toLowerCase());
}

/** Whether `value` is one that `spec` allows. */
export function isAllowed(spec: NumberSpec, value: unknown): value is number;
export function isAllowed(spec: OptionSpec, value: unknown): value is OptionValue;
export function isAllowed(spec: OptionSpec, value: unknown): value is OptionValue {
  switch (spec.kind) {
    case "choice":
      return typeof value === "string" && spec.choices.includes(value);
    case "headerName":
      return typeof value === "string" && (value === "" || isHeaderName(value));
    case "integer":
      return Number.isSafeInteger(value) && isWithin(spec, value as number);
    case "number":
      return Number.isFinite(value) && isWithin(spec, value as number);
    default:
      return spec satisfies never;
  }
}

function isWithin(spec: NumberSpec, value: number): boolean {
  return value >= spec.min && value <= spec.max;
}

/** The rule of `spec` in words, such as "a finite number of at least 1". */
export function ruleText(spec: OptionSpec): string {
  if (spec.kind === "choice") return `one of ${spec.choices.join(", ")}`;
  if (spec.kind === "headerName") return "the name of a header, not of one that belongs to the connection or the body";
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
export function resolveOption(action: string, name: string, spec: NumberSpec, value: unknown): number {
  if (value === undefined) return spec.default;
  if (isAllowed(spec, value)) return value;
  throw new RangeError(`Cannot ${action} as '${name}' must be ${ruleText(spec)}: current value is ${String(value)}`);
}

/** The same for all options of a part at once. @throws {RangeError} */
export function resolveOptions<const Specs extends Readonly<Record<string, NumberSpec>>>(
  action: string,
  specs: Specs,
  given: { readonly [Name in keyof Specs]?: number | undefined },
): { readonly [Name in keyof Specs]: number } {
  const resolved: Record<string, number> = {};
  for (const [name, spec] of Object.entries(specs)) resolved[name] = resolveOption(action, name, spec, given[name]);
  return resolved as { readonly [Name in keyof Specs]: number };
}
