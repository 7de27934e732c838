import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";

/** A server that gets no further within this time of being told to stop is ended. */
const STOP_SECONDS_MAX = 2;
/** The shell's own bound, and some more. */
const FORCE_MS = STOP_SECONDS_MAX * 1000 + 2000;

/**
 * Runs "$@" as its child, as the owner of the folder $0. The shell's standard input is a pipe that this process holds
 * open and never writes to: it closes when this process ends, however it ends, and then the server is told to end. When
 * the server is gone, whatever its reason, the folder is removed and what is left of the process group is told to end
 * (the workers of a server that was killed).
 */
const WATCHDOG = `
ulimit -S -n "$(ulimit -H -n)" 2>/dev/null
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
echo "$server" >"$0/server.pid"
{ read -r _ <&3; kill -TERM "$server"; sleep ${STOP_SECONDS_MAX}; kill -KILL "$server"; } >/dev/null 2>&1 &
exec 3<&-
wait "$server" 2>/dev/null
status=$?
trap '' TERM
kill -TERM 0
rm -rf -- "$0"
exit "$status"
`;

/** A program that does not outlive this process, in a process group of its own. */
export interface Supervised {
  /** Resolves with the reason when it is gone. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** What it wrote to its output and error streams last. */
  said(): string;
  /** Tells it to end; resolves when it is gone and its folder removed. */
  stop(): Promise<void>;
}

/**
 * @param folder a folder of the program's own: it goes when the program is gone.
 * @param onLine takes each line that the program writes.
 */
export function supervise(
  folder: string,
  command: readonly string[],
  onLine: (line: string) => void = () => {},
): Supervised {
  const child = spawn("/bin/sh", ["-c", WATCHDOG, folder, ...command], {
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C in the terminal is for this process, which ends the server in order.
    detached: true,
  });
  let tail = "";
  let gone = false;
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      tail = (tail + chunk).slice(-4_000);
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    });
  }
  child.stdin.on("error", () => {}); // The shell has gone: `ended` tells.
  const ended = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      gone = true;
      resolve(reason);
    };
    child.once("error", (error) => end(error.message));
    // Only when the shell itself was killed is anybody left, who then keeps the streams from closing.
    child.once("exit", () => killGroup(child));
    child.once("close", (code, signal) => end(describeEnd(code, signal)));
  });
  const stop = async (): Promise<void> => {
    if (gone) return;
    child.stdin.end();
    const force = setTimeout(() => killGroup(child), FORCE_MS);
    await ended;
    clearTimeout(force);
  };
  return { ended, hasEnded: () => gone, said: () => tail, stop };
}

/** A shell gives the status 128 + n for a child that signal n ended. */
function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === null) return `ended by ${signal}`;
  return code > 128 ? `ended by signal ${code - 128}` : `exit code ${code}`;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
