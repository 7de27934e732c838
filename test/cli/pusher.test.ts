import { describe, expect, it } from "vitest";
import type { PushRequest } from "../../src/cli/push/push-request.ts";
import { Pusher } from "../../src/cli/push/pusher.ts";
import { otlpValue } from "../support/otlp-check.ts";
import { pushSample } from "../support/push-sample.ts";

/** An endpoint that answers when the test says so, and a clock that the test sets. */
class Bench {
  ms = 5000;
  readonly notes: string[] = [];
  readonly requests: PushRequest[] = [];
  readonly #answers: ((why: string | undefined) => void)[] = [];
  #later: { readonly dueMs: number; readonly run: () => void } | undefined;
  readonly pusher: Pusher = new Pusher(
    { url: "http://127.0.0.1:9/v1/metrics", format: "otlp", method: "POST", headers: [["Authorization", "Bearer t"]] },
    {
      send: (request) => {
        this.requests.push(request);
        return new Promise((resolve) => this.#answers.push(resolve));
      },
      note: (text) => this.notes.push(text),
      nowMs: () => this.ms,
      later: (delayMs, run) => {
        this.#later = { dueMs: this.ms + delayMs, run };
        return () => {
          this.#later = undefined;
        };
      },
    },
  );

  /** The oldest request under way ends. */
  async answer(why?: string): Promise<void> {
    this.#answers.shift()?.(why);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }

  pass(ms: number): void {
    this.ms += ms;
    const later = this.#later;
    if (later === undefined || later.dueMs > this.ms) return;
    this.#later = undefined;
    later.run();
  }

  get underWay(): number {
    return this.#answers.length;
  }

  sent(index: number): number | undefined {
    return otlpValue(this.requests.at(index)?.body ?? "", "overload_bench.calls.planned");
  }
}

describe("Pusher", () => {
  it("sends what it is given, with its type and the headers of the endpoint", async () => {
    const bench = new Bench();
    bench.pusher.push(pushSample({ planned: 1 }));
    expect(bench.requests).toHaveLength(1);
    expect(bench.requests[0]).toMatchObject({ method: "POST", timeoutMs: 2000 });
    expect(bench.requests[0]?.headers).toEqual([
      ["Content-Type", "application/json"],
      ["Authorization", "Bearer t"],
    ]);
    await bench.answer();
    expect(bench.notes).toEqual([]);
  });

  it("has one request under way and at most one sample waiting, however long the endpoint takes", async () => {
    const bench = new Bench();
    for (let second = 1; second <= 100; second += 1) {
      bench.pusher.push(pushSample({ planned: second }));
      bench.pass(1000);
      expect(bench.underWay).toBe(1);
    }
    expect(bench.requests).toHaveLength(1);
    await bench.answer();
    expect(bench.requests).toHaveLength(2);
    expect(bench.sent(1)).toBe(100);
    await bench.answer();
    expect(bench.requests).toHaveLength(2);
  });

  it("sends no sooner than about a second after the one before, and then the newest", async () => {
    const bench = new Bench();
    bench.pusher.push(pushSample({ planned: 1 }));
    await bench.answer();
    bench.pass(100);
    bench.pusher.push(pushSample({ planned: 2 }));
    bench.pass(100);
    bench.pusher.push(pushSample({ planned: 3 }));
    expect(bench.requests).toHaveLength(1);
    bench.pass(800);
    expect(bench.requests).toHaveLength(2);
    expect(bench.sent(1)).toBe(3);
  });

  it("says once that the endpoint fails, once that it is back, and counts at the end", async () => {
    const bench = new Bench();
    for (const why of [undefined, "answered 500", "answered 500", "answered 503", undefined, undefined]) {
      bench.pusher.push(pushSample());
      await bench.answer(why);
      bench.pass(1000);
    }
    expect(bench.notes).toEqual([
      "The endpoint of --push answered 500: the run goes on, and so do the attempts to reach it",
      "The endpoint of --push takes metrics again, after 3 failed pushes",
    ]);
    const finished = bench.pusher.finish();
    await bench.answer();
    await bench.answer();
    await finished;
    expect(bench.notes.at(-1)).toBe("3 of 7 pushes of metrics failed: the result is whole all the same");
  });

  it("ends with the last sample, after what is under way", async () => {
    const bench = new Bench();
    bench.pusher.push(pushSample({ planned: 1 }));
    bench.pusher.push(pushSample({ planned: 2 }));
    const finished = bench.pusher.finish();
    expect(bench.requests).toHaveLength(1);
    await bench.answer();
    expect(bench.underWay).toBe(1);
    await bench.answer();
    await finished;
    expect(bench.requests).toHaveLength(2);
    expect(bench.sent(-1)).toBe(2);
    bench.pass(10_000);
    expect(bench.requests).toHaveLength(2);
  });

  it("is told nothing of a sample that cannot be written, says so, and goes on with the next one", async () => {
    const bench = new Bench();
    bench.pusher.push({
      ...pushSample(),
      get calls(): never {
        throw new Error("boom");
      },
    });
    await bench.answer();
    expect(bench.requests).toHaveLength(0);
    expect(bench.notes).toEqual([
      "The endpoint of --push cannot be told (boom): the run goes on, and so do the attempts to reach it",
    ]);
    bench.pass(1000);
    bench.pusher.push(pushSample({ planned: 2 }));
    expect(bench.sent(0)).toBe(2);
  });

  it("ends at once where there was nothing to push", async () => {
    const bench = new Bench();
    await bench.pusher.finish();
    expect(bench.requests).toHaveLength(0);
  });
});
