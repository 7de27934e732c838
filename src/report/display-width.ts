const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * Columns that `text` takes in a terminal: one per code point, two for East Asian wide characters and common emoji, none
 * for combining marks. A simple rule, enough for names that people give to arms.
 */
export function displayWidth(text: string): number {
  let columns = 0;
  for (const character of text) columns += ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}
