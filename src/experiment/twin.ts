/** The twin check: a real trial, and the same plan and clients in the virtual world against the law that the real one showed. */

import type { ModelSpec, TrialSpec, VirtualWorldSpec } from "../engine/trial-spec.ts";
import { parseScript } from "../plan/script.ts";
import type { ColdStart } from "../plan/warmth.ts";
import type { MadeTwin, ServiceLaw, TrialResult, Twin, TwinFigure } from "../result/schema.ts";
import { lawFromOutside } from "./outside-law.ts";
import { type FoundLaw, lawFromCounters } from "./service-law.ts";

/** What is said of a target that was not there all the time. */
const LOST_CODES: ReadonlySet<string> = new Set(["target-died", "target-restarted"]);

/** @param trial a real one, measured to its end. */
export function findLaw(trial: TrialResult): FoundLaw {
  const { target, validity } = trial;
  const gone = validity.reasons.find(({ code }) => LOST_CODES.has(code));
  if (gone !== undefined) return { reason: `${gone.message}: there is no law to be read off the trial` };
  return target?.settings === undefined ? lawFromOutside(trial) : lawFromCounters(trial, target, target.settings);
}

/** The virtual trial to set beside the real one: all the same but for the world. */
export function twinSpec(spec: TrialSpec, trial: TrialResult, law: ServiceLaw): TrialSpec {
  const world: VirtualWorldSpec = {
    kind: "virtual",
    model: modelOf(law, trial.target?.settings ?? {}),
    ...(trial.script === undefined ? {} : { script: parseScript(trial.script) }),
  };
  return { ...spec, arm: `${spec.arm}-twin`, workers: 1, world };
}

/** Finer than what could be measured, and short to read. */
const DIGITS = 8;

function modelOf(law: ServiceLaw, settings: Readonly<Record<string, unknown>>): ModelSpec {
  const seconds = (ms: number): number => Number((ms / 1000).toFixed(DIGITS));
  const { acceptMs, rejectMs, latencyMs, queueMax, model } = law;
  const { retryAfter, reserve } = settings;
  const latencySeconds = seconds(latencyMs);
  switch (model) {
    case "fifo":
      return {
        name: model,
        workers: 1,
        serviceSeconds: seconds(acceptMs),
        queueMax,
        latencySeconds,
        ...coldOf(settings),
      };
    case "worker":
      return {
        name: model,
        acceptSeconds: seconds(acceptMs),
        rejectSeconds: seconds(rejectMs),
        queueMax,
        latencySeconds,
        ...(typeof retryAfter === "number" ? { retryAfterSeconds: retryAfter } : {}),
        ...(typeof reserve === "number" && reserve > 0 ? { reserve } : {}),
        ...coldOf(settings),
      };
    default:
      return model satisfies never;
  }
}

function coldOf({ coldCost, warmJobs, warmth = 0 }: Readonly<Record<string, unknown>>): { readonly cold?: ColdStart } {
  if (typeof coldCost !== "number" || typeof warmJobs !== "number" || typeof warmth !== "number") return {};
  return { cold: { coldCost, warmJobs, warmth } };
}

/** Sets the virtual trial beside the real one. */
export function compareTwin(real: TrialResult, law: ServiceLaw, twin: TrialResult): Twin {
  const figure = (of: (trial: TrialResult) => number | null): TwinFigure => figureOf(of(real), of(twin));
  const quantile =
    (name: "p50Ms" | "p99Ms") =>
    (trial: TrialResult): number | null => {
      const ok = trial.latency.response.ok;
      return ok === undefined || ok.count === 0 ? null : ok[name];
    };
  const figures: MadeTwin["figures"] = {
    goodput: figure(({ rates }) => rates.goodput),
    sent: figure(({ rates }) => rates.sent),
    accepted: figure(({ rates }) => rates.accepted),
    throttled: figure(({ calls, durationSeconds }) => (durationSeconds > 0 ? calls.throttled / durationSeconds : 0)),
    amplification: figure(({ amplification }) => amplification),
    waste: figure(({ waste }) => waste),
    responseOkP50Ms: figure(quantile("p50Ms")),
    responseOkP99Ms: figure(quantile("p99Ms")),
  };
  return { made: true, law, trial: twin, figures };
}

function figureOf(real: number | null, twin: number | null): TwinFigure {
  if (real === null || twin === null) return { real, twin, ratio: null };
  if (real === 0) return { real, twin, ratio: twin === 0 ? 1 : null };
  return { real, twin, ratio: twin / real };
}
