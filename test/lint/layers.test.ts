import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const IMPORTS = "lint/style/noRestrictedImports";
const PLUGIN = "plugin";

/** A file of a tree laid out like this one, and the rule that must refuse it; `null`: nothing may be said against it. */
interface Probe {
  readonly folder: string;
  /** Name of the file when the rule looks at it. */
  readonly file?: string;
  readonly source: string;
  readonly refusedBy: string | null;
}

const take = (specifier: string): string => `import { a } from "${specifier}";\nexport const b = a;\n`;
const takeType = (specifier: string): string => `import type { A } from "${specifier}";\nexport type B = A;\n`;

const refused = (folder: string, specifier: string, refusedBy = IMPORTS): Probe => ({
  folder,
  source: take(specifier),
  refusedBy,
});
const allowed = (folder: string, specifier: string, file?: string): Probe => ({
  folder,
  source: take(specifier),
  refusedBy: null,
  ...(file === undefined ? {} : { file }),
});
const allowedType = (folder: string, specifier: string): Probe => ({
  folder,
  source: takeType(specifier),
  refusedBy: null,
});

/** For each folder of src: those whose files it may import. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  adapters: ["policy"],
  cli: [
    "adapters",
    "comparison",
    "engine",
    "experiment",
    "figures",
    "gate",
    "governor",
    "plan",
    "policy",
    "report",
    "result",
    "stats",
    "world",
  ],
  comparison: ["figures", "plan", "result", "stats"],
  engine: ["governor", "plan", "policy", "stats"],
  experiment: ["comparison", "engine", "figures", "governor", "plan", "policy", "result", "stats"],
  figures: ["result", "stats"],
  gate: ["comparison", "figures", "plan", "result", "stats"],
  governor: [],
  plan: [],
  policy: [],
  report: ["comparison", "figures", "gate", "result", "stats"],
  result: [],
  stats: [],
  world: ["engine", "governor", "plan", "policy", "result", "stats"],
};
const FOLDERS = Object.keys(MAY_IMPORT);
const PURE = ["policy", "governor", "plan", "stats", "figures", "comparison", "gate", "report"];

/** For each package: the only place in src that may import it, and under which name. */
const PACKAGES = [
  { specifier: "undici/index.js", folder: "src/world/real", file: "undici-transport.ts" },
  { specifier: "commander", folder: "src/cli", file: "options.ts" },
  { specifier: "ora", folder: "src/cli", file: "progress.ts" },
  { specifier: "yaml", folder: "src/cli/config", file: "config-document.ts" },
  { specifier: "hdr-histogram-js", folder: "src/engine", file: "histogram.ts" },
  { specifier: "zod", folder: "src/result", file: "schema.ts" },
  { specifier: "d3-scale", folder: "src/report/html", file: "scales.ts" },
  { specifier: "d3-shape", folder: "src/report/html", file: "shapes.ts" },
] as const;

function layerProbes(): Probe[] {
  const probes: Probe[] = [];
  for (const from of FOLDERS) {
    for (const to of FOLDERS) {
      if (from === "engine" && to === "result") {
        continue; // Types only: see contractProbes.
      }
      const mayImport = from === to || MAY_IMPORT[from]!.includes(to);
      const make = mayImport ? allowed : refused;
      probes.push(make(`src/${from}`, `../${to}/thing.ts`), make(`src/${from}/deep`, `../../${to}/thing.ts`));
    }
    probes.push(allowed(`src/${from}`, "./thing.ts"));
    for (const outside of ["../index.ts", "../../bin/overload-bench.ts", "../../targets/a.ts", "../../test/a.ts"]) {
      probes.push(refused(`src/${from}`, outside));
    }
  }
  probes.push(
    refused("src", "./cli/main.ts"),
    allowed("src", "./policy/overload-client.ts"),
    allowed("bin", "../src/cli/main.ts"),
    refused("bin", "../src/engine/loop.ts"),
    refused("bin", "commander"),
    ...["completion", "config", "flags", "live", "push", "session"].flatMap((folder) => [
      refused(`src/cli/${folder}`, "../commands/thing.ts"),
      allowed(`src/cli/${folder}`, "../session/thing.ts"),
      allowed("src/cli/commands", `../${folder}/thing.ts`),
    ]),
    ...["services.ts", "hook-shell.ts", "host.ts"].map(
      (file): Probe => ({ folder: "src/cli", file, source: take("./commands/thing.ts"), refusedBy: IMPORTS }),
    ),
    allowed("src/cli", "./push/thing.ts", "process-host.ts"),
    allowed("src/cli", "./commands/thing.ts", "program.ts"),
    allowed("targets", "./burn.ts"),
    allowed("targets/overloadable", "node:http"),
    ...["script", "timeline", "units"].flatMap((file) => [
      allowed("targets", `../src/plan/${file}.ts`),
      allowed("targets/overloadable", `../../src/plan/${file}.ts`),
      allowedType("targets/overloadable", `../../src/plan/${file}.ts`),
      refused("targets", `undici/src/plan/${file}.ts`),
    ]),
    ...["plan/plan", "plan/streams", "plan/deep/script", "policy/script", "engine/units", "index"].flatMap((file) => [
      refused("targets", `../src/${file}.ts`),
      refused("targets/overloadable", `../../src/${file}.ts`),
    ]),
    refused("targets/overloadable", "../../test/src/plan/script.ts"),
    refused("targets/overloadable", "../../bin/overload-bench.ts"),
    refused("targets", "undici/index.js"),
    allowed("test", "../src/engine/loop.ts"),
  );
  return probes;
}

