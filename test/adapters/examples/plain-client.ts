// The OverloadClient alone, around whatever can be told apart as taken or overloaded.
//   bun test/adapters/examples/plain-client.ts
import { OverloadClient } from "../../../src/index.ts"; // In a project: from "overload-bench".
import { startBackend } from "./server.ts";

const backend = await startBackend(50);
const clock = { now: () => performance.now() / 1000 };
const client = new OverloadClient(clock, { random: Math.random }, { k: 1.5, window: 30 });

const outcomes = { ok: 0, throttled: 0, budget: 0, failed: 0 };
for (let call = 0; call < 200; call++) {
  const outcome = await client.call(async () => {
    const answer = await fetch(backend.url);
    await answer.text();
    return answer.status === 503 ? "overloaded" : "ok";
  });
  outcomes[outcome] += 1;
}
const rejects = client.rejectProbability().toFixed(2);
console.log(`client: ${JSON.stringify(outcomes)}, rejects ${rejects} now; the backend saw ${backend.seen()}`);
backend.close();
