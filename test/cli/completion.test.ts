import { spawnSync } from "node:child_process";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { completionModel } from "../../src/cli/completion/completion-model.ts";
import { runFake } from "../support/fake-host.ts";

type Shell = "bash" | "zsh" | "fish";

/** Zsh and fish are not everywhere. */
function has(shell: Shell): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

/** @param script its standard input; that of fish can be no pipe of this process, so there it is the first argument. */
function run(shell: Shell, code: string, script = ""): string {
  const words = shell === "fish" ? ["-c", code, script] : ["-c", code];
  const { stdout, stderr, status } = spawnSync(shell, words, { input: script, encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout;
}

/** Reads the script without running it. */
function checkSyntax(shell: Shell): void {
  const { stderr, status } = spawnSync(shell, ["-n", "-c", scripts.get(shell) ?? "("], { encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
}

const scripts = new Map<Shell, string>();

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    const { exitCode, stdout } = await runFake(["completion", shell]);
    expect(exitCode).toBe(0);
    scripts.set(shell, stdout);
  }
});

/** What bash offers for the last of the words. */
function offered(...words: string[]): string[] {
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const code = `eval "$(cat)"; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _overload_bench; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run("bash", code, scripts.get("bash"))
    .split("\n")
    .filter((line) => line !== "");
}

describe("completion bash", () => {
  it("is a script that bash can read", () => {
    checkSyntax("bash");
    expect(run("bash", 'eval "$(cat)"; complete -p overload-bench', scripts.get("bash"))).toContain(
      "-F _overload_bench",
    );
  });

  it("completes commands, and the flags of a command", () => {
    expect(offered("overload-bench", "")).toEqual(
      expect.arrayContaining(["run", "ab", "sweep", "reproduce", "completion"]),
    );
    expect(offered("overload-bench", "rep")).toEqual(["report", "reproduce"]);
    expect(offered("overload-bench", "ab", "--repe")).toEqual(["--repeats"]);
    expect(offered("overload-bench", "policies", "--rep")).toEqual([]);
    expect(offered("overload-bench", "--tw")).toEqual(["--twin"]);
  });

  it("completes policies, choices and documents", () => {
    expect(offered("overload-bench", "ab", "--policy", "sre-s")).toEqual(["sre-sent-only"]);
    expect(offered("overload-bench", "-p", "linkerd-bu")).toEqual(["linkerd-budget"]);
    expect(offered("overload-bench", "ab", "--policy", "=", "sre-s")).toEqual(["sre-sent-only"]);
    expect(offered("overload-bench", "--pacing", "")).toEqual(["precise", "timer"]);
    expect(offered("overload-bench", "policies", "gradient2")).toEqual(["gradient2"]);
    expect(offered("overload-bench", "schema", "")).toEqual(["result", "config", "comparison"]);
  });

  it("offers the models of --sim, metrics, whose chance, and formats", () => {
    expect(offered("overload-bench", "--sim", "")).toEqual(["shed", "fifo", "slope", "bernoulli", "worker"]);
    expect(offered("overload-bench", "compare", "--metric", "good")).toEqual(["goodput"]);
    expect(offered("overload-bench", "ab", "--chance", "")).toEqual(["common", "own"]);
    expect(offered("overload-bench", "--push-format", "")).toEqual(["otlp", "openmetrics"]);
  });

  it("offers the words of a value that may be left out, and flags after it", () => {
    expect(offered("overload-bench", "ab", "--json", "")).toEqual(["line", "pretty"]);
    expect(offered("overload-bench", "ab", "--json", "--du")).toEqual(["--duration"]);
  });

  it("completes files where a file is wanted, and nothing where a text is", () => {
    expect(offered("overload-bench", "--config", "package.j")).toEqual(["package.json"]);
    expect(offered("overload-bench", "--policy", "./package.j")).toEqual(["./package.json"]);
    expect(offered("overload-bench", "reproduce", "package.j")).toEqual(["package.json"]);
    expect(offered("overload-bench", "--rps", "")).toEqual([]);
  });
});

describe.runIf(has("zsh"))("completion zsh", () => {
  it("is a script that zsh can read, and registers itself", () => {
    checkSyntax("zsh");
    const code = 'autoload -Uz compinit; compinit -u -D; eval "$(cat)"; print $_comps[overload-bench]';
    expect(run("zsh", code, scripts.get("zsh"))).toBe("_overload_bench\n");
  });
});

describe.runIf(has("fish"))("completion fish", () => {
  it("is a script that fish can read, and completes by it", () => {
    checkSyntax("fish");
    const ask = (line: string): string[] =>
      run("fish", `printf '%s\\n' $argv[1] | source; complete -C '${line}' | string split -f1 \\t`, scripts.get("fish"))
        .split("\n")
        .filter((word) => word !== "");
    expect(ask("overload-bench rep")).toEqual(["report", "reproduce"]);
    expect(ask("overload-bench ab --policy sre-s")).toEqual(["sre-sent-only"]);
    expect(ask("overload-bench --pacing ")).toEqual(["precise", "timer"]);
    expect(ask("overload-bench ab --repe")).toEqual(["--repeats"]);
  });
});

describe("completion", () => {
  it("has every command and every flag in each script", async () => {
    const help = (await runFake(["ab", "--help"])).stdout;
    const flags = [...help.matchAll(/^ +(?:-\w, )?--([a-z0-9-]+)/gmu)].map(([, name]) => name ?? "");
    expect(flags.length).toBeGreaterThan(40);
    for (const script of scripts.values()) for (const flag of flags) expect(script).toContain(flag);
  });

  it.each(["a;b", "$(x)", "a b", "`x`", "'", "-x", "a\nb", " "])("cannot be made of a name such as %j", (name) => {
    const program = new Command("p");
    program.addCommand(new Command(name));
    expect(() => completionModel(program, "run")).toThrow("a shell would not take it as it is");
  });

  it("refuses other shells in one line", async () => {
    const { exitCode, stderr } = await runFake(["completion", "csh"]);
    expect(stderr).toMatch(/^overload-bench: .*csh.*bash, zsh, fish.*\n$/u);
    expect(exitCode).toBe(2);
  });

  it("tells in its help how to install it", async () => {
    expect((await runFake(["completion", "--help"])).stdout).toContain('eval "$(overload-bench completion bash)"');
  });
});
