import { Events, RequestStrategy, type JetStreamManager, type NatsConnection, type Status } from 'nats';
import { BusError } from '../../../shared/bus-error.ts';
import type { Log } from '../../../shared/log.ts';
import { busFailureOf, closeNats, leaveServer, statusesOf } from '../../../shared/nats-connection.ts';
import type { Clock } from '../../../shared/time.ts';
import { BusListeners } from './bus-listeners.ts';
import type { Bus } from './bus-port.ts';

const JETSTREAM_TIMEOUT_MS = 3000;
/** Of nats-server. */
const DEFAULT_MAX_PAYLOAD = 1_048_576;

type Data = Uint8Array | string;

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
    return this.#send(subject, data, async () =>
      (await this.#connection.request(subject, data, { timeout: timeoutMs })).data);
  }

  /**
   * Collects responses until none follow, their number reaches the limit or time is up. Without any, rejects
   * with BusError.
   */
  requestMany(subject: string, data: Data, limits: { timeoutMs: number; maxResponses: number }) {
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
      for (const listener of this.#onReconnect) {
        try {
          listener();
        } catch (error) {
          this.#log.error({ err: error }, 'reconnect listener failed');
        }
      }
    } else if (status.type === Events.LDM) {
      this.#log.info({ server: status.data }, 'NATS server is about to stop');
      void leaveServer(this.#connection).catch(() => undefined);
    } else if (status.type === 'error') {
      this.#log.warn({ code: status.data, permission: status.permissionContext }, 'bus refused');
    }
  }
}

/** Interval at which the server must confirm that it has read our bytes. */
const CONFIRM_INTERVAL_BYTES = 4 * 1024 * 1024;
/** Limit of unconfirmed bytes. Only unanswered pings reveal a half-open connection. */
const MAX_UNCONFIRMED_BYTES = 32 * 1024 * 1024;

/** Limits the socket's buffer when a server stops reading, because Node's sockets accept everything. */
class OutboundLimit {
  readonly #flush: () => Promise<void>;
  #sent = 0;
  #confirmed = 0;
  #isConfirming = false;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** False if these bytes would exceed the limit and must not be sent. */
  admit(bytes: number): boolean {
    if (this.#sent - this.#confirmed + bytes > MAX_UNCONFIRMED_BYTES) return false;
    this.#sent += bytes;
    if (!this.#isConfirming && this.#sent - this.#confirmed >= CONFIRM_INTERVAL_BYTES) this.#confirm();
    return true;
  }

  /** The connection is lost, with all unconfirmed bytes. */
  reset(): void {
    this.#confirmed = this.#sent;
    this.#isConfirming = false;
  }

  #confirm(): void {
    this.#isConfirming = true;
    const mark = this.#sent;
    this.#flush().then(() => {
      this.#isConfirming = false;
      // A reset may already have confirmed more than this response does.
      this.#confirmed = Math.max(this.#confirmed, mark);
    }, () => undefined);
  }
}
