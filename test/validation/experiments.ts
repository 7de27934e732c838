/** All experiments, in order. */

import { equalArms } from "./decisions/v16-equal-arms.ts";
import { smallDifference } from "./decisions/v17-small-difference.ts";
import { intervalCoverage } from "./decisions/v18-interval-coverage.ts";
import type { Experiment } from "./experiment.ts";
import { kSweep } from "./v01-k-sweep.ts";
import { loadExponent } from "./v02-load-exponent.ts";
import { rejectCost } from "./v03-reject-cost.ts";
import { outage } from "./v04-outage.ts";
import { partialOverload } from "./v05-partial-overload.ts";
import { fairness } from "./v06-fairness.ts";
import { metastableThreshold } from "./v07-metastable-threshold.ts";
import { bakeOff } from "./v08-bake-off.ts";
import { fixedFailure } from "./v09-fixed-failure.ts";
import { tippingPoint } from "./v10-tipping-point.ts";
import { governor } from "./v11-governor.ts";
import { fastRejects } from "./v12-fast-rejects.ts";
import { falsePositives } from "./v13-false-positives.ts";
import { cubicBurst } from "./v14-cubic-burst.ts";
import { synchronisedRetryAfter } from "./v15-retry-after.ts";
import { agedClients } from "./v19-aged-clients.ts";
import { metastable } from "./v20-metastable.ts";
import { hysteresisMap } from "./v21-hysteresis-map.ts";
import { agedOutage } from "./v22-aged-outage.ts";

export const experiments: readonly Experiment[] = [
  kSweep,
  loadExponent,
  rejectCost,
  outage,
  partialOverload,
  fairness,
  metastableThreshold,
  bakeOff,
  fixedFailure,
  tippingPoint,
  governor,
  fastRejects,
  falsePositives,
  cubicBurst,
  synchronisedRetryAfter,
  equalArms,
  smallDifference,
  intervalCoverage,
  agedClients,
  metastable,
  hysteresisMap,
  agedOutage,
];
