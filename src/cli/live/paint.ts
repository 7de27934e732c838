/** Colours of a terminal, where they are wanted. */

export type Style = "alive" | "label" | "suspect" | "invalid";

/** The text in the colours of a style. */
export type Paint = (style: Style, text: string) => string;

/** SGR codes (ECMA-48, 8.3.117) to begin and to end a style. */
const CODES: Readonly<Record<Style, readonly [begin: number, end: number]>> = {
  alive: [36, 39],
  label: [2, 22],
  suspect: [33, 39],
  invalid: [31, 39],
};

/** Without colours where `NO_COLOR` is set to anything (https://no-color.org). */
export function painter(env: Readonly<Record<string, string | undefined>>): Paint {
  if ((env.NO_COLOR ?? "") !== "") return (_style, text) => text;
  return (style, text) => {
    const [begin, end] = CODES[style];
    return `\u001b[${begin}m${text}\u001b[${end}m`;
  };
}
