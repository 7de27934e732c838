import { describe, expect, it } from "vitest";
import { OverloadClient, type SendResult } from "../../src/policy/overload-client.ts";
import { ManualClock, ScriptedRandom } from "./fakes.ts";

function build(u: readonly number[] = [0.999999], options: object = {}) {
  const clock = new ManualClock(10);
  const client = new OverloadClient(clock, new ScriptedRandom(...u), options);
  const counts = () => [client.requests(), client.accepts(), client.retries()];
  return { clock, client, counts };
}

/** A promise that the test settles. */
function deferred() {
  let resolve: (result: SendResult) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<SendResult>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

describe("OverloadClient.call()", () => {
  it("gives the outcome of a synchronous send at once", () => {
    const { client, counts } = build();
    expect(client.call(() => "ok")).toBe("ok");
    expect(counts()).toEqual([1, 1, 0]);
  });

  it("ends as failed after maxAttempts overloaded attempts, which the budget must allow", () => {
    const { client, counts } = build(undefined, { retryRatio: 1 });
    let sends = 0;
    const outcome = client.call(() => {
      sends++;
      return "overloaded";
    });
    expect([outcome, sends]).toEqual(["failed", 3]);
    expect(counts()).toEqual([3, 0, 2]);
  });

  it("does not send, nor retry, what it throttles", () => {
    const { client, counts } = build([0.9, 0.49]);
    client.call(() => "overloaded");
    expect(counts()).toEqual([2, 0, 1]);
    let sends = 0;
    expect(
      client.call(() => {
        sends++;
        return "ok";
      }),
    ).toBe("throttled");
    expect(sends).toBe(0);
    expect(counts()).toEqual([3, 0, 1]);
  });

  it("turns into a promise at the first send that gives one", async () => {
    const { client, counts } = build(undefined, { retryRatio: 1 });
    let sends = 0;
    const outcome = client.call(() => (++sends === 1 ? "overloaded" : Promise.resolve<SendResult>("ok")));
    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toBe("ok");
    expect(counts()).toEqual([2, 1, 1]);
  });

  it("goes on as a promise when a later send is synchronous", async () => {
    const { client, counts } = build(undefined, { retryRatio: 1 });
    let sends = 0;
    const outcome = client.call(() => (++sends === 1 ? Promise.resolve<SendResult>("overloaded") : "overloaded"));
    expect(await outcome).toBe("failed");
    expect(counts()).toEqual([3, 0, 2]);
  });

  it("gives a promise of throttled to a client that sends promises, and the bare outcome to one that does not", async () => {
    const { client } = build([0.9, 0], { retryRatio: 0 });
    expect(await client.call(async () => "overloaded")).toBe("budget");
    const throttled = client.call(async () => "ok");
    expect(throttled).toBeInstanceOf(Promise);
    expect(await throttled).toBe("throttled");

    const synchronous = build([0.9, 0], { retryRatio: 0 }).client;
    expect(synchronous.call(() => "overloaded")).toBe("budget");
    expect(synchronous.call(() => "ok")).toBe("throttled");
  });

  it("accepts any thenable", async () => {
    const { client, counts } = build();
    const thenable: PromiseLike<SendResult> = {
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested.
      then: (onFulfilled) => Promise.resolve<SendResult>("ok").then(onFulfilled),
    };
    expect(await client.call(() => thenable)).toBe("ok");
    expect(counts()).toEqual([1, 1, 0]);
  });

  it("counts overlapping calls on their own: a request when it starts, an accept in the second of its answer", async () => {
    const { client, clock, counts } = build(undefined, { window: 5 });
    const answers = [deferred(), deferred(), deferred()];
    const outcomes = answers.map((answer) => client.call(() => answer.promise));
    expect(counts()).toEqual([3, 0, 0]);
    clock.seconds = 12;
    answers[2]!.resolve("ok");
    expect(await outcomes[2]).toBe("ok");
    expect(counts()).toEqual([3, 1, 0]);
    clock.seconds = 13;
    answers[0]!.resolve("ok");
    expect(await outcomes[0]).toBe("ok");
    clock.seconds = 15;
    expect(counts()).toEqual([0, 2, 0]);
    answers[1]!.resolve("overloaded");
    expect(await outcomes[1]).toBe("budget");
    clock.seconds = 17;
    expect(counts()).toEqual([0, 1, 0]);
  });

  it("keeps overlapping retries apart", async () => {
    const { client, counts } = build(undefined, { retryRatio: 1 });
    const call = () => {
      let sends = 0;
      return client.call(async () => (++sends < 3 ? "overloaded" : "ok"));
    };
    expect(await Promise.all([call(), call(), call()])).toEqual(["ok", "ok", "ok"]);
    expect(counts()).toEqual([9, 3, 6]);
  });

  it("may be called from inside a send", () => {
    const { client, counts } = build();
    const inner: string[] = [];
    const outer = client.call(() => {
      inner.push(client.call(() => "ok"));
      return "ok";
    });
    expect([outer, inner]).toEqual(["ok", ["ok"]]);
    expect(counts()).toEqual([2, 2, 0]);
  });

  it("passes on what a send throws; the request stays counted, without an accept", () => {
    const { client, counts } = build();
    const fault = new Error("no route");
    const call = () =>
      client.call(() => {
        throw fault;
      });
    expect(call).toThrow(fault);
    expect(counts()).toEqual([1, 0, 0]);
    expect(client.call(() => "ok")).toBe("ok");
    expect(counts()).toEqual([2, 1, 0]);
  });

  it("passes on what a send rejects with, also from a retry", async () => {
    const { client, counts } = build(undefined, { retryRatio: 1 });
    const fault = new Error("reset");
    await expect(client.call(() => Promise.reject(fault))).rejects.toBe(fault);
    expect(counts()).toEqual([1, 0, 0]);
    let sends = 0;
    const second = client.call(async () => {
      if (++sends === 2) throw fault;
      return "overloaded";
    });
    await expect(second).rejects.toBe(fault);
    expect(counts()).toEqual([3, 0, 1]);
  });

  it.each([[undefined], [null], [true], [200], ["OK"], [{}]])(
    "refuses %o from a send as a TypeError, with the request counted",
    async (nonsense) => {
      const message = `Cannot settle the attempt as 'send' must give "ok" or "overloaded": it gave ${String(nonsense)}`;
      const { client, counts } = build();
      expect(() => client.call(() => nonsense as never)).toThrow(new TypeError(message));
      expect(counts()).toEqual([1, 0, 0]);
      await expect(client.call(async () => nonsense as never)).rejects.toThrow(new TypeError(message));
      expect(counts()).toEqual([2, 0, 0]);
    },
  );
});
