import { describe, expect, test } from "vitest";
import { cutOffBody, DRAIN_BYTES_MAX, drainBody } from "../../src/adapters/drain-body.ts";

interface Source {
  readonly body: ReadableStream<Uint8Array>;
  pulls: number;
  cancelled: boolean;
}

function source(pull: (controller: ReadableStreamDefaultController<Uint8Array>, pulls: number) => void): Source {
  const made = {
    pulls: 0,
    cancelled: false,
    body: new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          made.pulls += 1;
          pull(controller, made.pulls);
        },
        cancel() {
          made.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    ),
  };
  return made;
}

describe("drainBody()", () => {
  test("reads a short body to its end", async () => {
    const short = source((controller, pulls) => {
      if (pulls > 3) controller.close();
      else controller.enqueue(new Uint8Array(100));
    });
    await drainBody(short.body);
    expect([short.pulls, short.cancelled]).toEqual([4, false]);
  });

  test("cuts a long one off", async () => {
    const long = source((controller) => controller.enqueue(new Uint8Array(10_000)));
    await drainBody(long.body);
    expect(long.cancelled).toBe(true);
    expect(long.pulls).toBe(Math.floor(DRAIN_BYTES_MAX / 10_000) + 1);
  });

  test("cuts one off that does not end", async () => {
    const hanging = source((controller, pulls) => {
      if (pulls === 1) controller.enqueue(new Uint8Array(1));
    });
    await drainBody(hanging.body);
    expect(hanging.cancelled).toBe(true);
  });

  test("takes one that breaks, or that somebody else reads, as done", async () => {
    await drainBody(source((controller) => controller.error(new Error("broken"))).body);
    const { body } = source(() => {});
    body.getReader();
    await drainBody(body);
    cutOffBody(body);
    cutOffBody(null);
    const unread = source(() => {});
    cutOffBody(unread.body);
    expect(unread.cancelled).toBe(true);
  });
});
