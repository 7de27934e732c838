/** A process for the command line that is none: arguments in, text and an exit code out. */

import type { Host, StopSignal } from "../../src/cli/host.ts";
import { main } from "../../src/cli/main.ts";
import type { Services } from "../../src/cli/services.ts";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { meanRps } from "../../src/plan/describe.ts";
import type { Result, TargetStats } from "../../src/result/schema.ts";
import type { ResultStore } from "../../src/result/store.ts";
import { StoreError } from "../../src/result/store-error.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { startTrials } from "../../src/world/trial-pool.ts";
import { thisThread } from "../../src/world/trial-thread.ts";

export interface FakeRunOutcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was saved, in order; the last one is the final result. */
  readonly saved: readonly { readonly result: Result; readonly final: boolean }[];
  /** The trials that were started. */
  readonly specs: readonly TrialSpec[];
  readonly events: readonly string[];
  /** Reports that were written, by their paths. */
  readonly reports: ReadonlyMap<string, string>;
}

export interface FakeSetup {
  readonly env?: Record<string, string>;
  readonly services?: Partial<Services>;
  readonly files?: Record<string, string>;
  readonly isTTY?: boolean;
  /** What somebody types who is asked, of all that stderr says by then; without it there is nobody to ask. */
  readonly answer?: (stderr: string) => Awaited<ReturnType<Host["ask"]>>;
  /** Sends signals to the program: called with a sender before it starts. */
  readonly signals?: (send: (signal: StopSignal) => void) => void;
  /** Called when a trial starts. */
  readonly onTrial?: (spec: TrialSpec, send: (signal: StopSignal) => void) => void;
}

const STATS: TargetStats = {
  accepted: 10,
  rejected: 20,
  abandoned: 0,
  cpuAcceptSeconds: 1,
  cpuRejectSeconds: 2,
  cpuTotalSeconds: 4,
  wallSeconds: 5,
  queueMax: 50,
};

/**
 * Runs the program with `args`. Real trials are executed as virtual ones with the same plan and policy, so that they take
 * milliseconds and give the same figures each time.
 */
