/** V15: what everyone is told to do after 5 s, everyone does after 5 s. */

import type { PolicySpec } from "../../src/engine/trial-spec.ts";
import type { SeriesRow, TrialResult } from "../../src/result/schema.ts";
import { echoedRefusals, waveShares } from "./closed-forms-metastable.ts";
import type { Experiment, Finding, RealLab, VirtualLab } from "./experiment.ts";
import { runReal } from "./real-load.ts";
import { medianOf, policy, runEach, type VirtualLoad, within } from "./virtual-load.ts";

const OFFERED = 1000;
const WAIT_SECONDS = 5;
/** The default of the modifier, and none. */
const JITTERS = [0, 0.2];
const WARMUP_SECONDS = 2;
const OUTAGE_SECONDS = 1;
/** After the outage. */
const LOOK_SECONDS = 20;
/** What the capacity leaves over, where it does not leave everything. */
const HEADROOM = 0.25;
const AMPLE = 3;
const ECHO_SECONDS = 40;
const BURST = 10;

/** Holding back: so many clients, and an outage in which each is told again and again. */
const CLIENTS = 200;
const CLIENT_RATE = OFFERED / CLIENTS;
const LONG_SECONDS = 30;

export const synchronisedRetryAfter: Experiment = {
  id: "V15",
  title: "Retry-After without jitter",
  derivation: "V15",
  async virtual(lab: VirtualLab): Promise<readonly Finding[]> {
    const retrying = JITTERS.map((jitter) => obeying("retry", jitter));
    const holding = JITTERS.map((jitter) => obeying("client", jitter));
    const runs = await runEach(lab, [
      ...retrying.map((client) => refusing(client, AMPLE, OUTAGE_SECONDS, LOOK_SECONDS)),
      ...retrying.map((client) => refusing(client, HEADROOM, OUTAGE_SECONDS, ECHO_SECONDS)),
      ...holding.map((client) => refusing(client, AMPLE, LONG_SECONDS, WAIT_SECONDS)),
    ]);
    return JITTERS.flatMap((jitter, index) => [
      waveFinding(jitter, runs[index] ?? []),
      echoFinding(jitter, runs[JITTERS.length + index] ?? []),
      holdFinding(jitter, runs[2 * JITTERS.length + index] ?? []),
    ]);
  },
  real: builtInTarget,
};

function obeying(who: string, jitter: number): PolicySpec {
  return policy("retry", { maxAttempts: 100, retryAfter: who, retryAfterJitter: jitter });
}

/** From the beginning of the measured window on nothing is accepted for a while. */
function refusing(client: PolicySpec, headroom: number, outageSeconds: number, lookSeconds: number): VirtualLoad {
  return {
    policy: client,
    users: CLIENTS,
    rps: OFFERED,
    warmupSeconds: WARMUP_SECONDS,
    durationSeconds: outageSeconds + lookSeconds,
    model: {
      name: "shed",
      capacity: OFFERED * (1 + headroom),
      burst: BURST,
      rejectCost: 0,
      latencySeconds: 0,
      retryAfterSeconds: WAIT_SECONDS,
    },
    script: [{ kind: "capacity", fromSeconds: 0, toSeconds: outageSeconds, factor: 0 }],
  };
}

/** Attempts by the second in which they are sent, where `sent` has them by the second for which their call was intended. */
function sentIn(rows: readonly SeriesRow[]): readonly number[] {
  return rows.map(({ sentInSecond }) => sentInSecond);
}

function peakToMean(rows: readonly SeriesRow[]): number {
  const sent = sentIn(rows);
  return (Math.max(...sent) * sent.length) / sent.reduce((sum, count) => sum + count, 0);
}

/** The calls of the refused second come back spread over that second, and over the jitter. */
function returnShares(jitter: number): readonly number[] {
  return waveShares([OUTAGE_SECONDS, jitter * WAIT_SECONDS]);
}

/** Their retries come on top of a steady load. */
function waveFinding(jitter: number, trials: readonly TrialResult[], tolerance = 0.05): Finding {
  const prediction = (1 + Math.max(...returnShares(jitter))) / (1 + OUTAGE_SECONDS / LOOK_SECONDS);
  return {
    what: `each call waits, ${jitterText(jitter)}: peak / mean of what is sent in a second, ${LOOK_SECONDS} s after an outage of 1 s`,
    prediction,
    measured: medianOf(trials, ({ series }) => peakToMean(afterOutage(series))),
    band: within(prediction, tolerance),
    trials: trials.length,
  };
}

function afterOutage(series: readonly SeriesRow[]): readonly SeriesRow[] {
  const fromSecond = WARMUP_SECONDS + OUTAGE_SECONDS;
  return series.slice(fromSecond, fromSecond + LOOK_SECONDS);
}

/** Where the capacity is not twice the load, the wave is refused in part, and comes again. */
function echoFinding(jitter: number, trials: readonly TrialResult[]): Finding {
  const prediction = echoedRefusals({
    rho: 1 / (1 + HEADROOM),
    burst: BURST,
    waitSeconds: WAIT_SECONDS,
    jitterSeconds: jitter * WAIT_SECONDS,
    lookSeconds: OUTAGE_SECONDS + ECHO_SECONDS,
  });
  return {
    what: `each call waits, ${jitterText(jitter)}, C = ${1 + HEADROOM} x the load: retries per call that the outage refused`,
    prediction,
    measured: medianOf(trials, ({ attempts, calls }) => (attempts.sent - calls.planned) / (OFFERED * OUTAGE_SECONDS)),
    band: within(prediction, 0.15),
    trials: trials.length,
  };
}

/** In the last five seconds of a long outage, when each client has come back for the fifth time. */
function holdFinding(jitter: number, trials: readonly TrialResult[]): Finding {
  const times = LONG_SECONDS / WAIT_SECONDS - 1;
  const widths = Array.from({ length: times }, () => jitter * WAIT_SECONDS);
  const prediction = WAIT_SECONDS * Math.max(...waveShares(widths, 1 / CLIENT_RATE));
  return {
    what: `each client waits, ${jitterText(jitter)}: peak / mean of what is sent in a second, ${LONG_SECONDS - WAIT_SECONDS} s into an outage`,
    prediction,
    measured: medianOf(trials, ({ series }) => {
      const end = WARMUP_SECONDS + LONG_SECONDS;
      return peakToMean(series.slice(end - WAIT_SECONDS, end));
    }),
    band: within(prediction, 0.15),
    trials: trials.length,
  };
}

function jitterText(jitter: number): string {
  return jitter === 0 ? "no jitter" : `jitter ${jitter}`;
}

const REAL_RPS = 400;
/** Of some hundred calls in a second, and of a second of the target that begins a little later than the generator's. */
const REAL_TOLERANCE = 0.15;

/** The built-in target, with room for more than twice the load, refuses all for a second. */
async function builtInTarget(lab: RealLab): Promise<readonly Finding[]> {
  const trials = await runReal(
    lab,
    JITTERS.map((jitter) => ({
      policy: `retry,maxAttempts=100,retryAfter=retry,retryAfterJitter=${jitter}`,
      users: 100,
      rps: REAL_RPS,
      warmupSeconds: WARMUP_SECONDS,
      durationSeconds: OUTAGE_SECONDS + LOOK_SECONDS,
      target: `shed:acceptMs=0.5,rejectMs=0.1,queue=200,retryAfter=${WAIT_SECONDS}`,
      script: `0s..${OUTAGE_SECONDS}s:outage`,
    })),
  );
  return JITTERS.map((jitter, index) => waveFinding(jitter, trials.slice(index, index + 1), REAL_TOLERANCE));
}
