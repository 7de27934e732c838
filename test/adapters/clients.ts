/** The ways to send through overload control, behind one face, so that one test holds for all of them. */

import { Agent, request, fetch as undiciFetch } from "undici/index.js";
import { overloadControl } from "../../src/adapters/overload-control.ts";
import { overloadFetch } from "../../src/adapters/overload-fetch.ts";
import type { OverloadControlOptions } from "../../src/adapters/settings.ts";

export interface Ask {
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the client takes.
  readonly body?: any;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: () => Promise<string>;
}

export interface Client {
  send(url: string, ask?: Ask): Promise<Reply>;
  close(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  /** Which bodies reach it as they are and are sent again: those of `fetch`, only text and buffers, or none. */
  readonly repeats: "all" | "plain" | "none";
  make(options: OverloadControlOptions): Client;
}

interface AnyResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

function replyOf(response: AnyResponse): Reply {
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    text: () => response.text(),
  };
}

export const fetchWrapper: ClientKind = {
  name: "fetch wrapper",
  repeats: "all",
  make(options) {
    const guarded = overloadFetch(fetch, options);
    return {
      send: async (url, ask = {}) => replyOf(await guarded(url, ask)),
      close: async () => {},
    };
  },
};

const interceptor: ClientKind = {
  name: "interceptor, request()",
  repeats: "plain",
  make(options) {
    const agent = new Agent();
    const dispatcher = agent.compose(overloadControl(options));
    return {
      async send(url, { method = "GET", body, headers, signal } = {}) {
        const answer = await request(url, {
          dispatcher,
          method: method as "GET",
          body,
          ...(headers === undefined ? {} : { headers }),
          ...(signal === undefined ? {} : { signal }),
        });
        return {
          status: answer.statusCode,
          header: (name) => answer.headers[name]?.toString(),
          text: () => answer.body.text(),
        };
      },
      close: () => agent.destroy(),
    };
  },
};

const interceptedFetch: ClientKind = {
  name: "interceptor, undici's fetch()",
  repeats: "none",
  make(options) {
    const agent = new Agent();
    const dispatcher = agent.compose(overloadControl(options));
    return {
      async send(url, ask = {}) {
        const init = { ...ask, dispatcher } as NonNullable<Parameters<typeof undiciFetch>[1]>;
        return replyOf(await undiciFetch(url, init));
      },
      close: () => agent.destroy(),
    };
  },
};

export const clientKinds: readonly ClientKind[] = [fetchWrapper, interceptor, interceptedFetch];
