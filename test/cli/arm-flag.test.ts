import { describe, expect, it } from "vitest";
import { type ArmChoice, parseArm } from "../../src/cli/flags/arm-flag.ts";

function arms(...texts: readonly string[]): readonly ArmChoice[] {
  return texts.reduce<readonly ArmChoice[]>((before, text) => parseArm(text, before), []);
}

describe("parseArm()", () => {
  it("reads a name, a policy with its options, and a time-out of the arm's own, in any order", () => {
    expect(arms("off:policy=none", "on: k=2, policy=sre ,window=10s,attemptTimeout=250ms")).toEqual([
      { name: "off", policy: { name: "none", options: {}, origin: "--arm off" } },
      {
        name: "on",
        policy: { name: "sre", options: { k: "2", window: "10s" }, origin: "--arm on" },
        timeoutSeconds: 0.25,
      },
    ]);
  });

  it("reads a past of the arm's own, with what its answers take, or none", () => {
    expect(arms("old:policy=sre,age=120s")[0]).toEqual({
      name: "old",
      policy: { name: "sre", options: {}, origin: "--arm old" },
      age: { seconds: 120, latencySeconds: 0.005 },
    });
    const [slow, cold] = arms("slow:age=2m,policy=sre,ageLatency=20ms,window=10s", "new:policy=sre,age=none");
    expect(slow).toMatchObject({ age: { seconds: 120, latencySeconds: 0.02 }, policy: { options: { window: "10s" } } });
    expect(cold?.age).toEqual({ seconds: 0, latencySeconds: 0 });
  });

  it("takes a policy of one's own, and an option of a policy that is named timeout", () => {
    expect(arms("mine:policy=./lib/mine.ts,pause=250ms")[0]?.policy).toMatchObject({
      name: "./lib/mine.ts",
      options: { pause: "250ms" },
    });
    expect(arms("b:policy=gobreaker,timeout=5s")[0]).toMatchObject({ policy: { options: { timeout: "5s" } } });
    expect(arms("b:policy=gobreaker,timeout=5s")[0]).not.toHaveProperty("timeoutSeconds");
  });

  it.each(["a", "K=1.5", "größer", "p99-tuned", "v1.2/b", "手元", "x".repeat(24)])("takes the name %s", (name) => {
    expect(arms(`${name}:policy=none`)[0]?.name).toBe(name);
  });

  it.each([
    ["", "must begin with a name"],
    [":policy=none", "must begin with a name"],
    ["two words:policy=none", "must begin with a name"],
    ["-x:policy=none", "must begin with a name"],
    ["<b>:policy=none", "must begin with a name"],
    ["a\u001b[31m:policy=none", "must begin with a name"],
    [`${"x".repeat(25)}:policy=none`, "at most 24"],
    ["policy=none", "must name one policy"],
    ["on", "must name one policy"],
    ["on:", "must name one policy"],
    ["on:k=2", "must name one policy"],
    ["on:policy=sre,policy=none", "must name one policy"],
    ["on:policy=", "must start with a name"],
    ["on:policy=sre,k", "must list options as key=value"],
    ["on:policy=sre,k=1,k=2", "must give 'k' once"],
    ["on:policy=sre,attemptTimeout=250", "attemptTimeout must be a duration with a unit"],
    ["on:policy=sre,attemptTimeout=0", "attemptTimeout must be longer than nothing"],
    ["on:policy=sre,attemptTimeout=1s,attemptTimeout=2s", "must give 'attemptTimeout' once"],
    ["on:policy=sre,age=120", "on: age must be a duration with a unit"],
    ["on:policy=sre,age=0s", "on: age must be longer than nothing"],
    ["on:policy=sre,age=1s,ageLatency=1s", "on: age must be longer than an answer takes in it, 1 s"],
    ["on:policy=sre,ageLatency=5ms", "on: ageLatency needs age"],
    ["on:policy=sre,age=1s,age=2s", "must give 'age' once"],
  ])("refuses %j", (text, message) => {
    expect(() => arms(text)).toThrow(RangeError);
    expect(() => arms(text)).toThrow(message);
  });

  it("refuses a name that is taken", () => {
    expect(() => arms("on:policy=sre", "on:policy=none")).toThrow("must give each arm a name of its own");
  });
});
