/** A policy that holds its driver to the contract, and answers as it is told. */

import type { Admission, AttemptVerdict, NextStep, Policy, PolicyCall } from "../../../src/policy/policy.ts";

type Standing = "none" | "asked to wait" | "sent" | "asked for a retry";

class StrictNotes {
  standing: Standing = "none";
  attempt = -1;
  answers = 0;
}

/** Throws as soon as a question comes that the contract does not allow, and counts what it is owed. */
export class StrictPolicy implements Policy {
  readonly log: string[] = [];
  /** Calls to which an answer is owed: waiting, sent, or between two attempts. */
  held = 0;
  abandoned = 0;
  nextAdmission: () => Admission = () => "send";
  nextStep: () => NextStep = () => "done";
  delaySeconds = 0;

  admit(call: PolicyCall): Admission {
    const notes = this.notesOf(call);
    if (notes.standing === "sent") throw new Error("admit() while an attempt is under way");
    if (notes.standing === "asked for a retry" && call.attempt !== notes.attempt + 1) throw new Error("attempt number");
    if (notes.standing === "asked to wait" && call.attempt !== notes.attempt) throw new Error("attempt number");
    const admission = this.nextAdmission();
    this.log.push(`admit ${call.attempt}: ${admission}`);
    this.stand(notes, admission === "wait" ? "asked to wait" : admission === "send" ? "sent" : "none");
    notes.attempt = call.attempt;
    if (admission === "wait") call.delaySeconds = Math.max(this.delaySeconds, 0.125);
    return admission;
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    const notes = this.notesOf(call);
    if (notes.standing !== "sent") throw new Error(`settle() of a call that is ${notes.standing}`);
    const step = this.nextStep();
    this.log.push(`settle ${call.attempt} ${verdict}: ${step}`);
    this.stand(notes, step === "retry" ? "asked for a retry" : "none");
    if (step === "retry") call.delaySeconds = this.delaySeconds;
    return step;
  }

  abandon(call: PolicyCall): void {
    const notes = this.notesOf(call);
    if (notes.standing === "none") throw new Error("abandon() of a call that holds nothing");
    this.log.push(`abandon ${call.attempt}`);
    this.abandoned += 1;
    this.stand(notes, "none");
  }

  private stand(notes: StrictNotes, standing: Standing): void {
    this.held += (standing === "none" ? 0 : 1) - (notes.standing === "none" ? 0 : 1);
    notes.standing = standing;
  }

  /** Anything else in its place belongs to somebody else. */
  private notesOf(call: PolicyCall): StrictNotes {
    call.notes ??= new StrictNotes();
    if (call.notes instanceof StrictNotes) return call.notes;
    throw new Error("the notes are not this policy's own");
  }
}
