import { describe, expect, test } from "vitest";
import { whenAborted } from "../../src/adapters/abort-listeners.ts";

describe("whenAborted()", () => {
  test("tells every listener that is still there, each once and in order", () => {
    const controller = new AbortController();
    const told: number[] = [];
    const removals = Array.from({ length: 30 }, (_, index) => whenAborted(controller.signal, () => told.push(index)));
    removals[1]?.();
    removals[1]?.();
    controller.abort();
    controller.abort();
    expect(told).toEqual([0, ...Array.from({ length: 28 }, (_, index) => index + 2)]);
  });

  test("adds one listener to the signal, and takes it off with the last of its own", () => {
    let added = 0;
    let removed = 0;
    const controller = new AbortController();
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      added += 1;
      add(...args);
    }) as typeof signal.addEventListener;
    const remove = signal.removeEventListener.bind(signal);
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      removed += 1;
      remove(...args);
    }) as typeof signal.removeEventListener;
    const told: string[] = [];
    const first = whenAborted(signal, () => told.push("first"));
    const second = whenAborted(signal, () => told.push("second"));
    expect([added, removed]).toEqual([1, 0]);
    first();
    second();
    second();
    expect([added, removed]).toEqual([1, 1]);
    whenAborted(signal, () => told.push("third"));
    first();
    expect([added, removed]).toEqual([2, 1]);
    controller.abort();
    expect(told).toEqual(["third"]);
  });
});
