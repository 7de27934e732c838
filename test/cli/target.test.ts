import { describe, expect, it } from "vitest";
import { runFake } from "../support/fake-host.ts";

const services = { targetCommand: (name: string) => ({ command: "runtime", args: [`${name}-file`] }) };

describe("main() with target", () => {
  it.each([
    [["nginx", "--rate", "200/s", "--tls"], "nginx-file --exit-with-parent --rate 200/s --tls"],
    [["haproxy"], "haproxy-file --exit-with-parent"],
    [["null", "--port", "0"], "null-file --exit-with-parent --port 0"],
    [["overloadable", "--mode", "fifo"], "overloadable-file --exit-with-parent --mode fifo"],
    [["shed:acceptMs=1"], "overloadable-file --exit-with-parent shed:acceptMs=1"],
    [["slope:baseMs=50"], "overloadable-file --exit-with-parent slope:baseMs=50"],
    [["bernoulli", "--seed", "7"], "overloadable-file --exit-with-parent bernoulli --seed 7"],
    [
      ["--script", "20s..23s:capacity=0.25,40s..:outage"],
      "overloadable-file --exit-with-parent --script 20s..23s:capacity=0.25,40s..:outage",
    ],
    [["--port", "0"], "overloadable-file --exit-with-parent --port 0"],
    [[], "overloadable-file --exit-with-parent"],
    [["nginx", "--help"], "nginx-file --exit-with-parent --help"],
  ])("%j starts the right program and hands the flags on", async (words, command) => {
    const { events, exitCode, stdout } = await runFake(["target", ...words], { services });
    expect(events).toEqual([`foreground runtime ${command}`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
  });

  it("names the targets when the first word is none", async () => {
    const { exitCode, stderr } = await runFake(["target", "ngnix"]);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'overload-bench: target must be one of overloadable, nginx, haproxy, null, or settings of the built-in one: current value is "ngnix"\n',
    );
  });

  it("lists the targets with --help before the flags of the default one", async () => {
    const { events, stdout } = await runFake(["target", "--help"], { services });
    for (const name of ["overloadable", "nginx", "haproxy", "null"])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(events).toEqual(["foreground runtime overloadable-file --exit-with-parent --help"]);
  });
});
