/** From the lists of a sweep to its cells: every combination of values, each an arm with what it has of its own. */

import { isDeepStrictEqual } from "node:util";
import type { ArmOwn } from "../../../experiment/experiment.ts";
import { traitsOf } from "../../../policy/lint/lint.ts";
import { modifierOptions } from "../../../policy/modifier/modifiers.ts";
import type { Sweep } from "../../../result/sweep-schema.ts";
import { CliError } from "../../cli-error.ts";
import { type PlannedArm, planArm } from "../../flags/arm-policy.ts";
import { resolvePlan } from "../../flags/arrival-options.ts";
import { type CapacityRate, isMultiple, type RpsFlag, rpsAt } from "../../flags/capacity-rate.ts";
import { positiveDuration, positiveNumber } from "../../flags/flag-values.ts";
import type { LoadFlags } from "../../flags/load-options.ts";
import type { PolicyChoice } from "../../flags/policy-flag.ts";
import { type Listed, parseList } from "../../flags/value-list.ts";
import type { Host } from "../../host.ts";
import { UNKNOWN_RPS } from "../../session/capacity-loads.ts";
import { checkFlags } from "../../session/resolve.ts";
import { DEFAULT_K, DEFAULT_SECONDS, DEFAULT_WINDOW, type SweepFlags } from "./sweep-options.ts";

/** More than this many are no question that one answer follows from, and hours of trials. */
const CELLS_MAX = 200;

/** Axes that have a flag of their own. */
const OWN_LISTS: ReadonlySet<string> = new Set(["k", "window", "timeout", "rps", "vus"]);

const DEFAULT_POLICY: readonly Listed<PolicyChoice>[] = [{ text: "sre", value: { name: "sre", options: {} } }];

/** A value of each axis, by the axis' name. */
type Point = Readonly<Record<string, string>>;

export interface SweepPlan {
  readonly arms: readonly PlannedArm[];
  readonly axes: Sweep["axes"];
  readonly cells: Sweep["cells"];
  /** Which axes do not concern which policies, one sentence each. */
  readonly remarks: readonly string[];
  /** The flags of the first cell: those of all cells where these do not differ. */
  readonly flags: LoadFlags;
  /** By the cell's arm, where its load is a multiple of the capacity. */
  readonly multiples: ReadonlyMap<string, CapacityRate>;
}

/** An option of the policies, and what it is to be. */
interface OptionAxis {
  readonly name: string;
  readonly flag: string;
  readonly values: readonly Listed<string | number>[];
  /** What joins the flag to one of its values. */
  readonly joint: " " | "=";
}

/** A policy as it was named, and what it can be told. */
interface KnownPolicy {
  readonly text: string;
  readonly choice: PolicyChoice;
  /** Whether a list may set the option: what a policy was given where it was named, no list takes from it. */
  readonly takes: (option: string) => boolean;
}

/**
 * The cells in the order in which the flags name the values, loads outermost.
 *
 * @param capacityRps of which loads are multiples; default: it is not known yet.
 * @throws CliError
 */
export async function planSweep(host: Host, flags: SweepFlags, capacityRps = UNKNOWN_RPS): Promise<SweepPlan> {
  const policies = await knownPolicies(host, flags);
  const options = optionAxes(flags);
  const remarks = checkOptions(policies, options);
  const loads = loadsOf(flags, capacityRps);
  const { timeout } = flags;
  const own = policies.map((policy) => cellsOf(policy, options));
  const count = loads.length * timeout.length * own.reduce((sum, { length }) => sum + length, 0);
  if (count > CELLS_MAX) {
    throw new CliError(
      `A sweep has at most ${CELLS_MAX} cells, and this one ${count}: give fewer values, or several sweeps`,
    );
  }
  if (count === 1) {
    throw new CliError("A sweep needs a list of something, such as --k 1.1,1.5,2 (overload-bench sweep --help)");
  }
  const isAxis = axisTest(flags, policies, options);
  const arms: PlannedArm[] = [];
  const cells: Sweep["cells"] = [];
  const multiples = new Map<string, CapacityRate>();
  for (const load of loads) {
    const its: LoadFlags = { ...single(flags), ...load.flags };
    checkFlags(its, flags.repeats);
    const plan = await resolvePlan(host, its);
    for (const [index, policy] of policies.entries()) {
      for (const chosen of own[index] ?? []) {
        for (const { text, value } of timeout) {
          const all: Point = { policy: policy.text, ...textsOf(chosen), timeout: text, ...load.point };
          const point = Object.fromEntries(Object.entries(all).filter(([name]) => isAxis(name)));
          const arm = await armOf(host, flags, policy, chosen, nameOf(point), {
            ...(loads.length > 1 ? { plan } : {}),
            ...(timeout.length > 1 ? { timeoutSeconds: value } : {}),
          });
          const twin = arms.find((other) => isDeepStrictEqual(doneBy(other), doneBy(arm)));
          if (twin !== undefined)
            throw new CliError(`Cells '${twin.name}' and '${arm.name}' are the same: name it once`);
          arms.push(arm);
          if (isMultiple(load.rate)) multiples.set(arm.name, load.rate);
          cells.push({ arm: arm.name, point, ...factsOf(arm) });
        }
      }
    }
  }
  return {
    arms,
    axes: axesOf(flags, policies, options),
    cells,
    remarks,
    flags: { ...single(flags), ...loads[0]?.flags },
    multiples,
  };
}

