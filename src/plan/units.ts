/**
 * Strict parsing of the values that people write in flags, files and composite options. Each parser throws a RangeError
 * of one line that says the rule and the value, but not the name: the caller puts that in front.
 */

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const DURATION = new RegExp(`^(?:${NUMBER}h)?(?:${NUMBER}m(?!s))?(?:${NUMBER}s)?(?:${NUMBER}ms)?(?:${NUMBER}us)?$`);
const RATE = /^(\d+(?:_\d+)*(?:\.\d+)?)(?:\/([sm]))?$/;
const COUNT = /^\d+(?:_\d+)*$/;

/**
 * Parses a duration into seconds: numbers with the units `h`, `m`, `s`, `ms` and `us`, largest first, each at most once,
 * without spaces. A number without a unit is an error, except `0`.
 *
 * @example parseDuration("1m30s") // 90
 * @throws RangeError
 */
export function parseDuration(text: string): number {
  if (text === "0") return 0;
  const parts = text === "" ? null : DURATION.exec(text);
  const [hours = 0, minutes = 0, seconds = 0, millis = 0, micros = 0] = (parts ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  // Divided, not multiplied by 0.001, so that each figure becomes the double nearest to it.
  const total = hours * 3600 + minutes * 60 + seconds + millis / 1e3 + micros / 1e6;
  if (parts === null || !Number.isFinite(total)) {
    throw refusal("must be a duration with a unit such as 250ms, 10s or 2m", text);
  }
  return total;
}

/**
 * Parses a rate into arrivals per second: a positive decimal number, alone or with `/s` or `/m`.
 *
 * @example parseRate("120/m") // 2
 * @throws RangeError
 */
export function parseRate(text: string): number {
  const match = RATE.exec(text);
  const rate = Number(match?.[1]?.replaceAll("_", "")) / (match?.[2] === "m" ? 60 : 1);
  if (!(rate > 0 && Number.isFinite(rate))) {
    throw refusal("must be a positive rate such as 2000, 2000/s or 120/m", text);
  }
  return rate;
}

/**
 * Parses a positive whole number; underscores may separate digits.
 *
 * @example parseCount("10_000") // 10000
 * @throws RangeError
 */
export function parseCount(text: string): number {
  const count = COUNT.test(text) ? Number(text.replaceAll("_", "")) : 0;
  if (!(count > 0 && Number.isSafeInteger(count))) {
    throw refusal("must be a positive whole number such as 100 or 10_000", text);
  }
  return count;
}

/**
 * Writes a duration for people, to three decimals of the smallest unit shown, in the form that {@link parseDuration}
 * reads: `123.4us`, `250ms`, `1.5s`, `1m30s`, `500h`.
 *
 * @param seconds non-negative and finite.
 * @throws RangeError
 */
export function formatDuration(seconds: number): string {
  if (!(seconds >= 0 && Number.isFinite(seconds))) {
    throw new RangeError(
      `Cannot format a duration as 'seconds' must be a non-negative number: current value is ${seconds}`,
    );
  }
  const micros = thousandths(seconds * 1e6);
  if (micros === 0) return "0s";
  if (micros < 1e3) return `${micros}us`;
  const millis = thousandths(seconds * 1e3);
  if (millis < 1e3) return `${millis}ms`;
  const total = thousandths(seconds);
  const minutes = Math.floor(total / 60);
  const parts = [Math.floor(minutes / 60), minutes % 60, thousandths(total % 60)] as const;
  const units = ["h", "m", "s"] as const;
  return parts.map((part, i) => (part === 0 ? "" : `${part}${units[i]}`)).join("");
}

function thousandths(x: number): number {
  return Math.round(x * 1e3) / 1e3;
}

function refusal(rule: string, text: string): RangeError {
  return new RangeError(`${rule}: current value is ${JSON.stringify(text)}`);
}
