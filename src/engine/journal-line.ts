/** What a running trial tells once a second, as it stands in the journal: zeros and empty distributions are left out. */

import type {
  JournalDistribution,
  JournalGain,
  JournalSecond,
  JournalTally,
  WrittenDistribution,
  WrittenGain,
  WrittenSecond,
  WrittenTally,
} from "../result/journal-schema.ts";
import { binsOfText, binsToText } from "./bins-text.ts";
import type { Gain } from "./gain.ts";
import { type SparseData, SparseHistogram } from "./sparse-histogram.ts";
import { eachLatency, type Tallied, Tally } from "./tally.ts";
import type { TrialGain } from "./trial-gain.ts";

const NO_VALUES: SparseData = new SparseHistogram().data();
const NO_CALLS: Tallied<SparseData> = new Tally(() => new SparseHistogram()).data();

/** The probes of the sentinel are left out: they are told when the trial ends. */
export function lineOfGain({ gained, open, facts, governed, ...rest }: TrialGain): WrittenSecond {
  const { startedAt, transport, connections, generator, age, remarks = [] } = facts;
  return {
    kind: "second",
    ...rest,
    ...(governed === undefined ? {} : { governed: { windows: [...governed.windows], events: [...governed.events] } }),
    gained: writeGain(gained),
    open: writeGain(open),
    facts: {
      startedAt,
      ...(transport === undefined ? {} : { transport }),
      ...(connections === undefined ? {} : { connections }),
      ...(generator === undefined ? {} : { generator }),
      ...(age === undefined ? {} : { age }),
      remarks: [...remarks],
    },
  };
}

/** @throws RangeError when the text of a distribution cannot be read. */
export function gainOfLine({ kind: _, gained, open, facts, governed, aborted, ...rest }: JournalSecond): TrialGain {
  const { startedAt, transport, connections, generator, age, remarks } = facts;
  return {
    ...rest,
    ...(governed === undefined ? {} : { governed }),
    ...(aborted === undefined ? {} : { aborted }),
    gained: readGain(gained),
    open: readGain(open),
    facts: {
      startedAt,
      ...(transport === undefined ? {} : { transport }),
      ...(connections === undefined ? {} : { connections }),
      ...(generator === undefined ? {} : { generator }),
      ...(age === undefined ? {} : { age }),
      remarks,
    },
  };
}

function writeGain({ warmup, measured, series }: Gain): WrittenGain {
  const tallied = (key: "warmup" | "measured", tally: Tallied<SparseData>): Partial<WrittenGain> =>
    isEmpty(tally) ? {} : { [key]: writeTally(tally) };
  return {
    ...tallied("warmup", warmup),
    ...tallied("measured", measured),
    series: [...series].map(([second, counts]) => [second, ...counts]),
  };
}

function readGain({ warmup, measured, series }: JournalGain): Gain {
  return {
    warmup: warmup === undefined ? NO_CALLS : readTally(warmup),
    measured: measured === undefined ? NO_CALLS : readTally(measured),
    series: new Map(series.map(([second = 0, ...counts]) => [second, Uint32Array.from(counts)])),
  };
}

/** True when no event at all was counted: every event touches one of these. */
function isEmpty({ planned, made, outcomes, classes, inFlightAtEnd }: Tallied<SparseData>): boolean {
  const counts = [planned, made, inFlightAtEnd, ...Object.values(outcomes), ...Object.values(classes)];
  return counts.every((count) => count === 0);
}

function writeTally(tally: Tallied<SparseData>): WrittenTally {
  const { planned, made, sent, inFlightAtEnd, startedAfterEnd, lateStarted, lateDropped, wait, lateness } = tally;
  const counts = { planned, made, sent, inFlight: inFlightAtEnd, startedAfterEnd, lateStarted, lateDropped };
  return {
    ...withoutZeros(counts),
    outcomes: withoutZeros(tally.outcomes),
    classes: withoutZeros(tally.classes),
    statuses: Object.fromEntries(tally.statuses),
    errors: Object.fromEntries(tally.errors),
    response: eachLatency(tally.response, writeDistribution),
    service: eachLatency(tally.service, writeDistribution),
    ...(wait.count === 0 ? {} : { wait: writeDistribution(wait) }),
    ...(lateness.count === 0 ? {} : { lateness: writeDistribution(lateness) }),
  };
}

function readTally({ inFlight, statuses, errors, ...tally }: JournalTally): Tallied<SparseData> {
  const { outcomes, classes, response, service, wait, lateness, ...counts } = tally;
  return {
    ...counts,
    inFlightAtEnd: inFlight,
    outcomes: { ...NO_CALLS.outcomes, ...outcomes },
    classes: { ...NO_CALLS.classes, ...classes },
    statuses: new Map(Object.entries(statuses).map(([status, count]) => [Number(status), count])),
    errors: new Map(Object.entries(errors)),
    response: eachLatency(response, readDistribution),
    service: eachLatency(service, readDistribution),
    wait: wait === undefined ? NO_VALUES : readDistribution(wait),
    lateness: lateness === undefined ? NO_VALUES : readDistribution(lateness),
  };
}

function writeDistribution(data: SparseData): WrittenDistribution {
  const { count, zeros, censored, sumSeconds, minSeconds, maxSeconds } = data;
  return {
    count,
    ...withoutZeros({ zeros, censored }),
    sumSeconds,
    minSeconds,
    maxSeconds,
    bins: binsToText(data),
  };
}

function readDistribution({ bins, ...figures }: JournalDistribution): SparseData {
  return { ...figures, ...binsOfText(bins) };
}

function withoutZeros<Key extends string>(counts: Readonly<Record<Key, number>>): Partial<Record<Key, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<Record<Key, number>>;
}
