/**
 * What the journal costs: nanoseconds a call on the generating thread, milliseconds a second there to take and to hand over
 * what was gained, milliseconds a second on the main thread to make the line, and bytes a second in the file.
 *
 *   bun test/bench/journal-cost.ts
 *   deno run -A test/bench/journal-cost.ts
 */

import { Call } from "../../src/engine/call.ts";
import { lineOfGain } from "../../src/engine/journal-line.ts";
import { Recorder } from "../../src/engine/recorder.ts";
import { stream } from "../../src/plan/streams.ts";
import { median } from "../../src/stats/median.ts";
import { printTable } from "./print-table.ts";

const SECONDS = 30;
/** The first ones are spent on compiling. */
const WARM_SECONDS = 10;
const RATES = [500, 5000, 20_000];

/** A second of calls: 70 % come back ok and 30 % as 503, exponential around 5 ms, all in microseconds of their own. */
function record(recorder: Recorder, second: number, rps: number, random: () => number): void {
  const call = new Call();
  for (let index = 0; index < rps; index += 1) {
    call.intendedSeconds = second + index / rps;
    call.user = index % 100;
    call.handedSeconds = call.intendedSeconds + 0.0002 * random();
    recorder.arrived(call, call.handedSeconds, "started");
    recorder.handed(call);
    call.startedSeconds = call.handedSeconds + 0.0001 * random();
    const ok = random() < 0.7;
    call.status = ok ? 200 : 503;
    const doneSeconds = call.startedSeconds - 0.005 * Math.log(1 - random());
    recorder.attemptEnded(call, ok ? "accepted" : "overloaded", doneSeconds);
    recorder.callEnded(call, ok ? "ok" : "failed", doneSeconds);
  }
}

interface Costs {
  readonly nsPerCall: number;
  readonly takeMs: number;
  readonly handOverMs: number;
  readonly lineMs: number;
  readonly bytes: number;
}

function measure(rps: number, keepsGain: boolean): Costs {
  const recorder = new Recorder(100, 0, SECONDS, keepsGain);
  const target = stream(1, "target");
  const samples: Costs[] = [];
  for (let second = 0; second < SECONDS; second += 1) {
    const begin = performance.now();
    record(recorder, second, rps, () => target.random());
    const recorded = performance.now();
    const gain = recorder.takeGain();
    const taken = performance.now();
    const copy = structuredClone(gain);
    const handedOver = performance.now();
    const line = JSON.stringify(
      lineOfGain({
        elapsedSeconds: second + 1,
        arrivalsEndSeconds: second + 1,
        drainSeconds: 0,
        worstLatenessP99Seconds: 0,
        gained: copy,
        open: recorder.openGain(() => {}),
        facts: { startedAt: "" },
      }),
    );
    const written = performance.now();
    if (second < WARM_SECONDS) continue;
    samples.push({
      nsPerCall: ((recorded - begin) * 1e6) / rps,
      takeMs: taken - recorded,
      handOverMs: handedOver - taken,
      lineMs: written - handedOver,
      bytes: line.length,
    });
  }
  const medianOf = (figure: keyof Costs): number => median(samples.map((sample) => sample[figure]));
  return {
    nsPerCall: medianOf("nsPerCall"),
    takeMs: medianOf("takeMs"),
    handOverMs: medianOf("handOverMs"),
    lineMs: medianOf("lineMs"),
    bytes: medianOf("bytes"),
  };
}

const rows = RATES.map((rps) => {
  const without = measure(rps, false);
  const kept = measure(rps, true);
  return [
    String(rps),
    (kept.nsPerCall - without.nsPerCall).toFixed(0),
    kept.takeMs.toFixed(3),
    kept.handOverMs.toFixed(3),
    kept.lineMs.toFixed(2),
    (kept.bytes / 1000).toFixed(1),
  ];
});
printTable([["calls/s", "ns/call more", "take ms/s", "hand over ms/s", "line ms/s", "KB/s"], ...rows]);
