/** What a plan may be asked for. */

import { ARRIVAL_LAWS } from "./arrivals.ts";
import type { ArrivalSpec, BurstyArrivalSpec, RateSpec, ReplaySpec, SineRateSpec, Stage } from "./load.ts";
import { averageRps, firstRps, highestRps } from "./load-rate.ts";
import type { PlanSpec } from "./plan.ts";
import { check } from "./rule.ts";
import { stagesSeconds } from "./staged-rate.ts";

const RPS_MAX = 1_000_000;
const SECONDS_MAX = 1_000_000_000;
const USERS_MAX = 10_000_000;
const STAGES_MAX = 10_000;
/** Sums of lengths that were added in another order may differ by this much of themselves. */
const ROUNDING = 1e-12;
/** Walking a plan takes time for each burst: a lower bound on their length, and an upper one on their number per arrival. */
const BURST_SECONDS_MIN = 0.001;
const BURSTS_PER_ARRIVAL_MAX = 10_000;

const RATE_KINDS = ["constant", "stages", "sine"] as const satisfies RateSpec["kind"][];

/** @throws RangeError when a field of `spec` is out of its range. */
export function checkPlan(spec: PlanSpec): void {
  const { seed, arrival, warmupSeconds, durationSeconds, users } = spec;
  check(Number.isSafeInteger(seed) && seed >= 0, "'seed' must be a non-negative safe integer", seed);
  check(
    durationSeconds > 0 && durationSeconds <= SECONDS_MAX,
    `'durationSeconds' must be a number above 0 and at most ${SECONDS_MAX}`,
    durationSeconds,
  );
  check(
    Number.isInteger(warmupSeconds) && warmupSeconds >= 0 && warmupSeconds <= SECONDS_MAX,
    `'warmupSeconds' must be a whole number from 0 to ${SECONDS_MAX}`,
    warmupSeconds,
  );
  check(
    Number.isInteger(users) && users >= 1 && users <= USERS_MAX,
    `'users' must be a whole number from 1 to ${USERS_MAX}`,
    users,
  );
  checkArrival(arrival, durationSeconds);
  if (arrival.law === "replay") return;
  check(
    warmupSeconds === 0 || firstRps(arrival.rate) > 0,
    "'warmupSeconds' must be 0 where the load begins at rate 0",
    warmupSeconds,
  );
}

function checkArrival(arrival: ArrivalSpec, durationSeconds: number): void {
  const { law } = arrival;
  check((ARRIVAL_LAWS as readonly string[]).includes(law), `'arrival' must be one of ${ARRIVAL_LAWS.join(", ")}`, law);
  if (law === "replay") checkRecording(arrival);
  else checkRate(arrival.rate, durationSeconds);
  if (law === "bursty") checkBursts(arrival, durationSeconds);
}

function checkRate(rate: RateSpec, durationSeconds: number): void {
  check(
    (RATE_KINDS as readonly string[]).includes(rate.kind),
    `'rate' must be one of ${RATE_KINDS.join(", ")}`,
    rate.kind,
  );
  if (rate.kind === "stages") checkStages(rate.stages, durationSeconds);
  else if (rate.kind === "sine") checkSine(rate);
  else check(rate.rps > 0 && rate.rps <= RPS_MAX, `'rps' must be a number above 0 and at most ${RPS_MAX}`, rate.rps);
}

function checkStages(stages: readonly Stage[], durationSeconds: number): void {
  check(
    stages.length >= 1 && stages.length <= STAGES_MAX,
    `'stages' must be 1 to ${STAGES_MAX} in number`,
    stages.length,
  );
  stages.forEach(({ seconds, fromRps, toRps }, i) => {
    check(
      seconds > 0 && seconds <= SECONDS_MAX,
      `'stages[${i}].seconds' must be a number above 0 and at most ${SECONDS_MAX}`,
      seconds,
    );
    checkStageRps(`stages[${i}].fromRps`, fromRps);
    checkStageRps(`stages[${i}].toRps`, toRps);
  });
  check(highestRps({ kind: "stages", stages }) > 0, "'stages' must reach a rate above 0", 0);
  const seconds = stagesSeconds(stages);
  check(
    Math.abs(seconds - durationSeconds) <= ROUNDING * durationSeconds,
    `'stages' must last 'durationSeconds' together, which is ${durationSeconds}`,
    seconds,
  );
}

function checkStageRps(name: string, rps: number): void {
  check(rps >= 0 && rps <= RPS_MAX, `'${name}' must be a number from 0 to ${RPS_MAX}`, rps);
}

function checkSine({ lowRps, highRps, periodSeconds }: SineRateSpec): void {
  check(lowRps >= 0 && lowRps <= RPS_MAX, `'lowRps' must be a number from 0 to ${RPS_MAX}`, lowRps);
  check(
    highRps > lowRps && highRps <= RPS_MAX,
    `'highRps' must be a number above 'lowRps', which is ${lowRps}, and at most ${RPS_MAX}`,
    highRps,
  );
  check(
    periodSeconds > 0 && periodSeconds <= SECONDS_MAX,
    `'periodSeconds' must be a number above 0 and at most ${SECONDS_MAX}`,
    periodSeconds,
  );
}

function checkBursts(arrival: BurstyArrivalSpec, durationSeconds: number): void {
  const { rate, peak, share, burstSeconds } = arrival;
  const highest = highestRps(rate);
  check(peak > 1, "'peak' must be a number above 1", peak);
  check(
    peak * highest <= RPS_MAX,
    `'peak' must be a number that keeps bursts, of a rate of ${highest} per second, at most at ${RPS_MAX} per second`,
    peak,
  );
  check(share > 0 && share <= 1 / peak, `'share' must be a number above 0 and at most 1 / 'peak'`, share);
  const shortest = Math.max(BURST_SECONDS_MIN, share / (BURSTS_PER_ARRIVAL_MAX * averageRps(rate, durationSeconds)));
  check(
    burstSeconds >= shortest && burstSeconds <= SECONDS_MAX,
    `'burstSeconds' must be a number from ${shortest} to ${SECONDS_MAX}, at this rate`,
    burstSeconds,
  );
}

function checkRecording({ timesSeconds, owners }: ReplaySpec): void {
  check(timesSeconds.length > 0, "'timesSeconds' must hold at least one arrival", timesSeconds.length);
  let previous = 0;
  timesSeconds.forEach((time, i) => {
    if (time >= previous && time < Number.POSITIVE_INFINITY) previous = time;
    else check(false, `'timesSeconds[${i}]' must be a finite number that is at least ${previous}`, time);
  });
  if (owners === undefined) return;
  check(
    owners.length === timesSeconds.length,
    `'owners' must be as many as 'timesSeconds', which are ${timesSeconds.length}`,
    owners.length,
  );
}
