/**
 * A text of a result file, to be written into a document for people or programs: control characters, halves of surrogate
 * pairs and characters that turn the direction of writing become `?`. A result may come from somebody else.
 */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu, "?");
}
