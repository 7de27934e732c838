import { describe, expect, it } from "vitest";
import { families } from "../../../src/report/push/metrics.ts";
import { renderOpenMetrics } from "../../../src/report/push/openmetrics.ts";
import { renderOtlp } from "../../../src/report/push/otlp.ts";
import { otlpValue, parseOtlp } from "../../support/otlp-check.ts";
import { pushSample } from "../../support/push-sample.ts";

describe("renderOtlp()", () => {
  it("is an ExportMetricsServiceRequest of one resource and one scope, with names, units and times", () => {
    const { resourceMetrics } = parseOtlp(renderOtlp(pushSample()));
    expect(resourceMetrics).toHaveLength(1);
    expect(resourceMetrics[0]!.resource.attributes).toContainEqual({
      key: "service.name",
      value: { stringValue: "overload-bench" },
    });
    const [scope] = resourceMetrics[0]!.scopeMetrics;
    expect(scope!.scope).toEqual({ name: "overload-bench", version: "1.2.3" });
    for (const metric of scope!.metrics) {
      expect(metric.unit).toMatch(/^(?:s|1|\{call\}|\{attempt\}|\{call\}\/s|\{attempt\}\/s)$/);
      for (const point of (metric.sum ?? metric.gauge)!.dataPoints) {
        expect(point.timeUnixNano).toBe("1767323059456000000");
        expect(point.startTimeUnixNano).toBe(metric.sum === undefined ? undefined : "1767323045123000000");
        const keys = point.attributes.map(({ key }) => key);
        expect(keys).toEqual(expect.arrayContaining(["arm", "pair", "policy", "world", "phase", "command"]));
      }
    }
  });

  it("has what grows as cumulative monotonic sums of integers, and everything else as gauges", () => {
    const [{ scopeMetrics }] = parseOtlp(renderOtlp(pushSample())).resourceMetrics as [never];
    const { metrics } = (scopeMetrics as ReturnType<typeof parseOtlp>["resourceMetrics"][number]["scopeMetrics"])[0]!;
    const sums = metrics.filter(({ sum }) => sum !== undefined);
    expect(sums.map(({ name }) => name).toSorted()).toEqual([
      "overload_bench.attempts",
      "overload_bench.attempts.sent",
      "overload_bench.calls",
      "overload_bench.calls.planned",
    ]);
    for (const { sum } of sums) expect(sum).toMatchObject({ aggregationTemporality: 2, isMonotonic: true });
  });

  it("carries the figures", () => {
    const text = renderOtlp(pushSample());
    expect(otlpValue(text, "overload_bench.calls", { outcome: "throttled" })).toBe(850);
    expect(otlpValue(text, "overload_bench.attempts", { class: "overloaded" })).toBe(220);
    expect(otlpValue(text, "overload_bench.attempts.sent")).toBe(703);
    expect(otlpValue(text, "overload_bench.calls.in_flight")).toBe(12);
    expect(otlpValue(text, "overload_bench.goodput")).toBe(34);
    expect(otlpValue(text, "overload_bench.response", { outcome: "ok", quantile: "0.99" })).toBe(0.043);
    expect(otlpValue(text, "overload_bench.lateness", { quantile: "0.99" })).toBe(0.0003);
    expect(otlpValue(text, "overload_bench.verdict", { verdict: "valid" })).toBe(1);
    expect(otlpValue(text, "overload_bench.verdict", { verdict: "invalid" })).toBe(0);
  });

  it("leaves out what is not known yet, and is valid without it", () => {
    const text = renderOtlp(
      pushSample({ rates: undefined, responseOk: undefined, verdict: undefined, calls: {}, attempts: {} }),
    );
    expect(otlpValue(text, "overload_bench.offered")).toBeUndefined();
    expect(otlpValue(text, "overload_bench.verdict", { verdict: "valid" })).toBeUndefined();
    expect(otlpValue(text, "overload_bench.calls.planned")).toBe(1412);
  });
});

