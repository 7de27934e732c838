/**
 * Colours, in a light and a dark set. Those of the arms follow Okabe and Ito (https://jfly.uni-koeln.de/color/), moved until
 * each stands out from the page at 3:1 at least, as WCAG 2 asks of graphics; arms differ in dash and marker too, so that no
 * reader needs the colour.
 */

/** Colours of arms, in turn. */
export const ARM_COLOURS: readonly (readonly [light: string, dark: string])[] = [
  ["#b8500a", "#f0954f"],
  ["#0067a5", "#5ab4f0"],
  ["#007d5c", "#2fc79a"],
  ["#a8407e", "#e79ac6"],
  ["#7a5cc7", "#b7a1f5"],
  ["#8a6a00", "#e6bd3c"],
  ["#5c6470", "#b4bcc8"],
  ["#a52a2a", "#f08080"],
];

/** Dashes of arms, in turn: with two arms the baseline is the dashed one. */
export const ARM_DASHES: readonly string[] = ["5 3", "", "2 3", "9 3 2 3", "12 4", "3 2 1 2", "7 2 7 5", "1 2"];

/** Colours of the ends of a call. */
export const OUTCOME_COLOURS = {
  ok: ["#0a6cae", "#5aabe2"],
  throttled: ["#8a6c00", "#d9b84a"],
  budget: ["#7a56a3", "#b497d6"],
  failed: ["#b3412a", "#e0795e"],
  broken: ["#7d5a3c", "#b98f6a"],
  limited: ["#2f7d6c", "#7fc4b3"],
  deadline: ["#9c3f73", "#d884b1"],
  dropped: ["#3f4650", "#9aa3af"],
  unfinished: ["#6b7480", "#c9d0d8"],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

/** How many arms have a look of their own. */
const LOOKS = ARM_COLOURS.length;

/** The class that gives an arm its colour and dash. */
export function armClass(index: number): string {
  return `a${index % LOOKS}`;
}
