/** The JavaScript runtime this process is on. */
export function runtimeName(): "bun" | "deno" | "node" {
  if ("Bun" in globalThis) return "bun";
  return "Deno" in globalThis ? "deno" : "node";
}
