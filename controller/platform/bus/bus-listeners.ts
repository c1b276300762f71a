import type { Msg, NatsConnection, NatsError, Subscription } from 'nats';
import type { Log } from '../../../shared/log.ts';
import { within, type Clock } from '../../../shared/time.ts';
import type { BusHandler, BusSubscription } from './bus-port.ts';

const STOP_TIMEOUT_MS = 2000;

interface Listener {
  readonly subject: string;
  readonly handler: BusHandler;
  readonly queue: string | undefined;
  subscription: Subscription | null;
}

/** The subscriptions of a connection. nats.js renews them, except those that the server once refused. */
export class BusListeners {
  readonly #connection: NatsConnection;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  handlerErrors = 0;

  constructor(connection: NatsConnection, log: Log, clock: Clock) {
    this.#connection = connection;
    this.#log = log;
    this.#clock = clock;
  }

  add(subject: string, handler: BusHandler, { queue }: { queue?: string } = {}): BusSubscription {
    const listener: Listener = { subject, handler, queue, subscription: null };
    this.#listeners.add(listener);
    this.#open(listener);
    return { stop: () => this.#stop(listener) };
  }

  /** Subscribes again to what was refused before: the server's permissions may have changed. */
  restore(): void {
    for (const listener of this.#listeners) if (!listener.subscription) this.#open(listener);
  }

  #open(listener: Listener): void {
    listener.subscription = this.#connection.subscribe(listener.subject, {
      queue: listener.queue,
      callback: (error, message) => this.#receive(listener, error, message),
    });
  }

  #receive(listener: Listener, error: NatsError | null, message: Msg): void {
    if (error) {
      listener.subscription = null;
      this.#log.error({ err: error, subject: listener.subject }, 'subscription refused');
      return;
    }
    // A callback that throws would silently end nats.js's reader, and with it the connection.
    try {
      const { subject, data } = message;
      const reply = (answer: Uint8Array | string) => void message.respond(answer);
      const result: unknown = listener.handler({ subject, data, reply });
      if (result instanceof Promise) result.catch((failure: unknown) => this.#failed(listener, failure));
    } catch (failure) {
      this.#failed(listener, failure);
    }
  }

  #failed(listener: Listener, failure: unknown): void {
    this.handlerErrors += 1;
    this.#log.error({ err: failure, subject: listener.subject }, 'message handler failed');
  }

  async #stop(listener: Listener): Promise<void> {
    this.#listeners.delete(listener);
    const { subscription } = listener;
    listener.subscription = null;
    if (!subscription || subscription.isClosed() || this.#connection.isClosed()) return;
    // Draining ends neither while the server is away nor once the connection is closed.
    const drained = subscription.drain().catch(() => undefined);
    await within(this.#clock, STOP_TIMEOUT_MS, Promise.race([drained, this.#connection.closed()]));
    if (!subscription.isClosed() && !this.#connection.isClosed()) subscription.unsubscribe();
  }
}
