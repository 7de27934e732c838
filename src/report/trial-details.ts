/** The lower part of the text of one trial: what each party to it did, a line for each. */

import { formatCount, formatMs, formatNumber, formatPercent, formatSeconds, NONE } from "../figures/number-format.ts";
import { cpuRejectRatio, fairness, targetBusyRatio } from "../figures/trial-figures.ts";
import type { TrialResult } from "../result/schema.ts";
import { wrap } from "./wrap.ts";

type Generator = NonNullable<TrialResult["generator"]>;

/** Shorter stalls are what collectors do, and shorter waits what any machine has. */
const STALL_SHOWN_MS = 50;
const WAIT_SHOWN = 0.01;

/** One line or more for each party that the trial knows about. */
export function detailLines(trial: TrialResult): string[] {
  const details: readonly (readonly [string, string | undefined])[] = [
    ["Target", targetText(trial)],
    ["Generator", generatorText(trial)],
    ["Gaps", gapsText(trial)],
    ["Sentinel", sentinelText(trial)],
    ["Connections", connectionsText(trial)],
    ["Users", usersText(trial)],
    ["Past", pastText(trial)],
    ["Criticality", criticalityText(trial)],
    ["Statuses", tally(trial.statuses)],
    ["Errors", tally(trial.errors)],
  ];
  return details.flatMap(([label, text]) => (text === undefined ? [] : wrap(text, label.padEnd(13))));
}

function criticalityText({ criticality }: TrialResult): string | undefined {
  return criticality
    ?.map(
      ({ class: name, planned, ok }) => `${formatPercent(ok / planned)} of ${formatCount(planned)} ${name} calls ok`,
    )
    .join(", ");
}

function targetText(trial: TrialResult): string | undefined {
  if (trial.target === undefined) return undefined;
  const { queueMax, abandoned } = trial.target;
  const busy = targetBusyRatio(trial);
  const rejecting = cpuRejectRatio(trial);
  return [
    ...(busy === undefined ? [] : [`${formatPercent(busy)} of a core busy`]),
    ...(rejecting === undefined ? [] : [`${formatPercent(rejecting)} of its request CPU spent on rejections`]),
    `queue at most ${formatCount(queueMax)}`,
    ...(abandoned === 0 ? [] : [`${formatCount(abandoned)} given up by their clients before their turn`]),
  ].join(", ");
}

function generatorText(trial: TrialResult): string | undefined {
  if (trial.generator === undefined) return undefined;
  const { cpuSeconds, wallSeconds, workers, inFlightMax, stealRatio, stallMaxMs } = trial.generator;
  return [
    ...(workers === 1 ? [] : [`${formatCount(workers)} workers`]),
    `${wallSeconds === 0 ? NONE : formatPercent(cpuSeconds / wallSeconds)} of a core busy`,
    ...threadText(trial.generator),
    `lateness p99 ${formatMs(trial.latency.lateness.p99Ms)}`,
    ...(stallMaxMs < STALL_SHOWN_MS ? [] : [`longest stall ${formatMs(stallMaxMs)}`]),
    ...lateText(trial.late),
    `at most ${formatCount(inFlightMax)} in flight`,
    ...(stealRatio === 0 ? [] : [`${formatPercent(stealRatio)} of the machine's CPU taken by its host`]),
  ].join(", ");
}

/** Of the busiest and of the worst worker where there are several. */
function threadText({ busyRatio, waitRatio = 0, throttledRatio = 0 }: Generator): string[] {
  return [
    ...(busyRatio === undefined
      ? []
      : [`its thread computes ${formatPercent(busyRatio)} of the time, idle spinning left out`]),
    ...(waitRatio < WAIT_SHOWN ? [] : [`waits for a processor ${formatPercent(waitRatio)} of it`]),
    ...(throttledRatio === 0 ? [] : [`held back by a CPU limit ${formatPercent(throttledRatio)} of the time`]),
  ];
}

