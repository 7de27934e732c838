import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf, daysInMonth, daysOf } from "../../../src/policy/hint/civil-date.ts";
import { ANCHOR_SECONDS, httpDateSeconds } from "../../../src/policy/hint/http-date.ts";

/** The platform's own calendar, which the tests may ask. Years below 100 are years of the first century here. */
function utcSeconds(year: number, month: number, day: number, time = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 1000 + time;
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (value: number) => String(value).padStart(2, "0");

const anyDate = fc.record({
  days: fc.integer({ min: -719_528, max: 2_932_896 }), // 1 January 0000 to 31 December 9999
  time: fc.integer({ min: 0, max: 86_399 }),
});

function fieldsOf({ days, time }: { readonly days: number; readonly time: number }) {
  const date = new Date(days * 86_400_000);
  const clock = [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60].map(two).join(":");
  const dayName = DAYS[date.getUTCDay()] as string;
  return {
    year: date.getUTCFullYear(),
    month: MONTHS[date.getUTCMonth()],
    day: date.getUTCDate(),
    dayName,
    clock,
  };
}

describe("daysOf() and dateOf()", () => {
  it("agree with the platform's calendar for every day from the year 0 to 9999", () => {
    const date = new Date(0);
    date.setUTCFullYear(0, 0, 1);
    const first = date.getTime() / 86_400_000;
    let wrong = 0;
    for (let days = first; days < 2_932_897; days += 1) {
      date.setTime(days * 86_400_000);
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const civil = dateOf(days);
      if (civil.year !== year || civil.month !== month || civil.day !== day) wrong += 1;
      if (daysOf(year, month, day) !== days) wrong += 1;
    }
    expect(wrong).toBe(0);
  });

  it.each([
    [1900, 2, 28],
    [2000, 2, 29],
    [2024, 2, 29],
    [2025, 2, 28],
    [2025, 4, 30],
    [2025, 12, 31],
  ])("daysInMonth(%i, %i) is %i", (year, month, days) => {
    expect(daysInMonth(year, month)).toBe(days);
  });
});

describe("httpDateSeconds()", () => {
  const now = utcSeconds(2026, 7, 1);

  it.each(["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])(
    "reads %s, the example of RFC 9110",
    (text) => {
      expect(httpDateSeconds(text, now)).toBe(784_111_777);
    },
  );

  it("reads every date in the two forms that have the whole year", () => {
    fc.assert(
      fc.property(anyDate, (given) => {
        const { year, month, day, dayName, clock } = fieldsOf(given);
        const name = dayName.slice(0, 3);
        const digits = String(year).padStart(4, "0");
        const expected = given.days * 86_400 + given.time;
        expect(httpDateSeconds(`${name}, ${two(day)} ${month} ${digits} ${clock} GMT`, now)).toBe(expected);
        expect(httpDateSeconds(`${name} ${month} ${String(day).padStart(2)} ${clock} ${digits}`, now)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it("reads a two-digit year as the one that is at most 50 years ahead, and otherwise as the last one past", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200 * 365 }),
        fc.integer({ min: -49 * 365, max: 49 * 365 }),
        fc.integer({ min: 0, max: 86_399 }),
        (today, ahead, time) => {
          const { year, month, day, dayName, clock } = fieldsOf({ days: today + ahead, time });
          const text = `${dayName}, ${two(day)}-${month}-${two(year % 100)} ${clock} GMT`;
          expect(httpDateSeconds(text, today * 86_400)).toBe((today + ahead) * 86_400 + time);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    // Now is 1 July 2026, 00:00:00.
    ["01-Jul-76 00:00:00", 2076],
    ["01-Jul-76 00:00:01", 1976],
    ["30-Jun-76 23:59:59", 2076],
    ["31-Dec-75 00:00:00", 2075],
    ["01-Jan-77 00:00:00", 1977],
    ["01-Jul-26 00:00:00", 2026],
    ["31-Dec-26 00:00:00", 2026],
    ["01-Jan-00 00:00:00", 2000],
    ["31-Dec-99 23:59:59", 1999],
  ])("%s is in %i", (date, year) => {
    expect(dateOf(Math.floor(httpDateSeconds(`Monday, ${date} GMT`, now) / 86_400)).year).toBe(year);
  });

  it.each([
    [2099, "05-Jan-05", 2105],
    [2100, "05-Jan-99", 2099],
    [2001, "05-Jan-60", 1960],
  ])("across a century, in %i, %s is in %i", (today, date, year) => {
    const seconds = httpDateSeconds(`Monday, ${date} 00:00:00 GMT`, utcSeconds(today, 6, 1));
    expect(seconds).toBe(utcSeconds(year, 1, 5));
  });

  it("takes second 60 for the first of the next minute", () => {
    expect(httpDateSeconds("Sat, 31 Dec 2016 23:59:60 GMT", now)).toBe(utcSeconds(2017, 1, 1));
  });

  it.each([
    "",
    "-3",
    "1.5",
    "2026",
    "2026-07-01",
    "2026-07-01T00:00:00Z",
    "Wed Jul 01 2026 00:00:00 GMT+0000",
    "Wed, 01 Jul 2026 00:00:00 UTC",
    "Wed, 01 Jul 2026 00:00:00 +0000",
    "Wed, 01 Jul 2026 00:00:00",
    "wed, 01 jul 2026 00:00:00 gmt",
    "Wed, 1 Jul 2026 00:00:00 GMT",
    "Wed,  01 Jul 2026 00:00:00 GMT",
    "Wed, 01 Jul 2026 24:00:00 GMT",
    "Wed, 01 Jul 2026 00:60:00 GMT",
    "Wed, 01 Jul 2026 00:00:61 GMT",
    "Wed, 31 Jun 2026 00:00:00 GMT",
    "Wed, 29 Feb 2025 00:00:00 GMT",
    "Wed, 00 Jul 2026 00:00:00 GMT",
    "Wed, 01 Jul 26 00:00:00 GMT",
    "Wed, 01-Jul-26 00:00:00 GMT",
    "Wednesday, 01-Jul-2026 00:00:00 GMT",
    "Wednesday, 01 Jul 2026 00:00:00 GMT",
    "Wed Jul 1 00:00:00 2026",
    "Wed Jul  1 00:00:00 2026 GMT",
    "Wed, 01 Jul 2026 00:00:00 GMT\n",
    " Wed, 01 Jul 2026 00:00:00 GMT",
    "Wed, ٠١ Jul 2026 00:00:00 GMT",
  ])("takes %o for no date", (text) => {
    expect(httpDateSeconds(text, now)).toBeNaN();
  });

  it("gives NaN or a finite number for any text, and never throws", () => {
    fc.assert(
      fc.property(fc.string(), fc.double(), (text, anyNow) => {
        const seconds = httpDateSeconds(text, anyNow);
        expect(Number.isNaN(seconds) || Number.isFinite(seconds)).toBe(true);
      }),
    );
  });

  it("the anchor is 1 January 2020", () => {
    expect(ANCHOR_SECONDS).toBe(utcSeconds(2020, 1, 1));
  });
});
