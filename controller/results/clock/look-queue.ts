/** Names to examine in one of the next rounds, each once. */
export class LookQueue {
  readonly #most: number;
  readonly #rounds = new Map<number, Set<string>>();
  readonly #roundOf = new Map<string, number>();
  readonly #due = new Set<string>();
  #taking = this.#due.values();
  #round = 0;

  /** @param most how many rounds ahead a name may be put */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#due.size + this.#roundOf.size;
  }

  /** Puts a name `rounds` (1 or more) ahead, unless it is due before. */
  put(name: string, rounds: number): void {
    const at = this.#round + Math.min(this.#most, Math.max(1, Math.ceil(rounds)));
    const known = this.#roundOf.get(name);
    if (this.#due.has(name) || (known !== undefined && known <= at)) return;
    if (known !== undefined) this.#rounds.get(known)?.delete(name);
    this.#roundOf.set(name, at);
    const names = this.#rounds.get(at);
    if (names) names.add(name);
    else this.#rounds.set(at, new Set([name]));
  }

  /** Begins the next round; names left over from this one come first. */
  turn(): void {
    this.#round += 1;
    for (const name of this.#rounds.get(this.#round) ?? []) {
      this.#due.add(name);
      this.#roundOf.delete(name);
    }
    this.#rounds.delete(this.#round);
    this.#taking = this.#due.values();
  }

  /** Takes a name of this round; undefined when there is none left. */
  take(): string | undefined {
    const { value } = this.#taking.next();
    if (value !== undefined) this.#due.delete(value);
    return value;
  }
}
