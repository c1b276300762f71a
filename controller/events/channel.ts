import { newId } from '../../shared/ids.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { EventStream } from '../http/responses/event-stream.ts';
import type { BusSubscription } from '../platform/bus/bus-port.ts';
import { EventRing } from './ring.ts';

/** Delay after which a client connects again, ms. */
const RECONNECT_MS = 3000;

/** The open response to one client. */
export type EventSink = Pick<EventStream, 'send' | 'finish' | 'onClose'>;

/** How long a project's results are still received after its last client has gone, since it may come back. */
export const LINGER_MS = 60_000;

/** The latest live events of one project, and its clients. */
export class Channel {
  readonly #clock: Clock;
  readonly #watchResults: () => BusSubscription;
  readonly #sinks = new Set<EventSink>();
  #ring: EventRing;
  #results: BusSubscription | null = null;
  /** Place in the ring since which it holds results. */
  #resultsSince = 0;
  #linger: Timer | null = null;

  /** `watchResults` starts receiving the project's results. */
  constructor(clock: Clock, subscribeToResults: () => BusSubscription) {
    this.#clock = clock;
    this.#watchResults = subscribeToResults;
    this.#ring = new EventRing(this.#newPosition());
  }

  get hasClients(): boolean {
    return this.#sinks.size > 0;
  }

  /** Whether it receives results. */
  get receivesResults(): boolean {
    return this.#results !== null;
  }

  publish(id: string, text: string): void {
    if (!this.#ring.add(id, text)) return;
    for (const sink of this.#sinks) sink.send(text);
  }

  join(sink: EventSink, lastEventId: string | null): void {
    this.#linger?.cancel();
    if (this.#results === null) {
      this.#results = this.#watchResults();
      // A place of its own: earlier clients have missed results, even if nothing else has happened since.
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
    this.#linger?.cancel();
    this.#linger = this.#clock.setTimer(LINGER_MS, () => this.stop());
  }

  /** Events may have been missed: clients must reload, and nobody can resume from before. */
  reset(): void {
    this.#ring = new EventRing(this.#newPosition());
    this.#resultsSince = 0;
    for (const sink of this.#sinks) this.#requestReload(sink);
  }

  /** Receives no more results; clients stay. */
  stop(): void {
    this.#linger?.cancel();
    void this.#results?.stop();
    this.#results = null;
  }

  #resume(sink: EventSink, lastEventId: string): void {
    const replay = this.#ring.after(lastEventId);
    // The ring lacks the results of the time between, or everything: only reloading helps.
    if (replay === null || replay.seq < this.#resultsSince) this.#requestReload(sink);
    else for (const text of replay.texts) sink.send(text);
  }

  #requestReload(sink: EventSink): void {
    sink.send(`id: ${this.#ring.last}\nevent: resync\ndata: {}\n\n`);
  }

  /** A place between events. */
  #newPosition(): string {
    return newId(this.#clock.now());
  }
}
