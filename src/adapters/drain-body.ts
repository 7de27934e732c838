/** Reads the body of an answer that nobody wants, so that its connection is free for the next request. */

/** Of what a web stream has, the part that is used. */
export interface WebStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
    cancel(): Promise<unknown>;
  };
}

/** More is not read: closing the connection is cheaper. The same bounds hold for undici's answers. */
export const DRAIN_BYTES_MAX = 131_072;
export const DRAIN_MS_MAX = 1000;

/** Reads `body` to its end, or cuts it off at one of the bounds. Never rejects. */
export async function drainBody(body: WebStream): Promise<void> {
  let reader: ReturnType<WebStream["getReader"]>;
  try {
    reader = body.getReader();
  } catch {
    return; // Somebody else reads it.
  }
  const cutOff = async (): Promise<void> => {
    try {
      await reader.cancel();
    } catch {
      // It broke already.
    }
  };
  const timer = setTimeout(cutOff, DRAIN_MS_MAX);
  try {
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += (value as { readonly byteLength?: number } | undefined)?.byteLength ?? 0;
      if (bytes > DRAIN_BYTES_MAX) {
        void cutOff();
        break;
      }
    }
  } catch {
    // It broke: its connection is gone.
  } finally {
    clearTimeout(timer);
  }
}

/** Closes what the answer to a cancelled attempt still brings. */
export function cutOffBody(body: WebStream | null | undefined): void {
  if (body === null || body === undefined) return;
  try {
    body
      .getReader()
      .cancel()
      .catch(() => {});
  } catch {
    // Somebody else reads it.
  }
}
