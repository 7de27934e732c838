const [DOT, DASH, PLUS, COLON, ZERO, NINE] = [46, 45, 43, 58, 48, 57];
const [UPPER_T, UPPER_Z] = [84, 90];

/** How a time was written: a number of seconds, or of milli-, micro- or nanoseconds since 1970, or a date. */
export type TimestampForm = "seconds" | "milliseconds" | "microseconds" | "nanoseconds" | "ISO 8601";

/** By the digits before the point, where a number has more than those of the year 5138 in seconds. */
const FORMS: readonly TimestampForm[] = ["seconds", "milliseconds", "microseconds", "nanoseconds"];
const SECONDS_DIGITS_MAX = 11;
const DIGITS_MAX = 20;

const POWERS = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
const FRACTION_DIGITS_MAX = POWERS.length - 1;

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads timestamps out of a text without allocating, and without the platform's `Date`, which takes more than it should
 * and keeps milliseconds only. Two forms:
 *
 * - A number of seconds such as `12.5` or `1717243200.123456`, not negative, without an exponent. From 10^11 on, 12 to 14
 *   digits before the point, it counts milliseconds, with 15 to 17 microseconds, with 18 to 20 nanoseconds: as seconds
 *   such a number would be a year after 5138, as times since 1970 these are the years that anybody has records of.
 * - ISO 8601 with a time zone: `2024-06-01T12:00:00.25Z`, `2024-06-01T14:00+02:00` and so on, with any number of decimals.
 *
 * Digits of the fraction after the 15th are read over.
 */
export class TimestampReader {
  form: TimestampForm = "seconds";
  /** The time is `whole` + `fraction` seconds, apart so that a time since 1970 loses nothing; `fraction` in [0, 1]. */
  whole = 0;
  fraction = 0;
  /** Where the text goes on after the timestamp. */
  end = 0;
  #text = "";
  #limit = 0;

  /** Reads the timestamp that begins at `start` of `text`, looking at nothing from `limit` on. False if there is none. */
  read(text: string, start: number, limit: number): boolean {
    this.#text = text;
    this.#limit = limit;
    this.end = start;
    return start + 4 < limit && text.charCodeAt(start + 4) === DASH ? this.#readDate() : this.#readNumber();
  }

  #readNumber(): boolean {
    const written = this.end;
    while (this.#code() === ZERO) this.end++;
    const start = this.end;
    while (isDigit(this.#code())) this.end++;
    const point = this.end;
    const digits = point - start;
    if (point === written || digits > DIGITS_MAX) return false;
    const shift = digits <= SECONDS_DIGITS_MAX ? 0 : Math.floor(digits / 3) - 3;
    this.form = FORMS[shift] as TimestampForm;
    this.whole = this.#digits(start, point - 3 * shift);
    if (this.#code() === DOT) {
      this.end++;
      while (isDigit(this.#code())) this.end++;
      if (this.end === point + 1) return false;
    }
    this.fraction = this.#fraction(point - 3 * shift, this.end);
    return true;
  }

  #readDate(): boolean {
    this.form = "ISO 8601";
    const at = this.end;
    const text = this.#text;
    const year = this.#pair(at) * 100 + this.#pair(at + 2);
    const month = this.#pair(at + 5);
    const day = this.#pair(at + 8);
    const hour = this.#pair(at + 11);
    const minute = this.#pair(at + 14);
    if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month))) return false;
    if (!(hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59)) return false;
    if (
      text.charCodeAt(at + 7) !== DASH ||
      text.charCodeAt(at + 10) !== UPPER_T ||
      text.charCodeAt(at + 13) !== COLON
    ) {
      return false;
    }
    this.end = at + 16;
    const seconds = this.#readSeconds();
    const offset = this.#readOffset();
    this.whole = daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + seconds - offset;
    return seconds >= 0 && !Number.isNaN(offset);
  }

  /** `:07.25` or nothing; -1 if it is neither. A leap second, 60, is the next minute's first. */
  #readSeconds(): number {
    this.fraction = 0;
    if (this.#code() !== COLON) return 0;
    const seconds = this.#pair(this.end + 1);
    this.end += 3;
    if (!(seconds >= 0 && seconds <= 60)) return -1;
    if (this.#code() !== DOT) return seconds;
    this.end++;
    const start = this.end;
    while (isDigit(this.#code())) this.end++;
    this.fraction = this.#fraction(start, this.end);
    return this.end === start ? -1 : seconds;
  }

  /** `Z`, `+02:00` or `-0330`, in seconds; NaN if it is none of these. */
  #readOffset(): number {
    const sign = this.#code();
    if (sign === UPPER_Z) {
      this.end++;
      return 0;
    }
    if (sign !== PLUS && sign !== DASH) return Number.NaN;
    const hours = this.#pair(this.end + 1);
    this.end += 3;
    if (this.#code() === COLON) this.end++;
    const minutes = this.#pair(this.end);
    this.end += 2;
    if (!(hours >= 0 && hours <= 23 && minutes >= 0 && minutes <= 59)) return Number.NaN;
    return (sign === DASH ? -1 : 1) * (hours * 3_600 + minutes * 60);
  }

  #code(): number {
    return this.end < this.#limit ? this.#text.charCodeAt(this.end) : 0;
  }

  /** The number of two digits, or NaN. */
  #pair(at: number): number {
    if (at + 2 > this.#limit) return Number.NaN;
    const tens = this.#text.charCodeAt(at);
    const ones = this.#text.charCodeAt(at + 1);
    return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN;
  }

  #digits(start: number, end: number): number {
    let value = 0;
    for (let i = start; i < end; i++) value = value * 10 + this.#text.charCodeAt(i) - ZERO;
    return value;
  }

  /** The digits of a stretch as those after a decimal point; a point among them is read over. */
  #fraction(start: number, end: number): number {
    let value = 0;
    let digits = 0;
    for (let i = start; i < end && digits < FRACTION_DIGITS_MAX; i++) {
      const code = this.#text.charCodeAt(i);
      if (code === DOT) continue;
      value = value * 10 + code - ZERO;
      digits++;
    }
    return value / (POWERS[digits] as number);
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function daysOf(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (MONTH_DAYS[month - 1] as number) + (leap ? 1 : 0);
}

/**
 * In the Gregorian calendar, with years from March on, so that the leap day is a year's last (Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms").
 */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468;
}
