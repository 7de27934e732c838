const LABEL_LENGTH_MAX = 60;

/**
 * The name of a result without its extension: `<UTC time>-<command>[-<label>]`, such as `20260102T030405Z-ab-before`.
 * Of the label only letters, digits, `.`, `_` and `-` are kept, so that it cannot lead to another folder.
 *
 * @throws RangeError when `startedAt` is no valid date.
 */
export function resultName(startedAt: Date, command: string, label = ""): string {
  const time = startedAt.toISOString().replace(/[-:]|\.\d+/gu, "");
  const safeLabel = label
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .slice(0, LABEL_LENGTH_MAX)
    .replace(/^[-.]+|[-.]+$/gu, "");
  return safeLabel === "" ? `${time}-${command}` : `${time}-${command}-${safeLabel}`;
}
