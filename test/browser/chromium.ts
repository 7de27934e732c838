/** A headless Chromium, spoken to by its DevTools protocol over a pipe: no port, no other program. */

import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const START_LIMIT_MS = 60_000;

/** The program to use: what CHROMIUM names, or the first on the PATH; undefined where there is none. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named !== undefined && named !== "") return named;
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How a page is to be looked at. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly theme?: "light" | "dark";
  readonly media?: "screen" | "print";
  readonly scripts?: boolean;
}

type Parameters = Readonly<Record<string, unknown>>;

/** What the events that are listened to carry, each some of it. */
interface EventParameters {
  readonly request?: { readonly url: string };
  readonly exceptionDetails?: { readonly text: string };
  readonly type?: string;
  readonly entry?: { readonly text: string };
  readonly message?: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: EventParameters;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: Error) => void;
}

interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}

export class Chromium {
  readonly #process: ChildProcess;
  readonly #output: Writable;
  readonly #profile: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(message: Message) => void>();
  #last = 0;

  private constructor(program: string) {
    this.#profile = mkdtempSync(join(tmpdir(), "overload-bench-chromium-"));
    this.#process = spawn(
      program,
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--no-first-run",
        "--remote-debugging-pipe",
        `--user-data-dir=${this.#profile}`,
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    this.#output = this.#process.stdio[3] as Writable;
    this.#read(this.#process.stdio[4] as Readable);
    const fail = (): void => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Chromium has ended"));
      this.#waiting.clear();
    };
    this.#output.on("error", fail);
    this.#process.on("error", fail);
    this.#process.on("exit", fail);
  }

  static async start(program: string): Promise<Chromium> {
    const browser = new Chromium(program);
    const late = setTimeout(() => browser.#process.kill("SIGKILL"), START_LIMIT_MS);
    await browser.send("Browser.getVersion").finally(() => clearTimeout(late));
    return browser;
  }

  /** Opens a page, waits for its load event, and keeps account of what it does. */
  async open(url: string, view: View): Promise<Page> {
    const { targetId } = await this.send<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, targetId, sessionId);
    await page.load(url, view);
    return page;
  }

  send<Result>(method: string, params: Parameters = {}, sessionId?: string): Promise<Result> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (result) => resolve(result as Result), reject });
      this.#output.write(`${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`);
    });
  }

  listen(listener: (message: Message) => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #read(input: Readable): void {
    let rest = "";
    input.setEncoding("utf8");
    input.on("data", (chunk: string) => {
      const parts = (rest + chunk).split("\0");
      rest = parts.pop() ?? "";
      for (const part of parts) this.#take(JSON.parse(part) as Message);
    });
  }

  #take(message: Message): void {
    if (message.id === undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(new Error(message.error.message));
  }
}

export class Page {
  /** URLs of all requests but the page's own. */
  readonly requests: string[] = [];
  /** Errors and warnings of the console, exceptions included. */
  readonly messages: string[] = [];
  /** What alert(), confirm() and the like said. */
  readonly dialogs: string[] = [];
  readonly #browser: Chromium;
  readonly #target: string;
  readonly #session: string;

  constructor(browser: Chromium, target: string, session: string) {
    this.#browser = browser;
    this.#target = target;
    this.#session = session;
  }

  async load(url: string, { width, height, theme, media, scripts = true }: View): Promise<void> {
    const loaded = new Promise<void>((resolve) => {
      this.#browser.listen(({ method, params = {}, sessionId }) => {
        if (sessionId !== this.#session) return;
        switch (method) {
          case "Network.requestWillBeSent":
            if (params.request !== undefined && params.request.url !== url) this.requests.push(params.request.url);
            break;
          case "Runtime.exceptionThrown":
            this.messages.push(params.exceptionDetails?.text ?? "");
            break;
          case "Runtime.consoleAPICalled":
            this.messages.push(`console.${params.type}`);
            break;
          case "Log.entryAdded":
            this.messages.push(params.entry?.text ?? "");
            break;
          case "Page.javascriptDialogOpening":
            this.dialogs.push(params.message ?? "");
            void this.#send("Page.handleJavaScriptDialog", { accept: true });
            break;
          case "Page.loadEventFired":
            resolve();
            break;
          default:
            break;
        }
      });
    });
    for (const domain of ["Network", "Runtime", "Log", "Page"]) await this.#send(`${domain}.enable`);
    await this.#send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.#send("Emulation.setScriptExecutionDisabled", { value: !scripts });
    await this.#send("Emulation.setEmulatedMedia", {
      media: media ?? "",
      features: theme === undefined ? [] : [{ name: "prefers-color-scheme", value: theme }],
    });
    await this.#send("Page.navigate", { url });
    await loaded;
  }

  /** The value of an expression in the page. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.#send<Evaluated>("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Value;
  }

  /** A PNG of a part of the page, or of what is in view. */
  async screenshot(clip?: { x: number; y: number; width: number; height: number }): Promise<Buffer> {
    const { data } = await this.#send<{ data: string }>("Page.captureScreenshot", {
      format: "png",
      ...(clip !== undefined && { clip: { ...clip, scale: 1 }, captureBeyondViewport: true }),
    });
    return Buffer.from(data, "base64");
  }

  async pdf(): Promise<Buffer> {
    const { data } = await this.#send<{ data: string }>("Page.printToPDF", { printBackground: false });
    return Buffer.from(data, "base64");
  }

  /** Moves the pointer, in pixels of what is in view. */
  async point(x: number, y: number): Promise<void> {
    await this.#send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  }

  async close(): Promise<void> {
    await this.#browser.send("Target.closeTarget", { targetId: this.#target });
  }

  #send<Result>(method: string, params: Parameters = {}): Promise<Result> {
    return this.#browser.send(method, params, this.#session);
  }
}
