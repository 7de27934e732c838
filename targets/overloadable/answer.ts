import type { ServerResponse } from "node:http";

/** A response as it goes out: the headers flat, as `writeHead` takes them without building an object. */
export interface Answer {
  readonly status: number;
  readonly headers: string[];
  readonly body: Buffer;
}

export const NO_CONTENT: Answer = { status: 204, headers: [], body: Buffer.alloc(0) };

export function answerOf(status: number, text: string, extra: readonly string[] = [], type = "text/plain"): Answer {
  const body = Buffer.from(text);
  return { status, body, headers: ["Content-Type", type, "Content-Length", String(body.length), ...extra] };
}

export function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

/** The rejection with a `Retry-After` of so many seconds, or without one. Each is built once. */
export function rejections(status: number): (retryAfterSeconds: number | null) => Answer {
  const built = new Map<number | null, Answer>();
  return (seconds) => {
    const known = built.get(seconds);
    if (known !== undefined) return known;
    const answer = answerOf(status, "overloaded\n", seconds === null ? [] : ["Retry-After", String(seconds)]);
    built.set(seconds, answer);
    return answer;
  };
}

/** Sends answers, late where the script says so. */
export class Sender {
  readonly #addedSeconds: () => number;
  #held = 0;

  /** @param addedSeconds by how much an answer that is ready now comes later. */
  constructor(addedSeconds: () => number) {
    this.#addedSeconds = addedSeconds;
  }

  /** Answers held back now. */
  get held(): number {
    return this.#held;
  }

  send(response: ServerResponse, answer: Answer): void {
    const addedSeconds = this.#addedSeconds();
    if (addedSeconds === 0) {
      send(response, answer);
      return;
    }
    this.#held += 1;
    setTimeout(() => {
      this.#held -= 1;
      if (!response.destroyed) send(response, answer);
    }, 1000 * addedSeconds);
  }
}
