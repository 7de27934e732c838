/** By its name an error is known also after it came from another thread. */
export const LOAD_ERROR = "LoadError";

/** The program, or one of its threads, could not be loaded: mostly for lack of files, of which that takes many at once. */
export class LoadError extends Error {
  override readonly name = LOAD_ERROR;
}

/**
 * Loads modules. What fails for want of files fails under many names (EMFILE, a module that is not found, a package without
 * its configuration), so the error says what was met and what to look at.
 *
 * @param what that they are, as the message is to name it.
 * @throws LoadError, of one line.
 */
export async function loadOrSay<Loaded>(what: string, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    const why = String((error as Error).message ?? error).split("\n", 1)[0];
    throw new LoadError(`Cannot load ${what}: ${why} (if few open files are allowed: \`ulimit -n 1024\`)`);
  }
}