function contractProbes(): Probe[] {
  const probes: Probe[] = [];
  for (const folder of ["governor", "plan", "stats"]) {
    probes.push(
      allowedType(`src/${folder}`, "../policy/policy.ts"),
      refused(`src/${folder}`, "../policy/policy.ts", PLUGIN),
      { folder: `src/${folder}`, source: takeType("../policy/overload-client.ts"), refusedBy: IMPORTS },
    );
  }
  probes.push(
    allowed("src/stats", "../plan/natural-log.ts"),
    allowed("src/stats", "../plan/inverse-normal.ts"),
    refused("src/stats", "../plan/plan.ts"),
    ...["script", "units"].flatMap((file) => [
      allowed("src/report", `../plan/${file}.ts`),
      allowed("src/report/html", `../../plan/${file}.ts`),
    ]),
    refused("src/report", "../plan/streams.ts"),
    refused("src/report/html", "../../plan/plan.ts"),
    refused("src/report/html", "../../policy/script.ts"),
    allowedType("src/engine", "../result/schema.ts"),
    refused("src/engine", "../result/schema.ts", PLUGIN),
    refused("src/engine/deep", "../../result/schema.ts", PLUGIN),
  );
  return probes;
}

function packageProbes(): Probe[] {
  const probes: Probe[] = [];
  for (const { specifier, folder, file } of PACKAGES) {
    probes.push(allowed(folder, specifier, file));
    for (const other of ["src", ...FOLDERS.map((name) => `src/${name}`), "src/world/virtual", "targets", "bin"]) {
      if (other !== folder || folder === "src/engine" || specifier === "yaml") {
        probes.push(refused(other, specifier));
      }
    }
  }
  for (const folder of [...PURE, "adapters"]) {
    probes.push(refused(`src/${folder}`, "node:fs"), refused(`src/${folder}`, "node:timers/promises"));
  }
  for (const folder of ["engine", "world", "experiment", "result", "cli"]) {
    probes.push(allowed(`src/${folder}`, "node:fs"), allowed(`src/${folder}`, "node:fs/promises"));
  }
  for (const folder of ["src/world/real", "src/cli", "bin", "targets", "test"]) {
    for (const source of [
      take("undici"),
      takeType("undici"),
      'export const lazy = (): Promise<unknown> => import("undici");\n',
      'export type D = import("undici").Dispatcher;\n',
    ]) {
      probes.push({ folder, source, refusedBy: PLUGIN });
    }
  }
  return probes;
}

function ambientProbes(): Probe[] {
  const uses = [
    "Math.random()",
    "Math.log(2)",
    "Math.log2(2)",
    "Math.log10(2)",
    "Math.log1p(2)",
    "Date.now()",
    "Date.now",
    "performance.now()",
    "new Date()",
    "globalThis",
  ];
  const probes: Probe[] = [];
  for (const use of uses) {
    const source = `export const a: unknown = ${use};\n`;
    for (const folder of [...PURE, "engine"]) {
      probes.push({ folder: `src/${folder}`, source, refusedBy: PLUGIN });
    }
    probes.push({ folder: "src/world/real", source, refusedBy: null });
  }
  const harmless = "export const a = (rng: { random(): number }): Date => new Date(Math.sqrt(rng.random()));\n";
  for (const folder of [...PURE, "engine"]) {
    probes.push({ folder: `src/${folder}`, source: harmless, refusedBy: null });
  }
  return probes;
}

