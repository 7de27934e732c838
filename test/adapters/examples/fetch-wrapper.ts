// Overload control around fetch.
//   bun test/adapters/examples/fetch-wrapper.ts
import { OverloadControlError, overloadFetch } from "../../../src/index.ts"; // In a project: from "overload-bench".
import { startBackend } from "./server.ts";

const backend = await startBackend(50);
const guarded = overloadFetch(fetch, { policy: "sre", k: 1.5, timeoutSeconds: 2 });

let ok = 0;
let overloaded = 0;
let notSent = 0;
for (let call = 0; call < 200; call++) {
  try {
    const answer = await guarded(backend.url, { method: "POST", body: JSON.stringify({ call }) });
    await answer.text();
    if (answer.ok) ok += 1;
    else overloaded += 1;
  } catch (error) {
    if (!(error instanceof OverloadControlError)) throw error;
    notSent += 1;
  }
}
console.log(`fetch: ${ok} ok, ${overloaded} overloaded, ${notSent} not sent; the backend saw ${backend.seen()}`);
backend.close();
