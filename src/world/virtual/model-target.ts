/** The target of a virtual experiment: every trial gets a new one, so there is nothing to wait for or to ask. */

export class ModelTarget {
  async untilIdle(): Promise<undefined> {
    return undefined;
  }

  async watch() {
    return { end: async () => ({}) };
  }
}
