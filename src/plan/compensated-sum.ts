/** A sum of numbers with the error of about one rounding, however many they are (Neumaier, ZAMM 54, 1974). */
export class CompensatedSum {
  #sum = 0;
  #lost = 0;

  add(x: number): void {
    const sum = this.#sum + x;
    this.#lost += Math.abs(this.#sum) >= Math.abs(x) ? this.#sum - sum + x : x - sum + this.#sum;
    this.#sum = sum;
  }

  get value(): number {
    return this.#sum + this.#lost;
  }
}
