import { newId } from '../../shared/ids.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { EventStream } from '../http/responses/event-stream.ts';
import type { BusSubscription } from '../platform/bus/bus-port.ts';

export const RING_EVENTS = 500;
/** A client may get all of it at once, so it must fit into a stream's backlog. */
const RING_BYTES = 256 * 1024;

/** The latest events of one project, from which a client resumes after a short disconnection. */
class EventRing {
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

/** Delay before a client reconnects. */
const RECONNECT_MS = 3000;

/** The open response to one client. */
export type EventSink = Pick<EventStream, 'send' | 'finish' | 'onClose'>;

/**
 * How long a project's results are still received after its last client disconnects, in case it reconnects.
 */
export const LINGER_MS = 60_000;

/** The latest live events of one project, and its clients. */
export class Channel {
  readonly #clock: Clock;
  readonly #subscribeToResults: () => BusSubscription;
  readonly #sinks = new Set<EventSink>();
  #ring: EventRing;
  #results: BusSubscription | null = null;
  /** Ring position from which the ring holds results. */
  #resultsSince = 0;
  #lingerTimer: Timer | null = null;

  /** `subscribeToResults` starts receiving the project's results. */
  constructor(clock: Clock, subscribeToResults: () => BusSubscription) {
    this.#clock = clock;
    this.#subscribeToResults = subscribeToResults;
    this.#ring = new EventRing(this.#newPosition());
  }

  get hasClients(): boolean {
    return this.#sinks.size > 0;
  }

  get receivesResults(): boolean {
    return this.#results !== null;
  }

  publish(id: string, text: string): void {
    if (!this.#ring.add(id, text)) return;
    for (const sink of this.#sinks) sink.send(text);
  }

  join(sink: EventSink, lastEventId: string | null): void {
    this.#lingerTimer?.cancel();
    if (this.#results === null) {
      this.#results = this.#subscribeToResults();
      // A new position: earlier clients have missed results, even if nothing else has happened since.
      this.#ring.add(this.#newPosition(), '');
      this.#resultsSince = this.#ring.seq;
    }
    this.#sinks.add(sink);
    sink.send(`retry: ${RECONNECT_MS}\n${lastEventId === null ? `id: ${this.#ring.last}\n` : ''}\n`);
    if (lastEventId !== null) this.#resume(sink, lastEventId);
  }

  leave(sink: EventSink): void {
    this.#sinks.delete(sink);
    if (this.#sinks.size > 0 || this.#results === null) return;
    this.#lingerTimer?.cancel();
    this.#lingerTimer = this.#clock.setTimer(LINGER_MS, () => this.stop());
  }

  /** Makes clients reload, because events may have been missed; nobody can resume from before. */
  reset(): void {
    this.#ring = new EventRing(this.#newPosition());
    this.#resultsSince = 0;
    for (const sink of this.#sinks) this.#requestReload(sink);
  }

  /** Stops receiving results; clients stay connected. */
  stop(): void {
    this.#lingerTimer?.cancel();
    void this.#results?.stop();
    this.#results = null;
  }

  #resume(sink: EventSink, lastEventId: string): void {
    const replay = this.#ring.after(lastEventId);
    // The ring lacks results from the gap, or all events: the client has to reload.
    if (replay === null || replay.seq < this.#resultsSince) this.#requestReload(sink);
    else for (const text of replay.texts) sink.send(text);
  }

  #requestReload(sink: EventSink): void {
    sink.send(`id: ${this.#ring.last}\nevent: resync\ndata: {}\n\n`);
  }

  /** Id of a position between events. */
  #newPosition(): string {
    return newId(this.#clock.now());
  }
}
