/** Searches that go on side by side: what each of them is to try next is run together, in one batch. */

export class SideBySide<Item, Outcome> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Outcome[]>;
  #waiting: { readonly items: readonly Item[]; readonly resolve: (outcomes: Promise<readonly Outcome[]>) => void }[] =
    [];
  #active = 0;

  /** @param run the outcomes in the order of the items. */
  constructor(run: (items: readonly Item[]) => Promise<readonly Outcome[]>) {
    this.#run = run;
  }

  /** Resolves when all searches have ended; each is given what runs its items. */
  async all<T>(
    searches: readonly ((run: (items: readonly Item[]) => Promise<readonly Outcome[]>) => Promise<T>)[],
  ): Promise<readonly T[]> {
    this.#active = searches.length;
    const ask = (items: readonly Item[]): Promise<readonly Outcome[]> =>
      new Promise((resolve) => {
        this.#waiting.push({ items, resolve });
        this.#runWhenAllWait();
      });
    return await Promise.all(
      searches.map(async (search) => {
        try {
          return await search(ask);
        } finally {
          this.#active -= 1;
          this.#runWhenAllWait();
        }
      }),
    );
  }

  #runWhenAllWait(): void {
    if (this.#waiting.length === 0 || this.#waiting.length < this.#active) return;
    const batch = this.#waiting;
    this.#waiting = [];
    const outcomes = this.#run(batch.flatMap(({ items }) => items));
    let from = 0;
    for (const { items, resolve } of batch) {
      const [begin, end] = [from, from + items.length];
      from = end;
      resolve(outcomes.then((all) => all.slice(begin, end)));
    }
  }
}
