import type { Clock, Timer } from '../../shared/time.ts';
import type { BusSubscription } from '../platform/bus/bus-port.ts';
import type { EventSink } from './ports.ts';
import { EventRing } from './ring.ts';

/** What a client waits before it connects again, ms. */
const RECONNECT_MS = 3000;

export interface ChannelDeps {
  /** A new name for a place between events. */
  newPlace(): string;
  clock: Clock;
  lingerMs: number;
  /** Starts taking the project's results. */
  watchResults(): BusSubscription;
}

/** One project's live events: the latest of them, and who listens. */
export class Channel {
  readonly #deps: ChannelDeps;
  readonly #sinks = new Set<EventSink>();
  #ring: EventRing;
  #results: BusSubscription | null = null;
  /** Place in the ring since which results are in it. */
  #resultsSince = 0;
  #linger: Timer | null = null;

  constructor(deps: ChannelDeps) {
    this.#deps = deps;
    this.#ring = new EventRing(deps.newPlace());
  }

  get hasClients(): boolean {
    return this.#sinks.size > 0;
  }

  tell(id: string, text: string): void {
    if (!this.#ring.add(id, text)) return;
    for (const sink of this.#sinks) sink.send(text);
  }

  join(sink: EventSink, lastEventId: string | null): void {
    this.#linger?.cancel();
    if (this.#results === null) {
      this.#results = this.#deps.watchResults();
      // A place of its own: who was here before has missed results, even if nothing else happened since.
      this.#ring.add(this.#deps.newPlace(), '');
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
    this.#linger = this.#deps.clock.setTimer(this.#deps.lingerMs, () => this.stop());
  }

  /** What was said may be incomplete: whoever listens is to read anew, and nobody can go on from before. */
  reset(): void {
    this.#ring = new EventRing(this.#deps.newPlace());
    this.#resultsSince = 0;
    for (const sink of this.#sinks) this.#hint(sink);
  }

  /** Takes results no more; clients stay. */
  stop(): void {
    this.#linger?.cancel();
    void this.#results?.stop();
    this.#results = null;
  }

  #resume(sink: EventSink, lastEventId: string): void {
    const replay = this.#ring.after(lastEventId);
    // Without results of the time between, or without anything, only reading anew makes it whole.
    if (replay === null || replay.seq < this.#resultsSince) this.#hint(sink);
    else for (const text of replay.texts) sink.send(text);
  }

  #hint(sink: EventSink): void {
    sink.send(`id: ${this.#ring.last}\nevent: resync\ndata: {}\n\n`);
  }
}