/** One value of each flag, for what all cells share, but for the rate. */
function single(flags: SweepFlags): LoadFlags {
  const { policy, k: _k, window: _window, rps: _rps, governor: _governor, vus, timeout, ...rest } = flags;
  const [choice] = policy ?? DEFAULT_POLICY;
  const duration =
    flags.duration ?? (flags.stages === undefined && flags.replay === undefined ? DEFAULT_SECONDS : undefined);
  return {
    ...rest,
    policy: choice?.value as PolicyChoice,
    timeout: timeout[0]?.value as number,
    vus: vus[0]?.value as number,
    ...(duration === undefined ? {} : { duration }),
  };
}

async function knownPolicies(host: Host, flags: SweepFlags): Promise<readonly KnownPolicy[]> {
  const policies: KnownPolicy[] = [];
  for (const { text, value: choice } of flags.policy ?? DEFAULT_POLICY) {
    const { resolved } = await planArm(host, { ...single(flags), policy: choice });
    const has = (option: string): boolean =>
      Object.hasOwn(resolved.preset.options, option) || Object.hasOwn(modifierOptions, option);
    policies.push({ text, choice, takes: (option) => has(option) && !Object.hasOwn(choice.options, option) });
  }
  return policies;
}

function optionAxes(flags: SweepFlags): readonly OptionAxis[] {
  const { policy, vary, url, sim } = flags;
  const unnamed = policy === undefined;
  const k = flags.k ?? (unnamed ? parseList(DEFAULT_K, positiveNumber) : undefined);
  const isBuiltIn = url === undefined && sim === undefined;
  const window = flags.window ?? (unnamed && isBuiltIn ? parseList(DEFAULT_WINDOW, positiveDuration) : undefined);
  for (const { option } of vary) {
    if (OWN_LISTS.has(option)) throw new CliError(`--vary ${option} is written --${option}`);
  }
  return [
    ...(k === undefined ? [] : [{ name: "k", flag: "--k", joint: " " as const, values: k }]),
    ...(window === undefined ? [] : [{ name: "window", flag: "--window", joint: " " as const, values: window }]),
    ...vary.map(({ option, values }) => ({ name: option, flag: `--vary ${option}`, joint: "=" as const, values })),
  ];
}

/** @returns what is to be said of policies that lack an option. @throws CliError when none has it. */
function checkOptions(policies: readonly KnownPolicy[], options: readonly OptionAxis[]): readonly string[] {
  return options.flatMap(({ name, flag }) => {
    const without = policies.filter(({ takes }) => !takes(name));
    if (without.length === policies.length) {
      const who = policies.length === 1 ? `Policy '${policies[0]?.text}' has no` : "None of the policies has an";
      throw new CliError(`${flag}: ${who} option '${name}' to vary (overload-bench policies NAME tells all)`);
    }
    return without.map(({ text, choice }) =>
      Object.hasOwn(choice.options, name)
        ? `${text} keeps the ${name} that it was given: it has no cells for other values.`
        : `${text} has no option ${name}: it has one cell where others have one for each value.`,
    );
  });
}

/** One combination: an option axis and a value of it, each. */
type Chosen = readonly (readonly [OptionAxis, Listed<string | number>])[];

