import { newId } from '../../shared/ids.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { EventStream } from '../http/responses/event-stream.ts';
import type { BusSubscription } from '../platform/bus/bus-port.ts';
import { EventRing } from './ring.ts';

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
