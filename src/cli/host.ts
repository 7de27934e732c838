/** Everything that the program gets from its process, in one object, so that tests can be a process themselves. */

export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Width of the terminal; undefined when it is none, or does not know. */
  readonly columns: number | undefined;
}

export type StopSignal = "SIGINT" | "SIGTERM";

export interface Host {
  /** Without the runtime and the program's file. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Whether there is somebody to ask: standard input and standard error are a terminal. */
  readonly canAsk: boolean;
  /**
   * Puts a question on standard error and reads a line from the terminal.
   *
   * @returns undefined when none came in time, or the input ended; the signal when one came instead.
   */
  ask(question: string, withinSeconds: number): Promise<string | { readonly signal: StopSignal } | undefined>;
  /** Wall time, for labels and file names. */
  now(): Date;
  readBytes(path: string): Promise<Uint8Array>;
  /** @returns a function that ends the listening. */
  onSignal(handler: (signal: StopSignal) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
  /** Runs another program in the foreground; its standard input closes when this process ends. @returns its exit code. */
  runForeground(command: string, args: readonly string[]): Promise<number>;
}
