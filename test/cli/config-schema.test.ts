import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ConfigFiles } from "../../src/cli/config/config-file.ts";
import { keyOf } from "../../src/cli/flags/flag-texts.ts";
import type { Host } from "../../src/cli/host.ts";
import { buildProgram } from "../../src/cli/program.ts";
import type { Services } from "../../src/cli/services.ts";
import { runFake } from "../support/fake-host.ts";
import { type JsonSchema, schemaIssues } from "../support/json-schema-check.ts";

let schema: JsonSchema;

beforeAll(async () => {
  schema = JSON.parse((await runFake(["schema", "config"])).stdout) as JsonSchema;
});

const SIM = "sim: shed:capacity=100\nrps: 500\n";

/** Whether the program takes a file, and the schema its content. */
async function verdictsOf(file: string): Promise<{ readonly program: boolean; readonly schema: boolean }> {
  const { exitCode } = await runFake(["--config", "f", "--dry-run"], { files: { f: file } });
  return { program: exitCode === 0, schema: schemaIssues(schema, parse(file)).length === 0 };
}

describe("schema config", () => {
  it("has each key that some command takes, and no other", () => {
    const host = { env: {} } as Host;
    const program = buildProgram(host, { version: () => "1" } as Services, new ConfigFiles(host), () => {});
    const taking = program.commands.filter(({ options }) => options.some((option) => option.long === "--config"));
    const keys = taking.flatMap(({ options }) => options.map(keyOf)).filter((key) => key !== "config");
    expect(new Set(Object.keys(schema.properties ?? {}))).toEqual(new Set(["$schema", "command", ...keys]));
    expect(taking.map((command) => command.name())).toEqual(schema.properties?.command?.enum);
    expect(schema).toMatchObject({ $schema: expect.stringContaining("2020-12"), additionalProperties: false });
  });

  it("tells of each key what it means, and of many what they take", () => {
    for (const [key, one] of Object.entries(schema.properties ?? {})) expect(one.description, key).toMatch(/\w/u);
    expect(schema.properties).toMatchObject({
      pacing: { enum: ["precise", "timer"], default: "precise" },
      pin: { type: "boolean", default: true },
      command: { enum: ["run", "ab", "sweep", "recovery", "capacity", "calibrate"] },
    });
  });

  it.each([
    `${SIM}max-in-flight: 50\nlate: drop:50ms\nokOn: [200, 204]\nno-pin: true\n`,
    `$schema: ./s.json\n${SIM}noPin: true\ndnsTtl: 5s\nwarmup: 0\nvus: 1_000\n`,
    `${SIM}policy: {name: sre, k: 1.5}\nheader: "A: b"\njson: true\nassert: ["goodput>=0.1*offered", "waste<=1"]\n`,
    `${SIM}json: pretty\nresolve: []\ncriticality: critical=1\nduration: 1m30s\n`,
    `command: ab\n${SIM}arm: ["off:policy=none", {name: on, policy: {name: sre, k: 2}}]\nrepeats: 2\n`,
    `${SIM}age: 2m\n`,
    `${SIM}age: 20s,latency=20ms\n`,
    `command: ab\n${SIM}age: none\narm: [{name: new, policy: sre, age: none}, {name: old, policy: sre, age: 20s, ageLatency: 2ms}]\n`,
    `command: sweep\n${SIM}k: [1.1, 1.5]\nwindow: [3s, 10s]\n`,
    "sim: shed:capacity=100\nrps: 2x-capacity\ngovernor: high=10%,window=1s\n",
    "command: sweep\nsim: shed:capacity=100\nrps: [0.9x-capacity, capacity, 300]\n",
    "command: sweep\nsim: shed:capacity=100\nrps: [500, 1000]\npolicy: [sre, {name: retry, maxAttempts: 2}]\nlimit: [waste<=0.3]\n",
  ])("%j: what the program takes, the schema takes", async (file) => {
    expect(schemaIssues(schema, parse(file))).toEqual([]);
    expect(await verdictsOf(file)).toEqual({ program: true, schema: true });
  });

  it.each([
    "rsp: 5",
    "config: other",
    `${SIM}duration: 30`,
    `${SIM}pin: 1`,
    `${SIM}pacing: sometimes`,
    `${SIM}vus: 0`,
    `${SIM}max-response: 5`,
    `${SIM}policy: {k: 2}`,
    `${SIM}policy: {name: sre, k: [2]}`,
    `${SIM}header: {A: b}`,
    `command: attack\n${SIM}`,
    `$schema: 5\n${SIM}`,
    "rps: -5",
    `${SIM}max-in-flight: 5/h`,
    "url: ftp://h/",
  ])("%j: what the schema refuses, the program refuses", async (file) => {
    expect(await verdictsOf(file)).toEqual({ program: false, schema: false });
  });

  it("takes the configuration files of the README, and so does the program", async () => {
    const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
    const files = [...readme.matchAll(/```yaml\n(# overload-bench .*--config[\s\S]*?)```/gu)].map(
      ([, file]) => file ?? "",
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(await verdictsOf(file), file).toEqual({ program: true, schema: true });
  });
});

describe("schema", () => {
  it.each(["result", "config", "comparison"])("%s: prints a schema with a title", async (document) => {
    const { exitCode, stdout } = await runFake(["schema", document]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ title: expect.stringContaining(document), type: "object" });
  });

  it("refuses other documents in one line", async () => {
    const { exitCode, stderr } = await runFake(["schema", "journal"]);
    expect(stderr).toMatch(
      /^overload-bench: command-argument value 'journal' is invalid.*result, config, comparison.*\n$/u,
    );
    expect(exitCode).toBe(2);
  });

  it("is made of the commands that it is given", async () => {
    const { configJsonSchema } = await import("../../src/cli/config/config-schema.ts");
    const only = new Command("only").option("--config <file>").option("--colour <name>", "which one");
    expect(configJsonSchema([only, new Command("other").option("--size <n>")])).toMatchObject({
      properties: { command: { enum: ["only"] }, colour: { description: "which one" } },
    });
    expect(configJsonSchema([only])).not.toHaveProperty("properties.size");
  });
});
