/** Brings the built-in target to its working temperature: cold code would make the first trial's target a slower one. */

import { Pool } from "undici/index.js";

const CONNECTIONS = 32;
/** After about this many requests the cost of one stays the same, on the three runtimes. */
const REQUESTS = 12_000;
const BOUND_MS = 5_000;

/** Asks the target for `/__health`, which it answers without doing work, until it is warm or 5 s have passed. */
export async function warmTarget(url: string, stopRequested: () => boolean): Promise<void> {
  const pool = new Pool(new URL(url).origin, { connections: CONNECTIONS });
  const end = performance.now() + BOUND_MS;
  let left = REQUESTS;
  const ask = async (): Promise<void> => {
    while (left > 0 && performance.now() < end && !stopRequested()) {
      left -= 1;
      const { body } = await pool.request({ path: "/__health", method: "GET" });
      await body.dump();
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  } finally {
    await pool.destroy();
  }
}
