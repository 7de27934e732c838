/** Too few calls for a policy to act, or to act by anything but chance, and too short a run to see it full, or settled. */

import type { ResolvedPolicy } from "../catalogue.ts";
import type { VolumeTrait, WindowTrait } from "./policy-traits.ts";
import { by, oneOf, setting, withFewerClients } from "./remedy.ts";
import { agedSeconds, type LoadFacts, perClient, ranSeconds, short, type Warning } from "./warning.ts";

/** Calls in a window below which its shares are mostly chance: the standard error of a half is then above 0.11. */
const WINDOW_CALLS_MIN = 20;
/** Windows after which the counts of a throttle have settled. */
const WINDOWS_MIN = 5;

const MORE_CALLS = "offer more calls a second";

/** What a policy that does nothing decides by is of no interest. */
export function windowWarnings(
  policy: ResolvedPolicy,
  window: WindowTrait | undefined,
  volume: VolumeTrait | undefined,
  load: LoadFacts,
): readonly Warning[] {
  const idle = volume === undefined ? [] : neverActs(policy, volume, load);
  if (window === undefined) return idle;
  const sparse = idle.length === 0 && window.decidesByShare ? sparseWindow(policy, window, load) : [];
  const cold = coldClients(policy, window, load);
  return [...idle, ...sparse, ...(cold.length > 0 ? cold : fewWindows(policy, window, load))];
}

function neverActs(policy: ResolvedPolicy, volume: VolumeTrait, load: LoadFacts): Warning[] {
  const { option, callsPerUnit } = volume;
  const seconds = volume.seconds ?? ranSeconds(load);
  const calls = perClient(load) * seconds;
  // Retries count as attempts do.
  const attempts = calls * Math.max(1, policy.own.maxAttempts ?? 1);
  if (attempts >= volume.calls) return [];
  // Half of what is expected comes about always, and 0 can mean the default.
  const wanted = attempts / 2 / callsPerUnit;
  const lower = wanted > 0 ? setting(policy, option, wanted, "down") : undefined;
  const span = volume.seconds === undefined ? "the whole run" : `${short(seconds)} s`;
  const retries = attempts > calls ? ` and ${short(attempts - calls)} retries at most` : "";
  return [
    {
      code: "never-acts",
      message: `A client makes ${short(calls)} calls${retries} in ${span}, and below ${short(volume.calls)} the policy does nothing (${option})`,
      hint: oneOf(by("lower that", lower), ...withFewerClients(policy, load), MORE_CALLS),
      figure: attempts,
      limit: volume.calls,
    },
  ];
}

function sparseWindow(policy: ResolvedPolicy, { seconds, option }: WindowTrait, load: LoadFacts): Warning[] {
  const calls = seconds * perClient(load);
  if (calls >= WINDOW_CALLS_MIN) return [];
  const longer = setting(policy, option, WINDOW_CALLS_MIN / perClient(load), "up");
  return [
    {
      code: "sparse-window",
      message: `A client makes ${short(calls)} calls in the policy's window of ${seconds} s: its ratios are mostly chance`,
      hint: oneOf(by("lengthen the window", longer), ...withFewerClients(policy, load), MORE_CALLS),
      figure: calls,
      limit: WINDOW_CALLS_MIN,
    },
  ];
}

/**
 * The window never is full, and holds nothing but the run: clients in production react later. Of an option called `window` the
 * trial itself says so.
 */
function coldClients(policy: ResolvedPolicy, { seconds, option }: WindowTrait, load: LoadFacts): Warning[] {
  const ran = ranSeconds(load);
  if (option === "window" || agedSeconds(load) > 0 || ran >= seconds) return [];
  return [
    {
      code: "cold-clients",
      message: `The run is shorter than the policy's window of ${seconds} s (${option}), and its clients are cold: they react earlier than clients with a past`,
      hint: oneOf(
        `age them (--age ${Math.ceil(seconds)}s)`,
        longer(seconds),
        by("scale the window down", setting(policy, option, ran / WINDOWS_MIN, "down")),
      ),
      figure: ran,
      limit: seconds,
    },
  ];
}

/** A past does not count: it was healthy, where what a steady state is of may be an overload. */
function fewWindows(policy: ResolvedPolicy, { seconds, option }: WindowTrait, load: LoadFacts): Warning[] {
  const ran = ranSeconds(load);
  const enough = WINDOWS_MIN * seconds;
  if (ran >= enough) return [];
  const shorter = setting(policy, option, ran / WINDOWS_MIN, "down");
  return [
    {
      code: "few-windows",
      message: `The run lasts ${short(ran / seconds)} of the policy's windows of ${seconds} s: what it shows is the start, not the steady state`,
      hint: oneOf(longer(seconds), by("scale the window down", shorter)),
      figure: ran,
      limit: enough,
    },
  ];
}

function longer(windowSeconds: number): string {
  return `run for ${Math.ceil(WINDOWS_MIN * windowSeconds)} s (--warmup counts)`;
}
