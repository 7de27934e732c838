import { describe, expect, it } from "vitest";
import { runFake } from "../support/fake-host.ts";

describe("main() with bad input", () => {
  it.each<[string[], string]>([
    [["--bogus"], "unknown option '--bogus'"],
    [["frobnicate"], "too many arguments for 'run'"],
    [["--rps", "abc"], '--rps must be a positive rate such as 2000, 2000/s or 120/m: current value is "abc"'],
    [["--rps", "0"], '--rps must be a positive rate such as 2000, 2000/s or 120/m: current value is "0"'],
    [
      ["--rps", "2000000"],
      "The load is out of range: Cannot plan as 'rps' must be a number above 0 and at most 1000000",
    ],
    [["--duration", "10"], '--duration must be a duration with a unit such as 250ms, 10s or 2m: current value is "10"'],
    [["--duration", "0"], '--duration must be longer than nothing: current value is "0"'],
    [["--vus", "1.5"], "--vus must be a positive whole number"],
    [["--seed", "-1"], "--seed must be a whole number from 0"],
    [["--arrival", "weird"], '--arrival must be one of poisson, constant, bursty: current value is "weird"'],
    [["--arrival", "poisson,peak=5"], "--arrival must not give poisson an option 'peak'"],
    [["--arrival", "bursty,peak=0.5"], "--arrival must"],
    [["--arrival", "bursty,size=5"], "size"],
    [["--stages", "10s"], "--stages must"],
    [["--stages", "10s@5..x"], "--stages must"],
    [["--stages", "10s@0"], "The load is out of range"],
    [["--stages", "10s@5", "--rps", "5"], "--rps and --stages exclude each other"],
    [["--stages", "10s@5", "--duration", "5s"], "--stages and --duration exclude each other"],
    [["--sine", "500"], "--sine must"],
    [["--sine", "500..100,period=60s"], "--sine must"],
    [["--sine", "5..10,period=6s", "--rps", "5"], "--rps and --sine exclude each other"],
    [["--replay", "missing"], '--replay must be a file that can be read: current value is "missing" (ENOENT)'],
    [["--replay", "bad"], "--replay bad:"],
    [["--replay", "bad", "--arrival", "constant"], "--replay and --arrival exclude each other"],
    [["--replay-speed", "2"], "--replay-speed is for --replay"],
    [["--replay-speed", "0"], "--replay-speed must be a number above 0"],
    [["--warmup", "1500ms"], '--warmup must be a whole number of seconds: current value is "1500ms"'],
    [["--late", "never"], "--late must be send, or drop with a time such as drop:50ms"],
    [["--late", "drop:0"], "--late must be longer than nothing"],
    [["--workers", "0"], "--workers must be a positive whole number"],
    [["--workers", "8", "--vus", "4"], "--workers must be at most the virtual users (4)"],
    [["--workers", "0", "--sim", "shed:capacity=1", "--rps", "1"], "--workers must be a positive whole number"],
    [["--workers", "two", "--sim", "shed:capacity=1", "--rps", "1"], "--workers must be a positive whole number"],
    [["--script", "nonsense"], "--script must be changes such as 20s..23s:capacity=0.25"],
    [["--script", "20s..10s:outage"], "--script must end each change after its beginning"],
    [["--script", "1s..9s:outage,5s..:capacity=0.5"], "--script must not change the same thing twice at a time"],
    [["--script", "1s..2s:speed=2"], "--script must change something known"],
    [["--script", "1..2s:outage"], "--script must give 'its beginning' rightly"],
    [
      ["--script", "1s..:outage", "--url", "http://h/", "--rps", "1"],
      "--script and --url exclude each other: give it to the target itself (overload-bench target --script",
    ],
    [
      ["--script", "1s..:outage@2", "--sim", "shed:capacity=1", "--rps", "1"],
      '--script must name no backend, as there is one: current value is "1s..:outage@2"',
    ],
    [["--script", "1s..:outage", "--no-stats"], "--script and --no-stats exclude each other"],
    [["--script", "1s..:outage@2"], "--script must name no backend, as there is one"],
    [
      ["--script", "1s..:outage@1,1s..:outage@4", "--sim", "shed:capacity=1,backends=3", "--rps", "1"],
      '--script must name backends from 1 to 3, as many as there are: current value is "1s..:outage@4"',
    ],
    [["--connections", "-1"], "--connections must be a whole number"],
    [["--connections", "5", "--sim", "shed:capacity=1", "--rps", "1"], "--connections is for real connections"],
    [["--max-requests-per-connection", "0"], "--max-requests-per-connection must be a positive whole number"],
    [["--transport", "curl"], '--transport must be one of wire, undici: current value is "curl"'],
    [["--transport", "wire", "--sim", "shed:capacity=1", "--rps", "1"], "--transport is for real connections"],
    [
      ["--url", "http://h/", "--rps", "1", "--http2", "--transport", "wire"],
      "--transport and --http2 exclude each other: HTTP/2 has a transport of its own",
    ],
    [["--http2"], "--http2 is for real connections to a --url"],
    [["--unix", "/s"], "--unix is for real connections to a --url"],
    [["--url", "http://h/", "--rps", "1", "--cacert", "f"], "--cacert is for https: the --url is http://"],
    [["--url", "https://h/", "--rps", "1", "--key", "f"], "--key is for --cert: there is none"],
    [["--url", "https://h/", "--rps", "1", "--cacert", "missing"], "--cacert must be a file that can be read"],
    [["--url", "http://h/", "--rps", "1", "--resolve", "h:80"], "--resolve must be written host:port:address"],
    [["--url", "http://h/", "--rps", "1", "--resolve", "h:80:name"], "--resolve must be written host:port:address"],
    [
      ["--url", "http://h/", "--rps", "1", "--resolve", "h:81:::1"],
      "--resolve must be for the host and port of --url (h:80)",
    ],
    [["--url", "http://h/", "--rps", "1", "--dns-ttl", "5"], "--dns-ttl must be a duration"],
    [["--max-response", "5"], "--max-response must be a size with a unit"],
    [["--pacing", "x"], '--pacing must be one of precise, timer: current value is "x"'],
    [["--url", "foo", "--rps", "1"], "--url must be an http or https URL"],
    [["--url", "ftp://h/", "--rps", "1"], "--url must be an http or https URL"],
    [["--url", "http://h/"], "--rps is required with --url"],
    [["--url", "http://h/", "--sim", "shed:capacity=1", "--rps", "1"], "--url and --sim exclude each other"],
    [["--target", "shed", "--sim", "shed:capacity=1", "--rps", "1"], "--target is for the built-in target"],
    [["--sim", "shed:capacity=100"], "--rps is required with --sim"],
    [["--target", "shed"], "--rps is required with --target"],
    [["--sim", "shed", "--rps", "1"], "--sim must give 'capacity' as a number above 0"],
    [
      ["--sim", "lifo:capacity=1", "--rps", "1"],
      "--sim must name a server model (shed, fifo, slope, bernoulli, worker)",
    ],
    [["--sim", "fifo:capacity=1", "--rps", "1"], "--sim must use the options of fifo"],
    [["--sim", "fifo:workers=1", "--rps", "1"], "--sim must give 'service' as a duration above 0"],
    [["--sim", "fifo:workers=90000000000,service=1s", "--rps", "1"], "as a whole number from 1 to 10000"],
    [["--sim", "fifo:workers=1.5,service=1s", "--rps", "1"], "--sim must give 'workers' as a whole number"],
    [["--sim", "fifo:workers=1,service=1s,queue=-1", "--rps", "1"], "--sim must give 'queue' as a whole number"],
    [["--policy", "sre,__proto__=1"], "Policy 'sre' has no option '__proto__'"],
    [["--policy", "./mine.mjs,factor"], 'current value is "./mine.mjs,factor" (a path holds no comma)'],
    [["--criticality", "vital=1", "--rps", "1"], "--criticality must give a weight to classes"],
    [["--criticality", "critical=1,critical=2", "--rps", "1"], "--criticality must give a weight to classes"],
    [["--criticality", "critical=0", "--rps", "1"], "--criticality must give a weight to classes"],
    [
      ["--criticality-header", "x y", "--criticality", "critical=1"],
      "--criticality-header must be the name of a header",
    ],
    [["--criticality-header", "x-c", "--rps", "1"], "--criticality-header needs --criticality"],
    [["--sim", "bernoulli", "--rps", "1"], "--sim must give 'accept' as a number from 0 to 1"],
    [["--sim", "bernoulli:accept=1.5", "--rps", "1"], "--sim must give 'accept' as a number from 0 to 1"],
    [["--sim", "shed:capacity=1,retryAfter=1.5s", "--rps", "1"], "--sim must give 'retryAfter' as whole seconds"],
    [["--sim", "shed:capacity=1,color=red", "--rps", "1"], "not 'color'"],
    [["--sim", "shed:capacity=1,latency=5", "--rps", "1"], "--sim must give 'latency' rightly"],
    [["--sim", "shed:capacity", "--rps", "1"], "--sim must list options as key=value"],
    [["--policy", "magic"], "--policy: There is no policy 'magic'"],
    [["--policy", "sre,kk=2"], "--policy: Policy 'sre' has no option 'kk'"],
    [["--policy", "sre,k=0.5"], "--policy: Cannot use policy 'sre' as 'k' must be"],
    [["--policy", "none", "--k", "2"], "--policy: Policy 'none' has no option 'k'"],
    [["--overloaded-on", "sometimes"], "--overloaded-on must list"],
    [["--ok-on", "timeout"], "--ok-on must list"],
    [["--method", "G E T"], "--method must be an HTTP method"],
    [["--header", "nocolon"], "--header must be written 'Name: value'"],
    [["--header", "a: b\r\nX: y"], "--header must be written 'Name: value'"],
    [["--header", "Transfer-Encoding: chunked"], "--header must not be one that belongs to the connection"],
    [["--duration", "1001h"], "The load must last at most 1000h, its warm-up included: it lasts 1001h"],
    [["--replay", "years"], "The load must last at most 1000h"],
    [["--stages", "900h@1,200h@1"], "The load must last at most 1000h"],
    [["--workers", "4", "--max-in-flight", "2"], "--workers must be at most --max-in-flight (2)"],
    [["--url", "https://h/", "--rps", "1", "--cacert", "bad"], "--cacert must be a file of PEM"],
    [["--output", ""], '--output must be the name of a file: current value is ""'],
    [["--output", "folder/"], "--output must be the name of a file"],
    [["ab", "--seed", "9007199254740991"], "--seed must leave room for 3 pairs"],
    [["--url", "http://u%:p@h/", "--rps", "1"], "--url must be an http or https URL"],
    [["--sim", "shed:capacity=0x10", "--rps", "1"], "--sim must give 'capacity' as a number"],
    [["--body", "x", "--body-file", "y"], "--body and --body-file exclude each other"],
    [["--body-file", "missing"], '--body-file must be a file that can be read: current value is "missing" (ENOENT)'],
    [["--json", "xml"], "--json must be one of line, pretty"],
    [["ab", "--repeats", "0"], "--repeats must be a positive whole number"],
    [["ab", "--pause", "soon"], "--pause must be a duration"],
    [["-k", "2"], "too many arguments"],
  ])("%j: one clear line, exit code 2, nothing measured", async (args, message) => {
    const { exitCode, stdout, stderr, specs } = await runFake(args, {
      files: { bad: "one\n", years: "0\n30000000\n" },
    });
    expect(stderr.trimEnd().split("\n").at(-1)).toContain(message);
    expect(stderr).toMatch(/^overload-bench: /m);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe("");
    expect(exitCode).toBe(2);
    expect(specs).toEqual([]);
  });

  it("names the variable that a bad value came from", async () => {
    const { exitCode, stderr } = await runFake([], { env: { OVERLOAD_BENCH_VUS: "many" } });
    expect(stderr).toMatch(/^overload-bench: OVERLOAD_BENCH_VUS: --vus must be a positive whole number/);
    expect(exitCode).toBe(2);
  });

  it("repeats no secret of a value that it refuses", async () => {
    for (const args of [
      ["--url", "ftp://me:hunter2@h/"],
      ["--header", "Authorization Bearer hunter2"],
    ]) {
      expect((await runFake(args)).stderr).not.toContain("hunter2");
    }
  });

  it("fails before the run when nobody listens at the URL", async () => {
    const { exitCode, stderr, specs } = await runFake(["--url", "http://127.0.0.1:1/x?key=secret", "--rps", "10"], {
      services: { whyUnreachable: async () => "ECONNREFUSED" },
    });
    expect(stderr).toBe("overload-bench: Cannot reach the target of --url http://127.0.0.1:1: ECONNREFUSED\n");
    expect(exitCode).toBe(1);
    expect(specs).toEqual([]);
  });
});

describe("main()", () => {
  it("prints its help, and that of each command, on stdout", async () => {
    const { exitCode, stdout, stderr } = await runFake(["--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Exit codes: 0 done");
    expect(stderr).toBe("");
    for (const command of ["run", "ab", "demo", "schema"]) {
      const help = await runFake([command, "--help"]);
      expect(help.exitCode).toBe(0);
      expect(help.stdout).toContain(`overload-bench ${command}`);
      for (const line of help.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  it("prints its version", async () => {
    expect(await runFake(["--version"])).toMatchObject({ exitCode: 0, stdout: "0.0.0-test\n" });
  });

  it("prints the schema of the result file", async () => {
    const { exitCode, stdout } = await runFake(["schema"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: "object", $schema: expect.stringContaining("2020-12") });
  });

  it("hands the flags of target on to the target's own program", async () => {
    const { events, exitCode } = await runFake(["target", "--port", "0", "--mode", "fifo"]);
    expect(events).toEqual(["foreground runtime target-file --exit-with-parent --port 0 --mode fifo"]);
    expect(exitCode).toBe(0);
  });
});
