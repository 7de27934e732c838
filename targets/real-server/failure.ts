/** Something that a person has to mend before this works. Its message is one line. */
export class Failure extends Error {
  override readonly name = "Failure";
}
