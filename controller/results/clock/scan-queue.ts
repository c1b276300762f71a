/** Names to examine in one of the next scans, each once. */
export class ScanQueue {
  readonly #maxScansAhead: number;
  readonly #scans = new Map<number, Set<string>>();
  readonly #scanOf = new Map<string, number>();
  readonly #due = new Set<string>();
  #taking = this.#due.values();
  #scan = 0;

  /** @param maxScansAhead how many scans ahead a name may be put */
  constructor(maxScansAhead: number) {
    this.#maxScansAhead = maxScansAhead;
  }

  get size(): number {
    return this.#due.size + this.#scanOf.size;
  }

  /** Puts a name `scansAhead` (1 or more) ahead, unless it is due earlier. */
  put(name: string, scansAhead: number): void {
    const at = this.#scan + Math.min(this.#maxScansAhead, Math.max(1, Math.ceil(scansAhead)));
    const scheduled = this.#scanOf.get(name);
    if (this.#due.has(name) || (scheduled !== undefined && scheduled <= at)) return;
    if (scheduled !== undefined) this.#scans.get(scheduled)?.delete(name);
    this.#scanOf.set(name, at);
    const names = this.#scans.get(at);
    if (names) names.add(name);
    else this.#scans.set(at, new Set([name]));
  }

  /** Starts the next scan; names left over from this one come first. */
  turn(): void {
    this.#scan += 1;
    for (const name of this.#scans.get(this.#scan) ?? []) {
      this.#due.add(name);
      this.#scanOf.delete(name);
    }
    this.#scans.delete(this.#scan);
    this.#taking = this.#due.values();
  }

  /** Removes a name from this scan; undefined if none is left. */
  take(): string | undefined {
    const { value } = this.#taking.next();
    if (value !== undefined) this.#due.delete(value);
    return value;
  }
}
