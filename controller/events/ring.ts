/** The latest events of one project, so that a client that was away for a moment goes on where it was. */
export const RING_EVENTS = 500;
/** All of it has to fit into what may wait for a client, which gets it at once. */
export const RING_BYTES = 256 * 1024;

interface Entry {
  id: string;
  text: string;
  bytes: number;
  /** 1, 2, 3… as they came. */
  seq: number;
}

export interface Replay {
  /** Everything that came after the event that was asked for, in order. */
  texts: string[];
  /** Place of the event that was asked for. */
  seq: number;
}

export class EventRing {
  readonly #entries: Entry[] = [];
  readonly #ids = new Map<string, number>();
  #seq = 0;
  #bytes = 0;
  /** Id of the place before the first event, or of the latest event that is in the ring. */
  #last: string;
  readonly #beginning: string;

  /** `beginning` names the place before the first event. */
  constructor(beginning: string) {
    this.#beginning = beginning;
    this.#last = beginning;
  }

  /** Where a client that has seen everything is. */
  get last(): string {
    return this.#last;
  }

  /** Events that came so far. */
  get seq(): number {
    return this.#seq;
  }

  /** False for an event that is in the ring already. An empty text is a place only. */
  add(id: string, text: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#seq += 1;
    const bytes = Buffer.byteLength(text);
    this.#entries.push({ id, text, bytes, seq: this.#seq });
    this.#ids.set(id, this.#seq);
    this.#bytes += bytes;
    this.#last = id;
    while (this.#entries.length > RING_EVENTS || this.#bytes > RING_BYTES) this.#dropOldest();
    return true;
  }

  /** What came after `id`; null when the ring does not know it, or not any more. */
  after(id: string): Replay | null {
    const seq = id === this.#beginning ? 0 : this.#ids.get(id);
    const oldest = this.#entries[0]?.seq ?? this.#seq + 1;
    if (seq === undefined || seq + 1 < oldest) return null;
    return { texts: this.#entries.slice(seq + 1 - oldest).flatMap((entry) => (entry.text === '' ? [] : [entry.text])), seq };
  }

  #dropOldest(): void {
    const oldest = this.#entries.shift();
    if (!oldest) return;
    this.#ids.delete(oldest.id);
    this.#bytes -= oldest.bytes;
  }
}
