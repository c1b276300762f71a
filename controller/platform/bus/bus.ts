import { connect, RequestStrategy, type NatsConnection, type Status } from 'nats';
import type { Log } from '../../../shared/log.ts';
import { systemClock, type Clock } from '../../../shared/time.ts';
import { BusError, type Bus } from './bus-port.ts';
import { BusListeners } from './bus-listeners.ts';
import { asBusError } from './bus-errors.ts';
import { readBusCredentials } from './bus-credentials.ts';
import { OutboundLimit } from '../outbound/outbound-limit.ts';
import { breakStaleConnection } from './stale-connection.ts';

/** A half-open connection is noticed within 30 s. */
const PING_EVERY_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;
const RECONNECT_MIN_MS = 200;
const RECONNECT_MAX_MS = 2000;
const CLOSE_TIMEOUT_MS = 3000;
const SAY_WAITING_EVERY_MS = 5000;

export interface BusOptions {
  /** `nats://` or `tls://`; several by commas. May carry `user:password@`. */
  url: string;
  /** Path of a .creds file or of a file with an nkey seed. */
  creds?: string | null;
  /** Shown by the server in its list of connections. */
  name: string;
  log: Log;
  clock?: Clock;
  /** Two unanswered pings, this far apart, mean that the connection is gone. */
  pingEveryMs?: number;
}

export interface BusStats {
  /** Messages given up since the start: published while disconnected or above the outbound limit. */
  dropped: number;
  handlerErrors: number;
  reconnects: number;
  inMessages: number;
  outMessages: number;
}

export interface NatsBus extends Bus {
  /** Every reply until none came for a while, `most` came or the time is up. Rejects with BusError when nobody is there. */
  requestMany(subject: string, data: Uint8Array | string, options: { timeoutMs: number; most: number }): Promise<Uint8Array[]>;
  stats(): BusStats;
}

/** Resolves once connected, however long that takes; after that it reconnects for ever. Rejects on unreadable credentials. */
export async function connectBus(options: BusOptions): Promise<NatsBus> {
  const { log, clock = systemClock } = options;
  const access = readBusCredentials(options.url, options.creds ?? null);
  const waiting = clock.setRepeating(SAY_WAITING_EVERY_MS, () => log.warn({ servers: access.servers }, 'waiting for NATS'));
  const connection = await connect({
    ...access,
    name: options.name,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    // A user file that is being rewritten refuses us for a moment; giving up then would be for ever.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () => RECONNECT_MIN_MS + Math.random() * (RECONNECT_MAX_MS - RECONNECT_MIN_MS),
    pingInterval: options.pingEveryMs ?? PING_EVERY_MS,
    maxPingOut: 2,
    timeout: CONNECT_TIMEOUT_MS,
    noAsyncTraces: true,
  }).finally(() => waiting.cancel());
  return new ConnectedBus(connection, log, clock);
}

class ConnectedBus implements NatsBus {
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
    void this.#watch();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  publish(subject: string, data: Uint8Array | string): void {
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

  async request(subject: string, data: Uint8Array | string, options: { timeoutMs: number }): Promise<Uint8Array> {
    if (!this.#isConnected || !this.#outbound.admit(data.length)) throw new BusError('disconnected', subject);
    try {
      const reply = await this.#connection.request(subject, data, { timeout: options.timeoutMs });
      return reply.data;
    } catch (error) {
      throw asBusError(error, subject);
    }
  }

  async requestMany(subject: string, data: Uint8Array | string, options: { timeoutMs: number; most: number }): Promise<Uint8Array[]> {
    if (!this.#isConnected || !this.#outbound.admit(data.length)) throw new BusError('disconnected', subject);
    const replies: Uint8Array[] = [];
    try {
      const strategy = RequestStrategy.JitterTimer;
      const incoming = await this.#connection.requestMany(subject, data, { maxWait: options.timeoutMs, strategy });
      for await (const reply of incoming) {
        replies.push(reply.data);
        if (replies.length >= options.most) break;
      }
      return replies;
    } catch (error) {
      throw asBusError(error, subject);
    }
  }

  subscribe(...args: Parameters<Bus['subscribe']>): ReturnType<Bus['subscribe']> {
    return this.#listeners.add(...args);
  }

  onReconnect(listener: () => void): void {
    this.#onReconnect.push(listener);
  }

  stats(): BusStats {
    const { inMsgs, outMsgs } = this.#connection.stats();
    return {
      dropped: this.#dropped,
      handlerErrors: this.#listeners.handlerErrors,
      reconnects: this.#reconnects,
      inMessages: inMsgs,
      outMessages: outMsgs,
    };
  }

  async close(): Promise<void> {
    if (this.#connection.isClosed()) return;
    // Draining waits for an answer of the server, which a server that is away never gives.
    if (this.#isConnected && !this.#connection.isDraining()) {
      const late = new Promise<void>((resolve) => {
        const timer = this.#clock.setTimer(CLOSE_TIMEOUT_MS, resolve);
        void this.#connection.closed().then(() => timer.cancel());
      });
      await Promise.race([this.#connection.drain().catch(() => undefined), late]);
    }
    this.#isConnected = false;
    // While it dials, nats.js's own close waits for the attempt to end; nothing is left to wait for.
    void this.#connection.close().catch(() => undefined);
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) this.#take(status);
    this.#isConnected = false;
    const error = await this.#connection.closed();
    if (error) this.#log.error({ err: error }, 'bus closed');
  }

  #take(status: Status): void {
    if (status.type === 'disconnect') {
      this.#isConnected = false;
      this.#outbound.reset();
      this.#log.warn({ server: status.data }, 'bus disconnected');
    } else if (status.type === 'reconnect') {
      this.#isConnected = true;
      this.#reconnects += 1;
      this.#log.info({ server: status.data }, 'bus reconnected');
      this.#listeners.restore();
      for (const listener of this.#onReconnect) this.#tell(listener);
    } else if (status.type === 'staleConnection') {
      breakStaleConnection(this.#connection).catch((error: unknown) => this.#log.error({ err: error }, 'stale connection not broken'));
    } else if (status.type === 'error') {
      this.#log.warn({ code: status.data, permission: status.permissionContext }, 'bus refused');
    }
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#log.error({ err: error }, 'reconnect listener failed');
    }
  }
}
