/** A command as one types it into a POSIX shell. */

import type { Invocation } from "../result/design-schema.ts";

/** A word that the shell leaves as it is; quoted where it has anything but harmless characters. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replace(/'/gu, "'\\''")}'`;
}

/** A result's file by its name, which must not look like a flag. */
export function shellFile(name: string): string {
  const file = name.endsWith(".json") ? name : `${name}.json`;
  return shellWord(file.startsWith("-") ? `./${file}` : file);
}

export function commandLine({ command, flags }: Invocation): string {
  const words = Object.entries(flags).flatMap(([name, value]) => {
    if (value === true) return [`--${name}`];
    if (value === false) return [`--no-${name}`];
    return [value].flat().map((one) => `--${name} ${shellWord(one)}`);
  });
  return ["overload-bench", command, ...words].join(" ");
}