export async function runFake(args: readonly string[], setup: FakeSetup = {}): Promise<FakeRunOutcome> {
  let stdout = "";
  let stderr = "";
  const saved: { result: Result; final: boolean }[] = [];
  const specs: TrialSpec[] = [];
  const events: string[] = [];
  const reports = new Map<string, string>();
  const handlers = new Set<(signal: StopSignal) => void>();
  const send = (signal: StopSignal): void => {
    for (const handler of handlers) handler(signal);
  };
  const host: Host = {
    args,
    env: setup.env ?? {},
    stdout: {
      write(text) {
        stdout += text;
      },
      isTTY: false,
      columns: undefined,
    },
    stderr: {
      write(text) {
        stderr += text;
      },
      isTTY: setup.isTTY ?? false,
      columns: 80,
    },
    canAsk: setup.answer !== undefined,
    async ask(question) {
      stderr += question;
      return setup.answer?.(stderr);
    },
    now: () => new Date("2026-01-02T03:04:05Z"),
    readBytes: async (path) => new TextEncoder().encode(await readFrom(setup.files, path)),
    onSignal(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    exit: (code) => void events.push(`exit ${code}`),
    runForeground: async (command, flags) => {
      events.push(`foreground ${command} ${flags.join(" ")}`);
      return 0;
    },
  };
  const store: ResultStore = {
    prepare: async () => {},
    async save(result, { final }) {
      saved.push({ result, final });
      return { path: final ? "results/fake.json" : "results/fake.partial.json" };
    },
    startJournal: async () => undefined,
  };
  const services: Services = {
    startTrial(spec, progress, aboutToStart) {
      specs.push(spec);
      events.push(`trial ${spec.arm} ${spec.pair}`);
      let stopped = false;
      setup.onTrial?.(spec, send);
      const result = Promise.resolve().then(() =>
        executeTrial(asVirtual(spec), { stopRequested: () => stopped, progress, aboutToStart }),
      );
      return {
        result,
        stop: () => {
          stopped = true;
        },
        kill: () => {
          events.push("kill");
        },
      };
    },
    startTrials(simulated, options = {}) {
      const started = (index: number): void => {
        const spec = simulated[index] as TrialSpec;
        specs.push(spec);
        events.push(`trial ${spec.arm} ${spec.pair}`);
        setup.onTrial?.(spec, send);
        options.started?.(index);
      };
      const running = startTrials(simulated, { ...options, started }, thisThread);
      return {
        ...running,
        kill() {
          events.push("kill");
          running.kill();
        },
      };
    },
    defaultWorkers: () => 1,
    async startTarget({ spec, script }) {
      events.push(`target ${spec}${script === undefined ? "" : ` --script ${script}`}`);
      return {
        url: "http://127.0.0.1:4000",
        pid: 1,
        processor: undefined,
        died: () => undefined,
        stop: async () => void events.push("target stopped"),
        kill: () => void events.push("target killed"),
      };
    },
    startNullServer: async () => ({
      url: "http://127.0.0.1:4001",
      pid: 2,
      died: () => undefined,
      said: () => "",
      stop: async () => {},
      kill() {},
    }),
    targetCommand: () => ({ command: "runtime", args: ["target-file"] }),
    endpointTarget: () => ({
      idleRule: async () => "until it is idle",
      async untilIdle() {
        events.push("idle");
        return undefined;
      },
      watch: async () => ({ end: async () => ({ stats: STATS }) }),
    }),
    whyUnreachable: async () => undefined,
    preflight: () => [],
    busyShare: async () => 0,
    resultStore: () => store,
    journals: {
      find: async () => [],
      isBeingWritten: async () => false,
      read: () => {
        throw new Error("no journal");
      },
      remove: async () => {},
    },
    calibrationStore: () => ({
      find: async () => ({ calibration: undefined }),
      save: async () => ({ path: "cache/calibration.json" }),
    }),
    reports: {
      async prepare(path) {
        if (setup.files?.[path]?.includes("schemaVersion") !== true) return;
        const problem = `Cannot write a report to '${path}' as it holds a result, which is never overwritten`;
        throw new StoreError("exists", path, problem, "give the report another name");
      },
      placeOf: async (path) => path,
      write: async (path, text) => void reports.set(path, text),
      append: async (path, text) => void reports.set(path, (reports.get(path) ?? "") + text),
    },
    sendPush: async () => undefined,
    hookShell: () => ({
      async run(command, phase) {
        events.push(`hook ${command} ${phase}`);
        return undefined;
      },
      leave: (command, phase) => void events.push(`hook left ${command} ${phase}`),
    }),
    claimFile: async () => ({ write: async () => {}, discard: async () => {} }),
    environment: () => ({
      runtime: "node",
      runtimeVersion: "20.18.1",
      platform: "linux",
      arch: "x64",
      cpuModel: "test",
      cpus: 2,
      memoryBytes: 1,
    }),
    version: () => "0.0.0-test",
    ...setup.services,
  };
  setup.signals?.(send);
  const exitCode = await main(host, services);
  return { exitCode, stdout, stderr, saved, specs, events, reports };
}

/** What a search finds of a real target, per second. */
export const FOUND_CAPACITY = 100;

function asVirtual(spec: TrialSpec): TrialSpec {
  if (spec.world.kind === "virtual") return spec;
  const model = {
    name: "shed",
    // A search begins with next to nothing.
    capacity: spec.governor === undefined ? meanRps(spec.plan) / 2 : FOUND_CAPACITY,
    burst: 10,
    rejectCost: 0.3,
    latencySeconds: 0,
  } as const;
  return { ...spec, workers: 1, world: { kind: "virtual", model } };
}

async function readFrom(files: Record<string, string> | undefined, path: string): Promise<string> {
  const text = files?.[path];
  if (text === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  return text;
}
