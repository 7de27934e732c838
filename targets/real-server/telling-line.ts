/** Words with which nginx and HAProxy mark what keeps them from starting. */
const GRAVE = /\[(emerg|alert)\]/i;
/** nginx tries the log file it was built with before it reads its configuration. It does without. */
const HARMLESS = /could not open error log file/;

/** The line that says best why a server did not start: its first grave one, else its last. */
export function tellingLine(said: string): string {
  const lines = said.split("\n").filter((line) => line.trim() !== "" && !HARMLESS.test(line));
  return (lines.find((line) => GRAVE.test(line)) ?? lines.at(-1) ?? "").trim();
}
