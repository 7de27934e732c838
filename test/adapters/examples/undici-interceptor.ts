// Overload control for everything that goes through one undici dispatcher.
//   bun test/adapters/examples/undici-interceptor.ts
import { Agent, request } from "undici/index.js"; // Under Bun this path is undici itself; plain "undici" elsewhere.
import { OverloadControlError, overloadControl } from "../../../src/index.ts"; // In a project: from "overload-bench".
import { startBackend } from "./server.ts";

const backend = await startBackend(50);
const dispatcher = new Agent().compose(overloadControl({ policy: "sre", k: 1.5 }));

let ok = 0;
let overloaded = 0;
let notSent = 0;
for (let call = 0; call < 200; call++) {
  try {
    const { statusCode, body } = await request(backend.url, { dispatcher });
    await body.dump();
    if (statusCode === 200) ok += 1;
    else overloaded += 1;
  } catch (error) {
    if (!(error instanceof OverloadControlError)) throw error;
    notSent += 1;
  }
}
console.log(`interceptor: ${ok} ok, ${overloaded} overloaded, ${notSent} not sent; the backend saw ${backend.seen()}`);
await dispatcher.close();
backend.close();
