import { describe, expect, it } from "vitest";
import { Call } from "../../../src/engine/call.ts";
import type { AttemptSink, Transport } from "../../../src/engine/ports.ts";
import type { VirtualWorldSpec } from "../../../src/engine/trial-spec.ts";
import type { ScriptChange } from "../../../src/plan/script.ts";
import { stream } from "../../../src/plan/streams.ts";
import { EventQueue } from "../../../src/world/virtual/event-queue.ts";
import { createServer, describeModel } from "../../../src/world/virtual/model.ts";

/** A server, and what became of the attempts sent to it: when each was answered, and with what. */
class Bench implements AttemptSink {
  readonly events = new EventQueue();
  readonly answers: { readonly id: number; readonly atSeconds: number; readonly status: number }[] = [];
  readonly headers: (readonly string[] | undefined)[] = [];
  readonly server: Transport;
  readonly calls: Call[] = [];

  constructor(world: Omit<VirtualWorldSpec, "kind">) {
    this.server = createServer({ kind: "virtual", ...world }, 0, stream(1, "target"), this.events, this);
  }

  /** Sends one attempt at each of the times and lets it all end. */
  sendAt(times: readonly number[]): this {
    for (const [id, seconds] of times.entries()) {
      const call = new Call();
      call.user = id;
      this.calls.push(call);
      const run = (): void => {
        call.handedSeconds = this.events.now();
        this.server.send(call);
      };
      this.events.at(seconds, { run });
    }
    return this;
  }

  end(): this {
    this.events.run(1_000_000, () => false);
    return this;
  }

  attemptEnded(call: Call): void {
    this.answers.push({ id: call.user, atSeconds: this.events.now(), status: call.status });
    this.headers.push(call.answerHeaders);
  }
}

const row = ({ answers }: Bench) => answers.map(({ id, atSeconds, status }) => [id, atSeconds, status]);

describe("fifo", () => {
  const model = { name: "fifo", workers: 2, serviceSeconds: 0.5, latencySeconds: 0 } as const;

  it("serves in the order of arrival, two at a time, however long the queue grows", () => {
    expect(row(new Bench({ model }).sendAt([0, 0, 0, 0.25, 0.25]).end())).toEqual([
      [0, 0.5, 200],
      [1, 0.5, 200],
      [2, 1, 200],
      [3, 1, 200],
      [4, 1.5, 200],
    ]);
  });

  it("does the work of clients that have given up, and tells nobody", () => {
    const bench = new Bench({ model: { ...model, workers: 1 } }).sendAt([0, 0]);
    bench.events.at(0.125, { run: () => bench.server.cancel(bench.calls[0] as Call) });
    expect(row(bench.end())).toEqual([[1, 1, 200]]);
  });

  it("rejects at once what finds the queue full, and takes again what comes when a job has started", () => {
    const bounded = { ...model, workers: 1, queueMax: 1, latencySeconds: 0.125 };
    expect(row(new Bench({ model: bounded }).sendAt([0, 0, 0.25, 0.5]).end())).toEqual([
      [2, 0.375, 503],
      [0, 0.625, 200],
      [1, 1.125, 200],
      [3, 1.625, 200],
    ]);
  });

  it("is slower with the work that starts in a change, whenever it came", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0.25 }];
    const slow = { ...model, workers: 1 };
    expect(row(new Bench({ model: slow, script }).sendAt([0.5, 0.75, 2.5]).end())).toEqual([
      [0, 1, 200],
      [1, 3, 200],
      [2, 3.5, 200],
    ]);
  });

  it("rejects what comes in an outage and goes on with what it had", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0 }];
    expect(row(new Bench({ model: { ...model, workers: 1 }, script }).sendAt([0.75, 1, 2]).end())).toEqual([
      [1, 1, 503],
      [0, 1.25, 200],
      [2, 2.5, 200],
    ]);
  });

  it("keeps a million jobs' starts no longer than they wait", () => {
    const busy = { ...model, workers: 1, serviceSeconds: 0.001, queueMax: 3 };
    const bench = new Bench({ model: busy }).sendAt(Array.from({ length: 20_000 }, (_, id) => id * 0.0005));
    const accepted = bench.end().answers.filter(({ status }) => status === 200).length;
    expect(Math.abs(accepted - 10_000)).toBeLessThan(10);
  });
});

describe("shed", () => {
  const model = { name: "shed", capacity: 4, burst: 2, rejectCost: 0.5, latencySeconds: 0 } as const;
  const statuses = (bench: Bench) => bench.end().answers.map(({ status }) => status);

  it("is full again at the end of an outage, in which rejections cost nothing", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0 }];
    expect(statuses(new Bench({ model, script }).sendAt([0, 0, 0, 1, 1.5, 1.5, 2, 2, 2]))).toEqual([
      200, 200, 503, 503, 503, 503, 200, 200, 503,
    ]);
  });

  it("refills at the old rate up to a change, and at the new one after it", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 0.25, toSeconds: 10, factor: 0.5 }];
    // Empty at 0; by 0.25 one token at 4/s; then one more every half second at 2/s.
    const free = { ...model, rejectCost: 0 };
    expect(statuses(new Bench({ model: free, script }).sendAt([0, 0, 0.25, 0.5, 0.75, 1]))).toEqual([
      200, 200, 200, 503, 200, 503,
    ]);
  });

  it("says when to come again with a rejection alone, if it is told to", () => {
    const bench = new Bench({ model: { ...model, retryAfterSeconds: 5 } }).sendAt([0, 0, 0]).end();
    expect(bench.headers).toEqual([undefined, undefined, ["retry-after", "5"]]);
  });
});

describe("bernoulli", () => {
  it("accepts the share that it is told, whatever the load", () => {
    for (const spacing of [0.001, 1]) {
      const bench = new Bench({ model: { name: "bernoulli", accept: 0.7, latencySeconds: 0.25 } });
      const answers = bench.sendAt(Array.from({ length: 10_000 }, (_, id) => id * spacing)).end().answers;
      const share = answers.filter(({ status }) => status === 200).length / answers.length;
      expect(Math.abs(share - 0.7)).toBeLessThan(0.02);
      expect(answers[0]?.atSeconds).toBe(0.25);
    }
  });
});

describe("describeModel()", () => {
  it.each([
    [
      { model: { name: "shed", capacity: 100, burst: 10, rejectCost: 0.3, latencySeconds: 0, retryAfterSeconds: 5 } },
      "shed:capacity=100,burst=10,rejectCost=0.3,latency=0s,retryAfter=5s",
    ],
    [
      { model: { name: "fifo", workers: 4, serviceSeconds: 0.025, latencySeconds: 0, queueMax: 9 } },
      "fifo:workers=4,service=0.025s,latency=0s,queue=9",
    ],
    [
      {
        model: { name: "bernoulli", accept: 0.5, latencySeconds: 1 },
        script: [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0 }],
      },
      "bernoulli:accept=0.5,latency=1s; 1s..2s:outage",
    ],
  ] as const)("says %o in the syntax of --sim", (world, text) => {
    expect(describeModel({ kind: "virtual", ...world })).toBe(text);
  });
});