function cellsOf({ takes }: KnownPolicy, options: readonly OptionAxis[]): readonly Chosen[] {
  return options
    .filter(({ name }) => takes(name))
    .reduce<readonly Chosen[]>(
      (chosen, axis) => chosen.flatMap((before) => axis.values.map((value) => [...before, [axis, value] as const])),
      [[]],
    );
}

function textsOf(chosen: Chosen): Point {
  return Object.fromEntries(chosen.map(([{ name }, { text }]) => [name, text]));
}

interface SweptLoad {
  /** As it was asked for. */
  readonly rate: RpsFlag | undefined;
  readonly flags: Partial<LoadFlags>;
  readonly point: Point;
}

/** The loads: products of rates and users, with the flags that make each. */
function loadsOf({ rps, vus }: SweepFlags, capacityRps: number): readonly SweptLoad[] {
  const rates = rps ?? [undefined];
  return rates.flatMap((rate) =>
    vus.map((users) => ({
      rate: rate?.value,
      flags: { vus: users.value, ...(rate === undefined ? {} : { rps: rpsAt(rate.value, capacityRps) }) },
      point: { ...(rate === undefined ? {} : { rps: rate.text }), vus: users.text },
    })),
  );
}

async function armOf(
  host: Host,
  flags: SweepFlags,
  { choice }: KnownPolicy,
  chosen: Chosen,
  name: string,
  own: ArmOwn,
): Promise<PlannedArm> {
  const given = chosen.map(([axis, { value }]) => [axis.name, String(value)] as const);
  // Written without a unit, an option in seconds is one.
  const policy = {
    ...choice,
    options: { ...choice.options, ...Object.fromEntries(given) },
    // The policy itself has been tried: what it refuses is one of these values.
    ...(chosen.length === 0 ? {} : { origin: chosen.map(writtenAs).join(" ") }),
  };
  const arm = await planArm(host, { ...single(flags), policy }, name);
  return Object.keys(own).length === 0 ? arm : { ...arm, own };
}

/** What an arm does, whatever it is called. */
function doneBy({ policy, own }: PlannedArm): object {
  return { policy, own };
}

function writtenAs([{ flag, joint }, { text }]: Chosen[number]): string {
  return `${flag}${joint}${text}`;
}

/** What the closed form and the choice between equals need to know of an arm. */
function factsOf({ resolved }: PlannedArm): Pick<Sweep["cells"][number], "k" | "changes"> {
  const { throttle } = traitsOf(resolved);
  const { own, options, preset } = resolved;
  const modified = Object.keys(options).length - Object.keys(own).length;
  const changed = Object.entries(own).filter(([name, value]) => value !== preset.options[name]?.default).length;
  const isCapped = throttle?.cap !== undefined && throttle.cap.probability < 1;
  const isCounting = throttle?.countsLocal === true && !isCapped && throttle.forcesPasses !== true;
  return { ...(isCounting ? { k: throttle.k.k } : {}), changes: changed + modified };
}

/** Which of the names in a point are axes: those of more than one value. */
function axisTest(
  flags: SweepFlags,
  policies: readonly KnownPolicy[],
  options: readonly OptionAxis[],
): (name: string) => boolean {
  const names = new Set(axesOf(flags, policies, options).map(({ name }) => name));
  return (name) => names.has(name);
}

function axesOf(flags: SweepFlags, policies: readonly KnownPolicy[], options: readonly OptionAxis[]): Sweep["axes"] {
  const texts = (values: readonly { readonly text: string }[]): string[] => values.map(({ text }) => text);
  const axes: Sweep["axes"] = [
    { name: "policy", of: "policy", values: texts(policies) },
    ...options.map(({ name, values }) => ({ name, of: "policy" as const, values: texts(values) })),
    { name: "timeout", of: "policy", values: texts(flags.timeout) },
    { name: "rps", of: "load", values: texts(flags.rps ?? []) },
    { name: "vus", of: "load", values: texts(flags.vus) },
  ];
  return axes.filter(({ values }) => values.length > 1);
}

/** `sre k=1.1 rps=500` */
function nameOf(point: Point): string {
  return Object.entries(point)
    .map(([name, value]) => (name === "policy" ? value : `${name}=${value}`))
    .join(" ");
}
