/** What a hint proposes: only what the command line takes as it stands there. */

import type { ResolvedPolicy } from "../catalogue.ts";
import { isAllowed, type NumberSpec } from "../option.ts";
import type { Random } from "../policy.ts";
import type { LoadFacts } from "./warning.ts";

const NO_CHANCE: Random = { random: () => 0 };

/** Whether a figure of three digits must not exceed what is wanted, or must reach it. */
export type Rounding = "down" | "up";

/** `(--policy polly,samplingDuration=2s)`; undefined where the option, or the others beside it, do not go with the value. */
export function setting(
  policy: ResolvedPolicy,
  option: string,
  wanted: number,
  rounding: Rounding,
): string | undefined {
  const { name, preset } = policy;
  const spec = preset.options[option];
  if (spec === undefined) return undefined;
  const value = rounded(spec, wanted, rounding);
  if (!isAllowed(spec, value) || !canBeMade(policy, option, value)) return undefined;
  return `(--policy ${name},${option}=${value}${spec.unit === "seconds" ? "s" : ""})`;
}

/** `Do this, do that, or the third`, of those that there are. */
export function oneOf(...remedies: readonly (string | undefined)[]): string {
  const all = remedies.filter((remedy) => remedy !== undefined);
  const last = all.length > 1 ? [`or ${all.at(-1)}`] : all.slice(-1);
  const text = [...all.slice(0, -1), ...last].join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With a setting if there is one, without it otherwise. */
export function perhapsBy(what: string, how: string | undefined): string {
  return by(what, how) ?? what;
}

/** With a setting, and only if there is one. */
export function by(what: string, how: string | undefined): string | undefined {
  return how === undefined ? undefined : `${what} ${how}`;
}

/** How a client comes to more calls, where there are clients to put together. */
export function withFewerClients({ options }: ResolvedPolicy, { clients }: LoadFacts): readonly string[] {
  if (clients < 2) return [];
  if (options.scope === "process") return ["take one worker (--workers 1)"];
  return ["take fewer virtual users", "share the policy among them (--scope process)"];
}

function canBeMade({ preset, own }: ResolvedPolicy, option: string, value: number): boolean {
  try {
    preset.create({ ...own, [option]: value })({ now: () => 0 }, NO_CHANCE, NO_CHANCE);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function rounded({ kind }: NumberSpec, wanted: number, rounding: Rounding): number {
  const value = threeDigits(wanted, rounding);
  if (kind === "number") return value;
  return rounding === "down" ? Math.floor(value) : Math.ceil(value);
}

function threeDigits(value: number, rounding: Rounding): number {
  const nearest = Number(value.toPrecision(3));
  if (rounding === "down" ? !(nearest > value) : !(nearest < value)) return nearest;
  const [digits, exponent] = value.toExponential(2).split("e");
  const moved = Number(digits) + (rounding === "down" ? -0.01 : 0.01);
  return Number(`${moved.toFixed(2)}e${exponent}`);
}
