/** A transport that does nothing by itself, and keeps what it was asked. */

import type { CallDriver, Sender } from "../../src/adapters/call-driver.ts";
import type { PolicyCall } from "../../src/policy/policy.ts";

export class FakeSender implements Sender {
  readonly log: string[] = [];
  readonly errors: unknown[] = [];
  driver: CallDriver | undefined;
  /** What `send` is to throw, if anything. */
  misfire: Error | undefined;
  /** What happens to an attempt as soon as it is sent. Default nothing. */
  onSend: ((driver: CallDriver, attempt: number) => void) | undefined;

  send(call: PolicyCall): void {
    this.log.push(`send ${call.attempt}`);
    if (this.misfire !== undefined) throw this.misfire;
    this.onSend?.(this.driver as CallDriver, call.attempt);
  }

  cancel(): void {
    this.log.push("cancel");
  }

  letGo(): void {
    this.log.push("letGo");
  }

  deliver(): void {
    this.log.push("deliver");
  }

  fail(error: unknown): void {
    this.log.push("fail");
    this.errors.push(error);
  }
}
