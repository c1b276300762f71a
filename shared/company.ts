/** Whether this controller is the only one. Then nobody else changes what its rounds look for. */
export class Company {
  #isAlone = false;
  readonly #listeners: (() => void)[] = [];

  get isAlone(): boolean {
    return this.#isAlone;
  }

  /** What the last look at the leases has shown. */
  seen(isAlone: boolean): void {
    const wasAlone = this.#isAlone;
    this.#isAlone = isAlone;
    if (wasAlone && !isAlone) for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` when another controller has come, which may have been there for some seconds. */
  onArrival(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