const styleProbes: readonly Probe[] = [
  { folder: "src/cli", source: "export default 1;\n", refusedBy: "lint/style/noDefaultExport" },
  { folder: "src/cli", source: "export const a: any = 1;\n", refusedBy: "lint/suspicious/noExplicitAny" },
  { folder: "src/cli", source: "const a = 1;\n", refusedBy: "lint/correctness/noUnusedVariables" },
  { folder: "src/cli", source: 'export { a } from "./a.ts";\n', refusedBy: "lint/performance/noBarrelFile" },
  { folder: "src/cli", source: take("./cycle-left"), refusedBy: "lint/correctness/useImportExtensions" },
  { folder: "src/cli", source: "console.log(1);\n", refusedBy: "lint/suspicious/noConsole" },
  { folder: "src/cli", source: 'export enum A {\n  B = "b",\n}\n', refusedBy: "lint/style/noEnum" },
  {
    folder: "src/cli",
    file: "cycle-left.ts",
    source: take("./cycle-right.ts"),
    refusedBy: "lint/suspicious/noImportCycles",
  },
  {
    folder: "src/cli",
    file: "cycle-right.ts",
    source: take("./cycle-left.ts"),
    refusedBy: "lint/suspicious/noImportCycles",
  },
  {
    folder: "src/cli",
    file: "camelCase.ts",
    source: "export const a = 1;\n",
    refusedBy: "lint/style/useFilenamingConvention",
  },
  {
    folder: "src/cli",
    source: 'import { A } from "./a.ts";\nexport type B = A;\n',
    refusedBy: "lint/style/useImportType",
  },
  {
    folder: "src/cli",
    source:
      'export function f(a: "x" | "y"): number {\n  switch (a) {\n    case "x":\n      return 1;\n  }\n  return 2;\n}\n',
    refusedBy: "lint/nursery/useExhaustiveSwitchCases",
  },
  {
    folder: "src/cli",
    source: "async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}\n",
    refusedBy: "lint/nursery/noFloatingPromises",
  },
  { folder: "src", file: "index.ts", source: 'export { a } from "./policy/a.ts";\n', refusedBy: null },
];

interface Diagnostic {
  readonly category: string;
  readonly severity: string;
  readonly message: string;
  readonly location: { readonly path?: string | { readonly file?: string } };
}

/** Runs the linter once over all probes, each in a file of its own. */
function lint(probes: ReadonlyMap<string, Probe>, tree: string): Map<string, Diagnostic[]> {
  for (const name of ["biome.jsonc", "package.json"]) {
    cpSync(join(root, name), join(tree, name));
  }
  mkdirSync(join(tree, "test/lint"), { recursive: true });
  for (const name of readdirSync(join(root, "test/lint")).filter((each) => each.endsWith(".grit"))) {
    cpSync(join(root, "test/lint", name), join(tree, "test/lint", name));
  }
  for (const [path, probe] of probes) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), probe.source);
  }
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const run = spawnSync("node", [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: tree,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: Diagnostic[] };
  const byFile = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const { path } = diagnostic.location;
    const file = (typeof path === "string" ? path : path?.file) ?? "";
    byFile.set(file, [...(byFile.get(file) ?? []), diagnostic]);
  }
  return byFile;
}

describe("lint rules", () => {
  const groups: Readonly<Record<string, readonly Probe[]>> = {
    "a folder imports only the folders under it": layerProbes(),
    "contracts give away types only": contractProbes(),
    "each package has one importer, and undici is never imported by its plain name": packageProbes(),
    "pure folders and the engine use no ambient time, chance or logarithm": ambientProbes(),
    "the house style is enforced": styleProbes,
    "every folder of src has a rule": readdirSync(join(root, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => refused(`src/${entry.name}`, "fast-check")),
  };
  const probes = new Map<string, Probe>();
  const pathsByGroup = new Map<string, string[]>();
  for (const [group, members] of Object.entries(groups)) {
    const paths: string[] = [];
    for (const probe of members) {
      const path = `${probe.folder}/${probe.file ?? `probe-${probes.size}.ts`}`;
      if (probes.has(path)) {
        throw new Error(`Two probes are called ${path}`);
      }
      probes.set(path, probe);
      paths.push(path);
    }
    pathsByGroup.set(group, paths);
  }
  let tree = "";
  let found = new Map<string, Diagnostic[]>();

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), "overload-bench-lint-"));
    found = lint(probes, tree);
  });
  afterAll(() => {
    rmSync(tree, { recursive: true, force: true });
  });

  test.each([...pathsByGroup])("%s", (_group, paths) => {
    expect(paths.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    for (const path of paths) {
      const { source, refusedBy } = probes.get(path)!;
      const errors = (found.get(path) ?? []).filter((each) => each.severity === "error");
      const asExpected = refusedBy === null ? errors.length === 0 : errors.some((each) => each.category === refusedBy);
      if (!asExpected) {
        const said = errors.map((each) => `${each.category}: ${each.message}`).join("; ") || "nothing";
        wrong.push(`${path} should be refused by ${refusedBy}, the linter said ${said}\n${source}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
