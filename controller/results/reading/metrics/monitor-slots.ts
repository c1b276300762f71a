/** Numbers monitors, for places in typed arrays. Reuses the number of a removed monitor. */
export class MonitorSlots {
  readonly #byId = new Map<string, number>();
  /** By slot; null for a free one. */
  readonly #ids: (string | null)[] = [];
  readonly #free: number[] = [];

  /** Number of slots, including free ones. */
  get length(): number {
    return this.#ids.length;
  }

  of(id: string): number | undefined {
    return this.#byId.get(id);
  }

  idAt(slot: number): string | null {
    return this.#ids[slot] ?? null;
  }

  add(id: string): void {
    if (this.#byId.has(id)) return;
    const slot = this.#free.pop() ?? this.#ids.length;
    this.#ids[slot] = id;
    this.#byId.set(id, slot);
  }

  /** Returns the slots that it freed. */
  removeUnless(isKept: (id: string) => boolean): number[] {
    const removed: number[] = [];
    for (const [id, slot] of this.#byId) {
      if (isKept(id)) continue;
      this.#byId.delete(id);
      this.#ids[slot] = null;
      removed.push(slot);
    }
    this.#free.push(...removed);
    return removed;
  }
}

/** The array itself if it has `length` elements, or a larger copy. */
export function grown<T extends Uint8Array | Uint16Array | Uint32Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const Same = array.constructor as new (length: number) => T;
  const larger = new Same(Math.max(length, Math.ceil(array.length * 1.25)));
  larger.set(array);
  return larger;
}