/** How the calls went out, beside how the plan had them. */
function gapsText(trial: TrialResult): string | undefined {
  const gaps = trial.generator?.gaps;
  if (gaps === undefined || gaps.count === 0) return undefined;
  const { count, calls, cv, plannedCv, jitter, distance, law } = gaps;
  return [
    `${formatCount(count)} ${calls === 1 ? "between calls" : `over ${formatCount(calls)} calls each`}`,
    `CV ${formatNumber(cv)} (planned ${formatNumber(roundOff(plannedCv))})`,
    `jitter ${formatNumber(jitter)} mean gaps`,
    law === undefined
      ? `${formatPercent(distance)} not as planned`
      : `${formatPercent(law.distance)} off the Poisson law`,
  ].join(", ");
}

/** Even gaps come out of their plan with the rounding of their times. */
function roundOff(variation: number): number {
  return variation < 1e-6 ? 0 : variation;
}

function sentinelText(trial: TrialResult): string | undefined {
  const sentinel = trial.generator?.sentinel;
  if (sentinel === undefined || sentinel.planned === 0) return undefined;
  const { planned, ok, response } = sentinel;
  return [
    `${formatCount(planned)} probes of a null server`,
    ...(ok === planned ? [] : [`${formatCount(planned - ok)} not answered`]),
    ...(ok === 0
      ? []
      : [`p50 ${formatMs(response.p50Ms)}`, `p90 ${formatMs(response.p90Ms)}`, `max ${formatMs(response.maxMs)}`]),
  ].join(", ");
}

function lateText({ boundMs, sent, dropped }: TrialResult["late"]): string[] {
  return [
    ...(sent === 0 ? [] : [`${formatCount(sent)} calls sent over ${formatMs(boundMs)} late`]),
    ...(dropped === 0 ? [] : [`${formatCount(dropped)} dropped for being over ${formatMs(boundMs)} late`]),
  ];
}

const PROTOCOLS: Readonly<Record<NonNullable<TrialResult["transport"]>, string>> = {
  wire: "HTTP/1.1 by wire",
  undici: "HTTP/1.1 by undici",
  http2: "HTTP/2",
};

function connectionsText(trial: TrialResult): string | undefined {
  if (trial.connections === undefined) return undefined;
  const { opened, failed, preopened, peak, closedByPeer, reused, stale, resumed = 0, addresses } = trial.connections;
  const places = Object.keys(addresses).length;
  const some = (count: number, what: string): string[] => (count === 0 ? [] : [`${formatCount(count)} ${what}`]);
  return [
    ...(trial.transport === undefined ? [] : [PROTOCOLS[trial.transport]]),
    `${formatCount(opened)} opened`,
    ...some(preopened, "of them before the start"),
    ...some(resumed, "of them resumed a TLS session"),
    ...(places > 1 ? [`to ${formatCount(places)} addresses`] : []),
    ...some(failed, "failed"),
    `at most ${formatCount(peak)} at once`,
    ...some(reused, "requests on a used one"),
    ...some(closedByPeer, "closed by the target"),
    ...some(stale, "found stale"),
  ].join(", ");
}

function usersText(trial: TrialResult): string {
  if (trial.users === undefined) return "not known: the trial was recovered from its journal";
  const { active, okMin, okMax } = trial.users;
  const jain = fairness(trial);
  if (jain === undefined) return `${formatCount(active)} active, none with an ok call`;
  return `${formatCount(active)} active, ${formatCount(okMin)} to ${formatCount(okMax)} ok calls each, fairness (Jain) ${formatNumber(jain)}`;
}

/** The past that the clients were given; undefined: none. */
export function pastText({ age }: Pick<TrialResult, "age">): string | undefined {
  if (age === undefined) return undefined;
  const { seconds, calls, throttled } = age;
  const refused = throttled === 0 ? "none" : formatCount(throttled);
  return `${formatSeconds(seconds)} of healthy traffic before the trial, simulated: ${formatCount(calls)} calls, ${refused} refused by the policy`;
}

/** Most frequent first; undefined where there is none. */
function tally(counts: Readonly<Record<string, number>>): string | undefined {
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (entries.length === 0) return undefined;
  return entries.map(([name, count]) => `${name}: ${formatCount(count)}`).join("; ");
}
