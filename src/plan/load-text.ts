/**
 * How loads are written in flags. Each parser throws a RangeError of one line that says the rule and the value, but not the
 * name of the flag; whether the values suit each other is for `createPlan` to say.
 */

import type { BurstyArrivalSpec, SineRateSpec, Stage } from "./load.ts";
import { parseDuration, parseRate } from "./units.ts";

const ZERO_RATE = /^0(?:\.0+)?(?:\/[sm])?$/;
const NUMBER = /^\d+(?:\.\d+)?$/;

const STAGES_RULE = "must list stages as in 10s@500,20s@500..2000";
const SINE_RULE = "must be a wave as in 500..1500,period=60s";
const BURST_RULE = "must be as in bursty,peak=5,share=0.1,burst=500ms";

const PEAK = 5;
const SHARE = 0.1;
const BURST_SECONDS = 0.5;

/**
 * Parses stages, separated by commas: a length and a rate to hold, or two rates to go evenly between. Rates may be 0.
 *
 * @example parseStages("10s@500,20s@500..2000,5s@0") // three stages: a hold, a ramp, a pause
 * @throws RangeError
 */
export function parseStages(text: string): Stage[] {
  return text.split(",").map((part, i) => {
    const [length = "", rates = "", ...rest] = part.trim().split("@");
    const [from = "", to = from, ...more] = rates.split("..");
    if (length === "" || from === "" || to === "" || rest.length > 0 || more.length > 0) {
      throw refusal(`${STAGES_RULE}; stage ${i + 1} must have a length and a rate or two`, part);
    }
    return within(`${STAGES_RULE}; stage ${i + 1}`, () => {
      const seconds = parseDuration(length);
      if (seconds === 0) throw refusal("must be longer than 0s", part);
      return { seconds, fromRps: parseRateOrZero(from), toRps: parseRateOrZero(to) };
    });
  });
}

/**
 * Parses a sine wave between two rates, of which the lower may be 0.
 *
 * @example parseSine("500..1500,period=60s") // { lowRps: 500, highRps: 1500, periodSeconds: 60 }
 * @throws RangeError
 */
export function parseSine(text: string): Omit<SineRateSpec, "kind"> {
  const [, low, high, period] = /^([^,]+?)\.\.([^,]+),\s*period=(.+)$/.exec(text.trim()) ?? [];
  if (low === undefined || high === undefined || period === undefined) {
    throw refusal(SINE_RULE, text);
  }
  const lowRps = within(`${SINE_RULE}; the lower rate`, () => parseRateOrZero(low));
  const highRps = within(`${SINE_RULE}; the higher rate`, () => parseRate(high));
  const periodSeconds = within(`${SINE_RULE}; the period`, () => parseDuration(period));
  if (highRps <= lowRps) throw refusal(`${SINE_RULE}, from the lower rate to the higher one`, text);
  if (periodSeconds === 0) throw refusal(`${SINE_RULE}, with a period longer than 0s`, text);
  return { lowRps, highRps, periodSeconds };
}

/**
 * Parses the options of bursty arrivals: `peak` (default 5), `share` (0.1, or 1 / `peak` where that is less) and `burst`
 * (500ms).
 *
 * @throws RangeError
 */
export function parseBurst(options: Readonly<Record<string, string>>): Omit<BurstyArrivalSpec, "law" | "rate"> {
  const { peak: peakText, share: shareText, burst, ...others } = options;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refusal(`${BURST_RULE}, without other options`, unknown);
  const peak = peakText === undefined ? PEAK : within(`${BURST_RULE}; 'peak'`, () => parseNumber(peakText));
  if (!(peak > 1)) throw refusal(`${BURST_RULE}, with a peak above 1`, String(peakText));
  const share =
    shareText === undefined
      ? Math.min(SHARE, 1 / peak)
      : within(`${BURST_RULE}; 'share'`, () => parseNumber(shareText));
  if (!(share > 0 && share <= 1 / peak)) {
    throw refusal(`${BURST_RULE}, with a share above 0 and at most 1 / peak, here ${1 / peak}`, String(shareText));
  }
  return {
    peak,
    share,
    burstSeconds: burst === undefined ? BURST_SECONDS : within(`${BURST_RULE}; 'burst'`, () => parseDuration(burst)),
  };
}

function parseRateOrZero(text: string): number {
  return ZERO_RATE.test(text) ? 0 : parseRate(text);
}

function parseNumber(text: string): number {
  if (NUMBER.test(text)) return Number(text);
  throw refusal("must be a number such as 5 or 0.1", text);
}

/** Says of which part of the text a rule was broken. */
function within<T>(part: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new RangeError(`${part} ${error.message}`);
    throw error;
  }
}

function refusal(rule: string, text: string): RangeError {
  return new RangeError(`${rule}: current value is ${JSON.stringify(text)}`);
}
