import { Events, RequestStrategy, type JetStreamManager, type NatsConnection, type Status } from 'nats';
import { spreadMs } from '../../../shared/backoff.ts';
import { readBusCredentials } from '../../../shared/bus-credentials.ts';
import { BusError } from '../../../shared/bus-error.ts';
import type { Log } from '../../../shared/log.ts';
import {
  busFailureOf, closeNats, connectNats, leaveServer, natsUrls, statusesOf,
} from '../../../shared/nats-connection.ts';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { BusListeners } from './bus-listeners.ts';
import type { Bus } from './bus-port.ts';
import { OutboundLimit } from './outbound-limit.ts';

const JETSTREAM_TIMEOUT_MS = 3000;
/** The longest delay is ten times as long. */
const MIN_RECONNECT_MS = 200;
const WAITING_LOG_INTERVAL_MS = 5000;
/** Of nats-server. */
const DEFAULT_MAX_PAYLOAD = 1_048_576;

interface BusOptions {
  /** `nats://` or `tls://` URLs separated by commas. May contain `user:password@`. */
  url: string;
  /** Path of a .creds file or of a file with an nkey seed. */
  creds?: string | null;
  /** Shown in the server's list of connections. */
  name: string;
  log: Log;
  clock?: Clock;
  /** Two unanswered pings at this interval mean that the connection is lost. */
  pingIntervalMs?: number;
}

type Data = Uint8Array | string;
type ResponseLimits = { timeoutMs: number; maxResponses: number };

/**
 * Resolves once connected, however long that takes, and from then on reconnects forever. Rejects if the
 * credentials are unreadable.
 */
export async function connectBus(options: BusOptions): Promise<NatsBus> {
  const { url, creds = null, name, log, clock = systemClock, pingIntervalMs } = options;
  const credentials = readBusCredentials(url, creds);
  const servers = natsUrls(url).map(({ host }) => host);
  const waiting =
    clock.setRepeating(WAITING_LOG_INTERVAL_MS, () => log.warn({ servers }, 'waiting for NATS'));
  const connection = await connectNats({
    ...credentials, url, name, pingIntervalMs, waitOnFirstConnect: true,
    reconnectDelayMs: () => spreadMs(MIN_RECONNECT_MS, 9, Math.random()),
  }).finally(() => waiting.cancel());
  return new NatsBus(connection, log, clock);
}

export class NatsBus implements Bus {
  readonly #connection: NatsConnection;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #listeners: BusListeners;
  readonly #outbound: OutboundLimit;
  readonly #onReconnect: (() => void)[] = [];
  #isConnected = true;
  #dropped = 0;
  #reconnects = 0;

  constructor(connection: NatsConnection, log: Log, clock: Clock) {
    this.#connection = connection;
    this.#log = log;
    this.#clock = clock;
    this.#listeners = new BusListeners(connection, log, clock);
    this.#outbound = new OutboundLimit(() => connection.flush());
    void this.#followStatus();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Whether the current server is part of a cluster. */
  get isClustered(): boolean {
    return Boolean(this.#connection.info?.cluster);
  }

  /** `host:port` of the current server. */
  get server(): string {
    return this.#connection.getServer();
  }

  /** The largest message that the server accepts, bytes. */
  get maxPayload(): number {
    return this.#connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD;
  }

  flush(): Promise<void> {
    return this.#connection.flush();
  }

  publish(subject: string, data: Data): void {
    if (!this.#isConnected || !this.#outbound.admit(data.length)) {
      this.#dropped += 1;
      return;
    }
    try {
      this.#connection.publish(subject, data);
    } catch (error) {
      this.#dropped += 1;
      this.#log.error({ err: error, subject, bytes: data.length }, 'message not published');
    }
  }

  request(subject: string, data: Data, { timeoutMs }: { timeoutMs: number }): Promise<Uint8Array> {
    return this.#send(subject, data, async () => {
      return (await this.#connection.request(subject, data, { timeout: timeoutMs })).data;
    });
  }

  /**
   * Collects responses until none follow, their number reaches the limit or time is up. Without any, rejects
   * with BusError.
   */
  requestMany(subject: string, data: Data, limits: ResponseLimits): Promise<Uint8Array[]> {
    const { timeoutMs: maxWait, maxResponses } = limits;
    return this.#send(subject, data, async () => {
      const options = { maxWait, strategy: RequestStrategy.JitterTimer };
      const responses: Uint8Array[] = [];
      for await (const response of await this.#connection.requestMany(subject, data, options)) {
        responses.push(response.data);
        if (responses.length >= maxResponses) break;
      }
      return responses;
    });
  }

  /** Manages JetStream streams and consumers. Calls reject with NatsError. */
  jetStream(): Promise<JetStreamManager> {
    return this.#connection.jetstreamManager({ checkAPI: false, timeout: JETSTREAM_TIMEOUT_MS });
  }

  subscribe(...args: Parameters<Bus['subscribe']>): ReturnType<Bus['subscribe']> {
    return this.#listeners.add(...args);
  }

  onReconnect(listener: () => void): void {
    this.#onReconnect.push(listener);
  }

  /** Totals since startup. `dropped`: published while disconnected, above the outbound limit or too large. */
  stats() {
    const { inMsgs: inMessages, outMsgs: outMessages } = this.#connection.stats();
    const { handlerErrors } = this.#listeners;
    return { dropped: this.#dropped, handlerErrors, reconnects: this.#reconnects, inMessages, outMessages };
  }

  async close(): Promise<void> {
    await closeNats(this.#connection, this.#isConnected, this.#clock);
    this.#isConnected = false;
  }

  async #send<T>(subject: string, data: Data, attempt: () => Promise<T>): Promise<T> {
    if (!this.#isConnected || !this.#outbound.admit(data.length)) throw new BusError('disconnected', subject);
    try {
      return await attempt();
    } catch (error) {
      const failure = busFailureOf(error);
      throw failure ? new BusError(failure, subject) : error;
    }
  }

  async #followStatus(): Promise<void> {
    for await (const status of statusesOf(this.#connection)) this.#onStatus(status);
    this.#isConnected = false;
    const error = await this.#connection.closed();
    if (error) this.#log.error({ err: error }, 'bus closed');
  }

  #onStatus(status: Status): void {
    if (status.type === 'disconnect') {
      this.#isConnected = false;
      this.#outbound.reset();
      this.#log.warn({ server: status.data }, 'bus disconnected');
    } else if (status.type === 'reconnect') {
      this.#isConnected = true;
      this.#reconnects += 1;
      this.#log.info({ server: status.data }, 'bus reconnected');
      this.#listeners.restore();
      for (const listener of this.#onReconnect) this.#notify(listener);
    } else if (status.type === Events.LDM) {
      this.#log.info({ server: status.data }, 'NATS server is about to stop');
      void leaveServer(this.#connection).catch(() => undefined);
    } else if (status.type === 'error') {
      this.#log.warn({ code: status.data, permission: status.permissionContext }, 'bus refused');
    }
  }

  #notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#log.error({ err: error }, 'reconnect listener failed');
    }
  }
}
