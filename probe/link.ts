import { connect, ErrorCode, Events, nkeyAuthenticator, NatsError, type NatsConnection } from 'nats';
import type { Log } from '../shared/log.ts';
import { BusError, type ProbeBus, type Subscription } from './ports.ts';

export interface LinkOptions {
  url: string;
  /** Seed of the probe's user nkey. */
  seed: Uint8Array;
  probeId: string;
  log: Log;
}

/** Where answers to a probe go; the server lets nobody else read there. */
export function privateInbox(probeId: string): string {
  return `_INBOX_${probeId}`;
}

/** Connects to NATS as this probe and stays connected: it never gives up, whatever the server says. */
export class Link implements ProbeBus {
  readonly #options: LinkOptions;
  readonly #handlers: ((isConnected: boolean) => void)[] = [];
  readonly #subscriptions: ((connection: NatsConnection) => void)[] = [];
  #connection: NatsConnection | null = null;
  #isConnected = false;
  #isStopped = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Begins to connect; returns at once. */
  start(): void {
    void this.#open().catch((error: unknown) => this.#options.log.error({ err: error }, 'NATS connection ended'));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const connection = this.#connection;
    this.#isConnected = false;
    if (!connection || connection.isClosed()) return;
    await connection.flush().catch(() => undefined);
    await connection.close().catch(() => undefined);
  }

  async request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (!this.#connection || !this.#isConnected) throw new BusError('closed');
    try {
      return (await this.#connection.request(subject, payload, { timeout: timeoutMs })).data;
    } catch (error) {
      throw new BusError(kindOf(error), { cause: error });
    }
  }

  publish(subject: string, payload: Uint8Array, reply?: string): void {
    if (!this.#connection || !this.#isConnected) return;
    this.#connection.publish(subject, payload, reply === undefined ? undefined : { reply });
  }

  subscribe(subject: string, handle: (payload: Uint8Array, respond: ((payload: Uint8Array) => void) | null) => void): Subscription {
    let stop = (): void => undefined;
    const open = (connection: NatsConnection): void => {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          if (error) return this.#options.log.error({ subject, err: error.message }, 'subscription failed');
          handle(message.data, message.reply ? (answer) => void message.respond(answer) : null);
        },
      });
      stop = () => subscription.unsubscribe();
    };
    this.#subscriptions.push(open);
    if (this.#connection) open(this.#connection);
    return { stop: () => stop() };
  }

  onChange(handle: (isConnected: boolean) => void): void {
    this.#handlers.push(handle);
    if (this.#isConnected) handle(true);
  }

  async #open(): Promise<void> {
    const { url, seed, probeId, log } = this.#options;
    const connection = await connect({
      servers: url, authenticator: nkeyAuthenticator(seed), name: `probe ${probeId}`, inboxPrefix: privateInbox(probeId),
      maxReconnectAttempts: -1, waitOnFirstConnect: true, ignoreAuthErrorAbort: true, reconnectTimeWait: 250, reconnectJitter: 500,
      reconnectJitterTLS: 1000, pingInterval: 10_000, maxPingOut: 2, timeout: 5000, noAsyncTraces: true,
      // Left open, the client would encrypt wherever the server offers it, also on loopback, where the certificate's name does not hold.
      tls: url.startsWith('tls://') ? {} : null,
    });
    this.#connection = connection;
    if (this.#isStopped) return connection.close();
    for (const open of this.#subscriptions) open(connection);
    this.#change(true);
    for await (const status of connection.status()) {
      if (status.type === Events.Disconnect) this.#change(false);
      else if (status.type === Events.Reconnect) this.#change(true);
      else if (status.type === Events.Error) log.warn({ err: String(status.data) }, 'NATS error');
    }
  }

  #change(isConnected: boolean): void {
    if (this.#isConnected === isConnected || this.#isStopped) return;
    this.#isConnected = isConnected;
    this.#options.log.info({ connected: isConnected }, isConnected ? 'NATS link up' : 'NATS link down');
    for (const handle of this.#handlers) handle(isConnected);
  }
}

function kindOf(error: unknown): BusError['kind'] {
  if (!(error instanceof NatsError)) return 'closed';
  if (error.code === ErrorCode.Timeout) return 'timeout';
  return error.code === ErrorCode.NoResponders ? 'no_responders' : 'closed';
}
