export const RING_EVENTS = 500;
/** A client may get all of it at once, so it must fit into a stream's backlog. */
const RING_BYTES = 256 * 1024;

/** The latest events of one project, from which a client resumes after a short disconnection. */
export class EventRing {
  /** `seq` is 1, 2, 3 … in order of arrival. */
  readonly #entries: { id: string; text: string; bytes: number; seq: number }[] = [];
  readonly #ids = new Map<string, number>();
  readonly #firstId: string;
  #bytes = 0;
  /** Number of events added so far. */
  seq = 0;
  /** Id of the latest event, where an up-to-date client resumes. */
  last: string;

  /** `firstId` is the id of the position before the first event. */
  constructor(firstId: string) {
    this.#firstId = firstId;
    this.last = firstId;
  }

  /** False for a duplicate of an event in the ring. An empty text only marks a position. */
  add(id: string, text: string): boolean {
    if (this.#ids.has(id)) return false;
    this.seq += 1;
    const bytes = Buffer.byteLength(text);
    this.#entries.push({ id, text, bytes, seq: this.seq });
    this.#ids.set(id, this.seq);
    this.#bytes += bytes;
    this.last = id;
    while (this.#entries.length > RING_EVENTS || this.#bytes > RING_BYTES) this.#dropOldest();
    return true;
  }

  /** The events after `id` in order, and the `seq` of `id`; null if the ring doesn't hold it. */
  after(id: string): { texts: string[]; seq: number } | null {
    const seq = id === this.#firstId ? 0 : this.#ids.get(id);
    const oldest = this.#entries[0]?.seq ?? this.seq + 1;
    if (seq === undefined || seq + 1 < oldest) return null;
    const later = this.#entries.slice(seq + 1 - oldest);
    return { texts: later.map((entry) => entry.text).filter((text) => text !== ''), seq };
  }

  #dropOldest(): void {
    const oldest = this.#entries.shift();
    if (!oldest) return;
    this.#ids.delete(oldest.id);
    this.#bytes -= oldest.bytes;
  }
}
