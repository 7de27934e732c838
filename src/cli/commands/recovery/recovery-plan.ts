/** From the flags of `recovery` to its arms, its trigger and the load flags of its trials. */

import type { Command } from "commander";
import { type RecoveryTimes, triggerScript } from "../../../experiment/recovery-specs.ts";
import type { Trigger } from "../../../experiment/recovery-trigger.ts";
import { formatDuration } from "../../../plan/units.ts";
import { resolvePolicy } from "../../../policy/catalogue.ts";
import { traitsOf } from "../../../policy/lint/lint.ts";
import { CliError } from "../../cli-error.ts";
import { agedFor } from "../../flags/age-option.ts";
import { chosenArm, type PlannedArm, planArm, presetArm } from "../../flags/arm-policy.ts";
import type { LoadFlags } from "../../flags/load-options.ts";
import type { Host } from "../../host.ts";
import { AGE_SECONDS, BUILT_IN, type RecoveryFlags, TIMEOUT_SECONDS } from "./recovery-options.ts";

/** Of both policies, so that what they do in the default trial shows within its horizon. */
const DEFAULT_WINDOW_SECONDS = 10;
const DEFAULT_TRIGGER: Trigger = { kind: "slowdown", factor: 0.05, seconds: 3 };
const DEFAULT_HOOK_TRIGGER: Trigger = { kind: "hook", seconds: 10 };
const POLICY_FLAGS = ["policy", "k", "window", "scope"] as const;

export interface RecoverySetup extends RecoveryTimes {
  readonly arms: readonly PlannedArm[];
  /** Those of the trials. */
  readonly flags: LoadFlags;
  readonly hook: string | undefined;
}

/** @throws CliError */
export async function planRecoveryRun(host: Host, asked: Command, flags: RecoveryFlags): Promise<RecoverySetup> {
  const { settle: settleSeconds, horizon: horizonSeconds, hook } = flags;
  const trigger = triggerOf(flags);
  if (flags.within > horizonSeconds && isGiven(asked, "within")) {
    throw new CliError(
      `--within must be at most --horizon (${formatDuration(horizonSeconds)}), as what is later was not looked at: current value is "${formatDuration(flags.within)}"`,
    );
  }
  const arms = await armsOf(host, asked, flags);
  const isBuiltIn = flags.url === undefined && flags.sim === undefined;
  const script = hook === undefined ? triggerScript({ trigger, settleSeconds }) : [];
  const { target, rps } = flags;
  return {
    trigger,
    settleSeconds,
    horizonSeconds,
    hook,
    arms,
    flags: {
      ...flags,
      policy: flags.policy ?? { name: "none", options: {} },
      timeout: flags.timeout ?? (isBuiltIn ? BUILT_IN.timeoutSeconds : TIMEOUT_SECONDS),
      ...(isBuiltIn ? { target: target ?? BUILT_IN.target } : {}),
      ...(isBuiltIn && target === undefined && rps === undefined && flags.governor === undefined
        ? { rps: BUILT_IN.rps }
        : {}),
      ...(script.length === 0 ? {} : { script }),
      age: ageOf(flags, asked, arms),
    },
  };
}

function isGiven(asked: Command, name: string): boolean {
  return (asked.getOptionValueSource(name) ?? "default") !== "default";
}

/** Checked with the world in which it is to come about. @throws CliError */
function triggerOf({ trigger, hook, url, sim, stats }: RecoveryFlags): Trigger {
  if (hook !== undefined) return hookTrigger(trigger ?? DEFAULT_HOOK_TRIGGER, hook, sim !== undefined);
  const { kind } = trigger ?? DEFAULT_TRIGGER;
  if (kind === "hook") throw new CliError("--trigger hook is what --hook does: it needs --hook <command>");
  if (kind === "spike") return trigger ?? DEFAULT_TRIGGER;
  if (url !== undefined) {
    throw new CliError(
      `A target of your own cannot be told of --trigger ${kind}: bring it about with --hook, or use --trigger spike=4:5s`,
    );
  }
  if (sim === undefined && !stats) {
    throw new CliError(`--no-stats excludes --trigger ${kind}: the target is told of it where its counters are`);
  }
  return trigger ?? DEFAULT_TRIGGER;
}

function hookTrigger(trigger: Trigger, hook: string, isSimulated: boolean): Trigger {
  if (isSimulated) throw new CliError("--hook is for real targets: with --sim the model does what --trigger says");
  if (hook.trim() === "") throw new CliError(`--hook must be a command: current value is "${hook}"`);
  if (trigger.kind === "hook" || trigger.kind === "outage") return trigger;
  throw new CliError(
    `--hook does what it does: its trigger is hook:10s, or outage:10s where it makes one, not ${trigger.kind}`,
  );
}

/** @throws CliError */
async function armsOf(host: Host, asked: Command, flags: RecoveryFlags): Promise<readonly PlannedArm[]> {
  const said = POLICY_FLAGS.filter((name) => isGiven(asked, name));
  const [first] = said;
  if (flags.arm !== undefined) {
    if (first !== undefined) {
      throw new CliError(
        `--arm says what policy each arm has, so it excludes --${first}: write on:policy=sre,k=2,window=10`,
      );
    }
    const arms: PlannedArm[] = [];
    for (const choice of flags.arm) arms.push(await chosenArm(host, choice));
    return arms;
  }
  if (first === undefined) return defaultArms();
  return [await planArm(host, { ...flags, policy: flags.policy ?? { name: "sre", options: {} } })];
}

function defaultArms(): readonly PlannedArm[] {
  const window = DEFAULT_WINDOW_SECONDS;
  return [
    presetArm("retries", resolvePolicy("retry")),
    presetArm("budget", resolvePolicy("sre-budget", { window })),
    presetArm("throttle", resolvePolicy("sre", { window })),
  ];
}

/** Where the flags do not say: as much past as fills every window. */
function ageOf({ age }: RecoveryFlags, asked: Command, arms: readonly PlannedArm[]): NonNullable<LoadFlags["age"]> {
  if (age !== undefined && isGiven(asked, "age")) return age;
  const windows = arms.map(({ resolved }) => traitsOf(resolved).window?.seconds ?? 0);
  return agedFor(Math.max(AGE_SECONDS, ...windows));
}
