/** One push over HTTP, by the runtime's own fetch: it is the program's main thread that sends it, never a generator's. */

export interface PushRequest {
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly timeoutMs: number;
}

/** @returns why the endpoint did not take it, in a few words without the URL; undefined when it did. Never rejects. */
export async function sendPush(request: PushRequest): Promise<string | undefined> {
  const { url, method, headers, body, timeoutMs } = request;
  try {
    const answer = await fetch(url, {
      method,
      headers: headers.map(([name, value]) => [name, value] as [string, string]),
      body,
      // Another place is not where the credentials were meant to go.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `answered ${answer.status}`;
  } catch (error) {
    return reasonOf(error, timeoutMs);
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, code, cause } = error as Error & { readonly code?: unknown };
  if (name === "TimeoutError") return `did not answer within ${timeoutMs / 1000} s`;
  const told = code ?? (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof told === "string" ? `could not be reached (${told})` : "could not be reached";
}
