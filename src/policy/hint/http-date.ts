/** Dates of HTTP (RFC 9110, 5.6.7), and no others. */

import { dateOf, daysInMonth, daysOf } from "./civil-date.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const LONG_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const DAY_SECONDS = 86_400;

/** Where there is no other: half a century around it is 1970 to 2070. 1 January 2020. */
export const ANCHOR_SECONDS = 1_577_836_800;

/**
 * Seconds from 1 January 1970 to an HTTP-date in any of its three forms, leap seconds not counted; second 60 is the first of
 * the next minute. The name of the day must be one, but says nothing. Never a general date parser: those read `-3` as a year.
 *
 * @param nowSeconds decides the century of a two-digit year: a date that would be more than 50 years ahead is the last
 *   one in the past with these digits.
 * @returns `NaN` for anything else, and for days that no calendar has.
 */
export function httpDateSeconds(text: string, nowSeconds: number): number {
  if (text.length === 29) {
    const fixed = fixdateSeconds(text);
    if (!Number.isNaN(fixed)) return fixed;
  }
  return text.length === 24 ? asctimeSeconds(text) : rfc850Seconds(text, nowSeconds);
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`: IMF-fixdate, the form of today. */
function fixdateSeconds(text: string): number {
  const blanks = text[7] === " " && text[11] === " " && text[16] === " ";
  if (!blanks || !DAYS.includes(text.slice(0, 3)) || text.slice(3, 5) !== ", " || text.slice(25) !== " GMT") {
    return Number.NaN;
  }
  return secondsOf(digits(text, 12, 4), text.slice(8, 11), digits(text, 5, 2), timeAt(text, 17));
}

/** `Sun Nov  6 08:49:37 1994`: asctime-date. */
function asctimeSeconds(text: string): number {
  const blanks = text[3] === " " && text[7] === " " && text[10] === " " && text[19] === " ";
  if (!blanks || !DAYS.includes(text.slice(0, 3))) return Number.NaN;
  const day = text[8] === " " ? digits(text, 9, 1) : digits(text, 8, 2);
  return secondsOf(digits(text, 20, 4), text.slice(4, 7), day, timeAt(text, 11));
}

/** `Sunday, 06-Nov-94 08:49:37 GMT`: rfc850-date. */
function rfc850Seconds(text: string, nowSeconds: number): number {
  const at = text.indexOf(", ");
  if (text.length !== at + 24 || !LONG_DAYS.includes(text.slice(0, at)) || text.slice(at + 20) !== " GMT") {
    return Number.NaN;
  }
  if (text[at + 4] !== "-" || text[at + 8] !== "-" || text[at + 11] !== " ") return Number.NaN;
  const name = text.slice(at + 5, at + 8);
  const day = digits(text, at + 2, 2);
  const time = timeAt(text, at + 12);
  const year = fullYear(digits(text, at + 9, 2), MONTHS.indexOf(name) + 1, day, time, nowSeconds);
  return secondsOf(year, name, day, time);
}

function secondsOf(year: number, monthName: string, day: number, time: number): number {
  const month = MONTHS.indexOf(monthName) + 1;
  if (month === 0 || day < 1 || day > daysInMonth(year, month)) return Number.NaN;
  return daysOf(year, month, day) * DAY_SECONDS + time;
}

/** `08:49:37` as seconds of the day. */
function timeAt(text: string, from: number): number {
  const hour = digits(text, from, 2);
  const minute = digits(text, from + 3, 2);
  const second = digits(text, from + 6, 2);
  if (text[from + 2] !== ":" || text[from + 5] !== ":" || hour > 23 || minute > 59 || second > 60) return Number.NaN;
  return hour * 3600 + minute * 60 + second;
}

/** @returns `NaN` unless there are as many digits, and ASCII ones. */
function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let index = from; index < from + count; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function fullYear(twoDigits: number, month: number, day: number, time: number, nowSeconds: number): number {
  const days = Math.floor(nowSeconds / DAY_SECONDS);
  const now = dateOf(days);
  const bound = daysOf(now.year + 50, now.month, now.day) * DAY_SECONDS + (nowSeconds - days * DAY_SECONDS);
  const century = now.year - (now.year % 100);
  for (const year of [century + 100 + twoDigits, century + twoDigits]) {
    if (daysOf(year, month, day) * DAY_SECONDS + time <= bound) return year;
  }
  return century - 100 + twoDigits;
}
