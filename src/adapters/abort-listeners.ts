/** Many listeners to one signal, of which the signal sees one: Node warns of a leak from the eleventh on. */

const listenersOf: WeakMap<AbortSignal, Set<() => void>> = new WeakMap();

/** Calls `listener` when `signal` aborts. @returns what takes it away again. */
export function whenAborted(signal: AbortSignal, listener: () => void): () => void {
  let listeners = listenersOf.get(signal);
  if (listeners === undefined) {
    listeners = new Set();
    listenersOf.set(signal, listeners);
    signal.addEventListener("abort", tellAll);
  }
  listeners.add(listener);
  const all = listeners;
  return () => {
    if (!all.delete(listener) || all.size > 0 || listenersOf.get(signal) !== all) return;
    listenersOf.delete(signal);
    signal.removeEventListener("abort", tellAll);
  };
}

function tellAll(this: AbortSignal): void {
  for (const listener of [...(listenersOf.get(this) ?? [])]) listener();
}
