/** The header Retry-After (RFC 9110, 10.2.3). */

import { headerIndex } from "./header-index.ts";
import { ANCHOR_SECONDS, httpDateSeconds } from "./http-date.ts";

/** What a policy must read of an answer, in lower case. */
export const RETRY_AFTER_HEADERS: readonly string[] = ["retry-after", "date"];

const DELAY_SECONDS = /^\d{1,10}$/u;
/** What a delay may be at most (the bound that RFC 9111, 1.2.2, gives to seconds): more is a mistake, not a wish. */
const DELAY_SECONDS_MAX = 2 ** 31;
/** That of the shortest form: what is shorter needs no look at the answer's date. */
const HTTP_DATE_LENGTH_MIN = 24;
/** Longer values are not looked at. */
const LENGTH_MAX = 512;

/**
 * How long an answer asks its client to wait: delay-seconds, or an HTTP-date less the answer's own `date`, so that a client
 * whose clock is wrong waits as long as any other. A date in the past is 0, what is no valid value is no hint. Of several
 * values, in fields of their own or joined by commas, the first valid one counts.
 *
 * @param headers name in lower case, value, name, value, ...
 * @param capSeconds what is longer is cut to this.
 * @returns seconds in [0, capSeconds], or `undefined` when there is no hint.
 */
export function retryAfterSeconds(headers: readonly string[] | undefined, capSeconds: number): number | undefined {
  if (headers === undefined) return undefined;
  const next = (from: number): number => headerIndex(headers, "retry-after", from);
  for (let index = next(0); index !== -1; index = next(index + 2)) {
    const seconds = fieldSeconds(headers[index + 1] as string, headers);
    if (seconds !== undefined) return Math.min(seconds, capSeconds);
  }
  return undefined;
}

/** Two of the date forms have a comma of their own, so a piece is tried alone and with the next one. */
function fieldSeconds(field: string, headers: readonly string[]): number | undefined {
  if (field.length > LENGTH_MAX) return undefined;
  const pieces = field.split(",");
  for (let index = 0; index < pieces.length; index++) {
    const piece = pieces[index] as string;
    const next = pieces[index + 1];
    const seconds =
      valueSeconds(piece, headers) ?? (next === undefined ? undefined : valueSeconds(`${piece},${next}`, headers));
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

function valueSeconds(text: string, headers: readonly string[]): number | undefined {
  const value = withoutBlanks(text);
  if (DELAY_SECONDS.test(value)) {
    const seconds = Number(value);
    return seconds <= DELAY_SECONDS_MAX ? seconds : undefined;
  }
  if (value.length < HTTP_DATE_LENGTH_MIN) return undefined;
  const now = dateSeconds(headers);
  const delay = httpDateSeconds(value, now) - now;
  return Number.isNaN(delay) ? undefined : Math.max(0, delay);
}

/** @returns `NaN` when the answer has no valid date. */
function dateSeconds(headers: readonly string[]): number {
  const index = headerIndex(headers, "date");
  return index === -1 ? Number.NaN : httpDateSeconds(withoutBlanks(headers[index + 1] as string), ANCHOR_SECONDS);
}

/** Blanks and tabs around a value are no part of it (RFC 9110, 5.5). */
function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text, from)) from += 1;
  while (to > from && isBlank(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

function isBlank(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === 0x20 || code === 0x09;
}
