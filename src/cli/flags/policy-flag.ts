/** The value of `--policy`: a preset's name or the file of a policy of one's own, with options. */

import { type Composite, parseComposite } from "./composite.ts";

/** A policy as the user named it. */
export interface PolicyChoice extends Composite {
  /** Where it was named, for messages; default: the flag. */
  readonly origin?: string;
}

/** `sre,k=1.5,window=10` or `./mine.ts,factor=2`. @throws RangeError that says the rule and the value, but not the flag. */
export function parsePolicy(text: string): PolicyChoice {
  const trimmed = text.trim();
  if (!isFile(trimmed)) return parseComposite(text);
  const [path = "", ...options] = trimmed.split(",");
  // A name that cannot stand in the way, as the path may hold anything but a comma.
  const { options: given } = parsing(trimmed, ["file", ...options].join(","));
  return { name: path, options: given };
}

/** @throws RangeError that shows the whole text, of which `part` was made. */
function parsing(text: string, part: string): Composite {
  try {
    return parseComposite(part);
  } catch (error) {
    throw new RangeError(
      (error as Error).message.replace(JSON.stringify(part), `${JSON.stringify(text)} (a path holds no comma)`),
    );
  }
}

/** Whether a policy is named by its file: such a name starts with `./`, `../` or `/`. */
export function isFile(name: string): boolean {
  return /^(?:\.{1,2})?\//u.test(name);
}
