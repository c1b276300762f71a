import type { Msg, NatsConnection, NatsError, Subscription } from 'nats';
import type { Log } from '../../../shared/log.ts';
import { within, type Clock } from '../../../shared/time.ts';
import type { BusHandler, BusSubscription } from './bus-port.ts';

const STOP_TIMEOUT_MS = 2000;

/**
 * A connection's subscriptions. nats.js restores them after a reconnect, except those the server has refused.
 */
export class BusListeners {
  readonly #connection: NatsConnection;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #resubscribers = new Set<() => void>();
  handlerErrors = 0;

  constructor(connection: NatsConnection, log: Log, clock: Clock) {
    this.#connection = connection;
    this.#log = log;
    this.#clock = clock;
  }

  add(subject: string, handler: BusHandler, { queue }: { queue?: string } = {}): BusSubscription {
    let subscription: Subscription | null = null;
    const callback = (error: NatsError | null, message: Msg) => {
      if (!error) return this.#handle(handler, message);
      subscription = null;
      this.#log.error({ err: error, subject }, 'subscription refused');
    };
    const resubscribe = () => {
      subscription ??= this.#connection.subscribe(subject, { queue, callback });
    };
    this.#resubscribers.add(resubscribe);
    resubscribe();
    const stop = async () => {
      this.#resubscribers.delete(resubscribe);
      if (subscription) await this.#drain(subscription);
    };
    return { stop };
  }

  /** Retries refused subscriptions: the server's permissions may have changed. */
  restore(): void {
    for (const resubscribe of this.#resubscribers) resubscribe();
  }

  /** A throwing callback would silently stop nats.js from reading, and with it the connection. */
  #handle(handler: BusHandler, message: Msg): void {
    const { subject, data } = message;
    const failed = (error: unknown) => {
      this.handlerErrors += 1;
      this.#log.error({ err: error, subject }, 'message handler failed');
    };
    try {
      const result: unknown = handler({ subject, data, respond: (payload) => void message.respond(payload) });
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  async #drain(subscription: Subscription): Promise<void> {
    const connection = this.#connection;
    if (subscription.isClosed() || connection.isClosed()) return;
    // Draining never ends while the server is away or once the connection is closed.
    const drained = subscription.drain().catch(() => undefined);
    await within(this.#clock, STOP_TIMEOUT_MS, Promise.race([drained, connection.closed()]));
    if (!subscription.isClosed() && !connection.isClosed()) subscription.unsubscribe();
  }
}