describe("renderOpenMetrics()", () => {
  it("is OpenMetrics text: families apart, metadata before samples, units in names, the end marked", () => {
    expect(renderOpenMetrics(pushSample())).toMatchInlineSnapshot(`
      "# TYPE overload_bench_calls counter
      # HELP overload_bench_calls Calls that ended, by outcome
      overload_bench_calls_total{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="ok"} 480
      overload_bench_calls_created{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="ok"} 1767323045.123
      overload_bench_calls_total{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="throttled"} 850
      overload_bench_calls_created{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="throttled"} 1767323045.123
      overload_bench_calls_total{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="failed"} 70
      overload_bench_calls_created{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="failed"} 1767323045.123
      # TYPE overload_bench_calls_planned counter
      # HELP overload_bench_calls_planned Calls of the plan that came due
      overload_bench_calls_planned_total{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 1412
      overload_bench_calls_planned_created{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 1767323045.123
      # TYPE overload_bench_attempts counter
      # HELP overload_bench_attempts Attempts that were sent and ended, by class
      overload_bench_attempts_total{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",class="accepted"} 480
      overload_bench_attempts_created{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",class="accepted"} 1767323045.123
      overload_bench_attempts_total{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",class="overloaded"} 220
      overload_bench_attempts_created{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",class="overloaded"} 1767323045.123
      # TYPE overload_bench_attempts_sent counter
      # HELP overload_bench_attempts_sent Attempts that were sent
      overload_bench_attempts_sent_total{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 703
      overload_bench_attempts_sent_created{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 1767323045.123
      # TYPE overload_bench_calls_in_flight gauge
      # HELP overload_bench_calls_in_flight Calls under way
      overload_bench_calls_in_flight{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 12
      # TYPE overload_bench_offered_calls_per_second gauge
      # UNIT overload_bench_offered_calls_per_second calls_per_second
      # HELP overload_bench_offered_calls_per_second Calls that came due, over the last seconds
      overload_bench_offered_calls_per_second{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 100
      # TYPE overload_bench_sent_attempts_per_second gauge
      # UNIT overload_bench_sent_attempts_per_second attempts_per_second
      # HELP overload_bench_sent_attempts_per_second Attempts sent, over the last seconds
      overload_bench_sent_attempts_per_second{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 44.5
      # TYPE overload_bench_goodput_calls_per_second gauge
      # UNIT overload_bench_goodput_calls_per_second calls_per_second
      # HELP overload_bench_goodput_calls_per_second Calls that ended ok, over the last seconds
      overload_bench_goodput_calls_per_second{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured"} 34
      # TYPE overload_bench_response_seconds summary
      # UNIT overload_bench_response_seconds seconds
      # HELP overload_bench_response_seconds From a call's intended time to its end, so far, by its outcome
      overload_bench_response_seconds{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="ok",quantile="0.5"} 0.026
      overload_bench_response_seconds{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",outcome="ok",quantile="0.99"} 0.043
      # TYPE overload_bench_lateness_seconds summary
      # UNIT overload_bench_lateness_seconds seconds
      # HELP overload_bench_lateness_seconds From a call's intended time to the moment at which the generator came to it, so far
      overload_bench_lateness_seconds{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",quantile="0.99"} 0.0003
      # TYPE overload_bench_verdict gauge
      # HELP overload_bench_verdict 1 for what the generator says of its own measurement, so far
      overload_bench_verdict{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",verdict="valid"} 1
      overload_bench_verdict{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",verdict="suspect"} 0
      overload_bench_verdict{command="ab",arm="on",pair="3",policy="sre (K=2)",world="real",phase="measured",verdict="invalid"} 0
      # EOF
      "
    `);
  });

  it("escapes what names may hold", () => {
    const text = renderOpenMetrics(pushSample({ arm: 'a"b\\c\nd', calls: { ok: 1 } }));
    expect(text).toContain('arm="a\\"b\\\\c?d"');
    expect(text.split("\n").every((line) => line === "" || /^#|^[a-z_]+\{/.test(line))).toBe(true);
  });

  it("has each sample under its own family, whose metadata comes once and first", () => {
    const seen = new Set<string>();
    let family = "";
    for (const line of renderOpenMetrics(pushSample()).trimEnd().split("\n").slice(0, -1)) {
      const [, keyword, name = ""] = /^# (TYPE|UNIT|HELP) (\S+)/.exec(line) ?? [];
      if (keyword === "TYPE") {
        expect(seen.has(name)).toBe(false);
        seen.add(name);
        family = name;
      } else if (keyword !== undefined) expect(name).toBe(family);
      else expect(line.replace(/\{.*$/, "").replace(/_(?:total|created)$/, "")).toBe(family);
    }
    expect(seen.size).toBe(families(pushSample()).length);
  });
});
