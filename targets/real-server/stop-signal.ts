import process from "node:process";

/** Fires once at SIGINT or SIGTERM, and when asked for at the end of standard input. The process lives on until it ends. */
export function stopSignal(withParent: boolean): AbortSignal {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  process.on("SIGTERM", abort);
  process.on("SIGINT", abort);
  if (withParent) process.stdin.on("end", abort).on("close", abort).on("error", abort).resume();
  return stop.signal;
}

/** Resolves when the signal has fired. */
export function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
