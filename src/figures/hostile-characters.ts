/**
 * Characters that steer what shows a text instead of being shown: control characters, separators of lines and paragraphs, and
 * those that turn the direction of writing (Unicode Standard Annex #9, explicit formatting, marks and isolates). A result may
 * come from somebody else, and nothing in it may move a cursor or make a name look like another one.
 */
const HOSTILE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The text with something harmless in place of each of them. */
export function replaceHostile(text: string, by: string | ((character: string) => string)): string {
  return typeof by === "string" ? text.replace(HOSTILE, () => by) : text.replace(HOSTILE, by);
}
