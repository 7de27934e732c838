// What overload control does, as counters: `meter` takes what OpenTelemetry's metrics.getMeter() gives.
//   bun test/adapters/examples/metrics.ts
import { type CounterMeter, overloadFetch } from "../../../src/index.ts"; // In a project: from "overload-bench".
import { startBackend } from "./server.ts";

const counts = new Map<string, number>();
const meter: CounterMeter = {
  createCounter: (name) => ({
    add(value, attributes = {}) {
      const { "overload_control.key": _origin, ...rest } = attributes;
      const counter = [name, ...Object.values(rest)].join(" ");
      counts.set(counter, (counts.get(counter) ?? 0) + value);
    },
  }),
};

const backend = await startBackend(10);
const guarded = overloadFetch(fetch, {
  policy: "retry",
  maxAttempts: 2,
  meter,
  onEvent(event) {
    if (event.type === "call" && event.attempts > 1) counts.set("retried", (counts.get("retried") ?? 0) + 1);
  },
});
for (let call = 0; call < 30; call++) await (await guarded(backend.url)).text();
for (const [counter, count] of counts) console.log(`${counter}: ${count}`);
backend.close();
