import { describe, expect, it } from "vitest";
import { detailLines } from "../../src/report/trial-details.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { latencyFixture, trialFixture } from "../support/trial-fixture.ts";

type Sentinel = NonNullable<NonNullable<TrialResult["generator"]>["sentinel"]>;

/** The line about the sentinel of a trial. */
function lineOf(sentinel: Sentinel | undefined): string | undefined {
  const generator = {
    cpuSeconds: 1,
    wallSeconds: 10,
    workers: 1,
    inFlightMax: 5,
    stealRatio: 0,
    rssMaxBytes: 1,
    stallMaxMs: 0,
    clockJumpMs: 0,
    ...(sentinel === undefined ? {} : { sentinel }),
  };
  return detailLines(trialFixture({ generator })).find((line) => line.startsWith("Sentinel"));
}

describe("detailLines()", () => {
  it("shows what the sentinel's probes came to", () => {
    const response = { ...latencyFixture(98, 0.2, 1, 3), p90Ms: 0.4 };
    expect(lineOf({ rps: 10, planned: 98, ok: 98, response, worstP90Ms: 0.4 })).toBe(
      "Sentinel     98 probes of a null server, p50 0.20 ms, p90 0.40 ms, max 3.00 ms",
    );
    expect(lineOf({ rps: 10, planned: 100, ok: 98, response, worstP90Ms: 0.4 })).toBe(
      "Sentinel     100 probes of a null server, 2 not answered, p50 0.20 ms, p90 0.40 ms, max 3.00 ms",
    );
  });

  it("names what sent the requests, and tells of TLS sessions that were taken up again", () => {
    const connections = {
      ...{ wanted: 9, opened: 9, failed: 0, preopened: 2, reused: 70, closedByPeer: 0, peak: 6, stale: 0, resumed: 7 },
      addresses: { "127.0.0.1": 9 },
    };
    const text = (change: Partial<TrialResult>): string =>
      detailLines({ ...trialFixture({}), connections, ...change })
        .join(" ")
        .replace(/\s+/g, " ");
    const rest = "9 opened, 2 of them before the start, 7 of them resumed a TLS session, at most 6 at once";
    expect(text({ transport: "wire" })).toContain(`Connections HTTP/1.1 by wire, ${rest}`);
    expect(text({ transport: "undici" })).toContain(`HTTP/1.1 by undici, ${rest}`);
    expect(text({ transport: "http2" })).toContain(`HTTP/2, ${rest}`);
    expect(text({})).toContain(`Connections ${rest}`);
  });

  it("shows no percentiles where no probe was answered, and no line where there was no probe", () => {
    const response = latencyFixture(0, 0, 0, 0);
    expect(lineOf({ rps: 10, planned: 3, ok: 0, response, worstP90Ms: 0.4 })).toBe(
      "Sentinel     3 probes of a null server, 3 not answered",
    );
    expect(lineOf({ rps: 10, planned: 0, ok: 0, response, worstP90Ms: 0.4 })).toBeUndefined();
    expect(lineOf(undefined)).toBeUndefined();
  });

  it("tells of a long stall, of waits and of a CPU limit, and of gaps that are not those of the plan", () => {
    const generator = {
      cpuSeconds: 9,
      wallSeconds: 10,
      workers: 1,
      inFlightMax: 5,
      stealRatio: 0,
      rssMaxBytes: 1,
      busyRatio: 0.2,
      waitRatio: 0.3,
      throttledRatio: 0.02,
      stallMaxMs: 612,
      clockJumpMs: 0,
      gaps: { count: 5000, calls: 1, cv: 0.9, plannedCv: 3e-13, jitter: 0.9, distance: 0.42 },
    };
    const lines = detailLines(trialFixture({ generator })).join(" ").replace(/\s+/g, " ");
    expect(lines).toContain(
      "its thread computes 20 % of the time, idle spinning left out, waits for a processor 30 % of it,",
    );
    expect(lines).toContain("held back by a CPU limit 2.0 % of the time");
    expect(lines).toContain("longest stall 612 ms");
    expect(lines).toContain(
      "Gaps 5,000 between calls, CV 0.90 (planned 0), jitter 0.90 mean gaps, 42 % not as planned",
    );
  });
});
