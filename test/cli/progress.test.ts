import { describe, expect, it } from "vitest";
import type { Host } from "../../src/cli/host.ts";
import type { Screen } from "../../src/cli/live/live-screen.ts";
import { createProgress, type Progress } from "../../src/cli/live/progress.ts";
import { gainOfLine } from "../../src/engine/journal-line.ts";
import { LiveTrial } from "../../src/engine/live-trial.ts";
import type { TrialProgress } from "../../src/engine/trial-spec.ts";
import { journalSecond } from "../support/live-fixture.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";
import { trialSpec } from "../support/trial-spec.ts";

interface Setup {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly env?: Record<string, string>;
  readonly quiet?: boolean;
}

/** Time that passes when the test says so. */
class Clock {
  #ms = 5000;
  readonly #tasks = new Set<{ readonly periodMs: number; dueMs: number; readonly run: () => void }>();
  readonly now = (): number => this.#ms;
  readonly every = (periodMs: number, run: () => void): (() => void) => {
    const task = { periodMs, dueMs: this.#ms + periodMs, run };
    this.#tasks.add(task);
    return () => this.#tasks.delete(task);
  };
  pass(ms: number): void {
    this.#ms += ms;
    for (const task of this.#tasks) {
      for (; task.dueMs <= this.#ms; task.dueMs += task.periodMs) task.run();
    }
  }
}

class FakeScreen implements Screen {
  readonly size = { columns: 77, rows: 23 };
  readonly drawn: string[] = [];
  closed = 0;
  draw(lines: readonly string[]): void {
    this.drawn.push(lines.join("\n"));
  }
  close(): void {
    this.closed += 1;
  }
}

function open({ isTTY = false, columns, env = {}, quiet = false }: Setup): {
  readonly progress: Progress;
  readonly screens: FakeScreen[];
  readonly clock: Clock;
  stderr(): string;
} {
  let stderr = "";
  const screens: FakeScreen[] = [];
  const host = {
    stderr: {
      write(text: string) {
        stderr += text;
      },
      isTTY,
      columns,
    },
    env,
  } as unknown as Host;
  const clock = new Clock();
  const progress = createProgress(host, quiet, {
    nowMs: clock.now,
    every: clock.every,
    openScreen: () => {
      screens.push(new FakeScreen());
      return screens.at(-1) as FakeScreen;
    },
  });
  return { progress, screens, clock, stderr: () => stderr };
}

function at(elapsedSeconds: number): TrialProgress {
  const calls = Math.floor(100 * elapsedSeconds);
  return {
    elapsedSeconds,
    planned: calls,
    ok: calls,
    throttled: 0,
    failed: 0,
    attempts: calls,
    inFlight: 3,
    latenessP99Ms: 0.2,
  };
}

/** `seconds` of a trial, as the main thread hears of it. */
function play(
  { progress, clock }: Pick<ReturnType<typeof open>, "progress" | "clock">,
  arm: string,
  pair: number,
  seconds: number,
): void {
  const trial = new LiveTrial({ ...trialSpec(), arm, pair, world: { kind: "real" } });
  progress.begin(`${arm} (pair ${pair + 1} of 2)`, 30, trial);
  for (let tick = 1; tick <= 5 * seconds; tick += 1) {
    clock.pass(200);
    progress.update(at(tick / 5));
    if (tick % 5 === 0) trial.add(gainOfLine(journalSecond(tick / 5)));
  }
}

const LAYOUT = {
  arms: [
    { name: "off", seconds: 30 },
    { name: "on", seconds: 30 },
  ],
  pairs: 2,
};
const ONE_ENDED = resultFixture([trialFixture({ arm: "off" })], { command: "ab", partial: true });

describe("createProgress()", () => {
  it.each<[string, Setup]>([
    ["there is no terminal", { isTTY: false, columns: undefined }],
    ["the terminal does not know its width", { isTTY: true, columns: undefined }],
    ["the terminal cannot move its cursor", { isTTY: true, columns: 80, env: { TERM: "dumb" } }],
    ["a build server keeps all that was drawn", { isTTY: true, columns: 80, env: { CI: "true" } }],
  ])("writes plain lines where %s: one when a trial begins, one every five seconds", (_why, setup) => {
    const opened = open(setup);
    const { progress, screens, stderr } = opened;
    progress.planned(LAYOUT, []);
    play(opened, "off", 0, 12);
    progress.end();
    expect(screens).toHaveLength(0);
    const lines = stderr().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe("off (pair 1 of 2)");
    expect(lines[1]).toMatch(
      /^off \(pair 1 of 2\) {2}5\/30 s, 25 s left · 0\/4 trials, .*goodput 34\.0\/s.*valid so far$/,
    );
    expect(lines[2]).toContain("10/30 s");
    expect(lines[3]).toBe("");
  });

  it("never lets an escape sequence reach what is no terminal, whatever servers and files are called", () => {
    const opened = open({});
    const { progress, stderr } = opened;
    const evil = "\u001b[31m\u001b]0;title\u0007\u009b2J\rname";
    progress.begin(evil, 10);
    opened.clock.pass(6000);
    progress.update(at(6));
    progress.simulated(evil);
    progress.note(`a note\nof two lines with ${evil}`);
    progress.ended(ONE_ENDED);
    progress.end();
    expect(stderr()).toContain("a note\nof two lines");
    expect(stderr().replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  it("draws on a terminal, at most four times a second however often there is news", () => {
    const opened = open({ isTTY: true, columns: 80, env: { TERM: "xterm", CI: "false" } });
    const { progress, screens, stderr } = opened;
    progress.planned(LAYOUT, []);
    play(opened, "off", 0, 10);
    expect(screens).toHaveLength(1);
    const { drawn } = screens[0] as FakeScreen;
    expect(drawn.length).toBeGreaterThan(30);
    expect(drawn.length).toBeLessThanOrEqual(41);
    expect(drawn.at(-1)).toContain("10/30 s");
    expect(drawn.at(-1)).toContain("34.0/s");
    expect(stderr()).toBe("");
    progress.end();
  });

  it("keeps one screen for all trials, and shows those that ended", () => {
    const opened = open({ isTTY: true, columns: 80 });
    const { progress, screens } = opened;
    progress.planned(LAYOUT, []);
    play(opened, "off", 0, 2);
    progress.ended(ONE_ENDED);
    play(opened, "on", 0, 2);
    expect(screens).toHaveLength(1);
    expect(screens[0]?.drawn.at(-1)).toMatch(/on \(pair 1 of 2\)[\s\S]*1\/4 trials[\s\S]*pair 1 +1,000\/s/);
    progress.end();
  });

  it("writes notes as they are: the screen makes room for them", () => {
    const opened = open({ isTTY: true, columns: 80 });
    const { progress, stderr } = opened;
    progress.note("before");
    play(opened, "off", 0, 1);
    progress.note("meanwhile");
    progress.end();
    progress.note("after");
    expect(stderr()).toBe("before\nmeanwhile\nafter\n");
  });

  it("gives the screen back at the end, draws no more, and opens another one when something begins again", () => {
    const opened = open({ isTTY: true, columns: 80 });
    const { progress, screens } = opened;
    play(opened, "off", 0, 1);
    progress.end();
    progress.end();
    expect(screens[0]?.closed).toBe(1);
    const drawn = screens[0]?.drawn.length;
    opened.clock.pass(5000);
    expect(screens[0]?.drawn).toHaveLength(drawn as number);
    play(opened, "on", 0, 1);
    expect(screens).toHaveLength(2);
    progress.end();
  });

  it("shows nothing but notes when it is to be quiet", () => {
    const opened = open({ isTTY: true, columns: 80, quiet: true });
    const { progress, screens, stderr } = opened;
    play(opened, "off", 0, 10);
    progress.simulated("1 of 2");
    progress.note("a note");
    progress.end();
    expect(screens).toHaveLength(0);
    expect(stderr()).toBe("a note\n");
  });
});
