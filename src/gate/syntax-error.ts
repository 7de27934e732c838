/** What is wrong with an assertion, and where, in one line. The caller puts the flag's name in front. */

/** @param at the index of the character in question. */
export function syntaxError(text: string, at: number, rule: string): RangeError {
  return new RangeError(complaint(text, at, rule));
}

/** A figure that no result has, with what there is instead: its message is to end with what may have been meant. */
export class UnknownFigureError extends RangeError {
  override readonly name = "UnknownFigureError";
  readonly figure: string;
  readonly candidates: readonly string[];

  constructor(text: string, at: number, figure: string, candidates: readonly string[]) {
    super(complaint(text, at, `there is no figure '${figure}'`));
    this.figure = figure;
    this.candidates = candidates;
  }
}

function complaint(text: string, at: number, rule: string): string {
  const place = at >= text.length ? "at its end" : `at character ${[...text.slice(0, at)].length + 1}`;
  return `must be an assertion such as goodput>=0.95*offered: current value is ${JSON.stringify(text)}: ${place}, ${rule}`;
}
