import { describe, expect, it } from "vitest";
import { Call } from "../../src/engine/call.ts";
import { Deadlines } from "../../src/engine/deadlines.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";

function inFlight(handedSeconds: number): Call {
  const call = new Call();
  call.handedSeconds = handedSeconds;
  call.phase = "inFlight";
  call.serial = 1;
  return call;
}

describe("Deadlines", () => {
  it("expires each attempt at its own time, and only while it is in flight", () => {
    const events = new EventQueue();
    const expired: [Call, number][] = [];
    const deadlines = new Deadlines(events, 1, (call) => {
      expired.push([call, events.now()]);
      call.phase = "idle";
    });
    const calls = [inFlight(0), inFlight(0.25), inFlight(0.5)];
    for (const call of calls) deadlines.watch(call);
    (calls[1] as Call).phase = "answered";
    events.run(100, () => false);
    expect(expired).toEqual([
      [calls[0], 1],
      [calls[2], 1.5],
    ]);
    expect(deadlines.size).toBe(0);
  });

  it("does not expire a record that serves another attempt meanwhile", () => {
    const events = new EventQueue();
    let expired = 0;
    const deadlines = new Deadlines(events, 1, () => {
      expired += 1;
    });
    const call = inFlight(0);
    deadlines.watch(call);
    call.serial += 1;
    events.run(100, () => false);
    expect(expired).toBe(0);
  });

  it("holds no entry of the attempts that ended: memory does not follow the number of requests", () => {
    const deadlines = new Deadlines(new EventQueue(), 1, () => {});
    for (let i = 0; i < 100_000; i += 1) {
      const call = inFlight(i / 1e6);
      deadlines.watch(call);
      call.phase = "idle";
    }
    expect(deadlines.size).toBe(1);
  });

  it("holds thousands at once in order", () => {
    const events = new EventQueue();
    const expired: number[] = [];
    const deadlines = new Deadlines(events, 1, (call) => {
      expired.push(call.user);
      call.phase = "idle";
    });
    for (let user = 0; user < 5000; user += 1) {
      const call = inFlight(user / 10_000);
      call.user = user;
      deadlines.watch(call);
    }
    events.run(1_000_000, () => false);
    expect(expired).toEqual(Array.from({ length: 5000 }, (_, user) => user));
  });
});
