/** A question on the terminal that this process was started on. */

import process from "node:process";
import { clearTimeout, setTimeout } from "node:timers";
import type { Host } from "./host.ts";

type Answer = Awaited<ReturnType<Host["ask"]>>;

/** Longer is nobody's answer. */
const CHARACTERS_MAX = 1000;
/** What was typed before the question is no answer to it: it has come by then. */
const AHEAD_MS = 50;

/**
 * Reads up to the end of a line; what is typed before the question or after that line is lost. The input is left alone afterwards, so that it does not keep
 * the process.
 */
export function askOnTerminal(question: string, withinSeconds: number, onSignal: Host["onSignal"]): Promise<Answer> {
  const { stdin, stderr } = process;
  return new Promise((resolve) => {
    let typed = "";
    let asked = false;
    const finish = (answer: Answer): void => {
      clearTimeout(timer);
      clearTimeout(asking);
      stopListening();
      stdin.off("data", take).off("end", end).off("error", end);
      stdin.pause();
      stdin.unref?.();
      resolve(answer);
    };
    const take = (chunk: string): void => {
      if (!asked) return;
      typed += chunk;
      const lineEnd = typed.search(/[\r\n]/u);
      if (lineEnd >= 0) finish(typed.slice(0, lineEnd));
      else if (typed.length > CHARACTERS_MAX) finish(typed);
    };
    const end = (): void => finish(undefined);
    const timer = setTimeout(end, 1000 * withinSeconds);
    const stopListening = onSignal((signal) => finish({ signal }));
    stdin.setEncoding("utf8").on("data", take).on("end", end).on("error", end);
    stdin.ref?.();
    stdin.resume();
    // Last: whoever sees it may answer at once, also with Ctrl-C.
    const asking = setTimeout(() => {
      asked = true;
      stderr.write(question);
    }, AHEAD_MS);
  });
}
