import { ErrorCode, Events, nkeyAuthenticator, NatsError, type NatsConnection, type Status } from 'nats';
import { spreadMs } from '../shared/backoff.ts';
import { BusError } from '../shared/bus-error.ts';
import type { ProxyVariables } from '../shared/http-proxy.ts';
import type { Log } from '../shared/log.ts';
import { busFailureOf, closeNats, connectNats, statusesOf } from '../shared/nats-connection.ts';
import type { Clock, Timer } from '../shared/time.ts';
import type { ProbeBus, Subscription } from './ports.ts';
import { ReconnectBackoff } from './reconnect-backoff.ts';

export interface LinkOptions {
  /** `nats://`, `tls://`, `ws://` or `wss://`; several separated by commas. */
  url: string;
  proxies?: ProxyVariables;
  /** Seed of the probe's user nkey. */
  seed: Uint8Array;
  probeId: string;
  clock: Clock;
  log: Log;
  random: () => number;
  /** Called whenever the server refuses this probe. */
  onRefused?: () => void;
  /** The connection counts as broken after two unanswered pings. */
  pingIntervalMs?: number;
}

/**
 * Delay before each attempt to leave a server that is about to stop; up to eight times as long. Controllers
 * leave it meanwhile, and the next server may have to ask them whether this probe may connect.
 */
const MIN_LEAVE_MS = 250;
/** How long a replaced connection stays open for pending responses. */
const RETIRED_FOR_MS = 5000;
/** The server's errors for an unknown or revoked user. */
const REFUSALS: readonly string[] =
  [ErrorCode.AuthorizationViolation, ErrorCode.AuthenticationExpired, ErrorCode.AccountExpired];

interface Handler {
  subject: string;
  handle: (payload: Uint8Array, respond: ((payload: Uint8Array) => void) | null) => void;
  stop: () => void;
}

interface ActiveConnection {
  connection: NatsConnection;
  /** Resolves when the connection has ended: to the server's reason if it rejected us, otherwise to null. */
  ended: Promise<string | null>;
}

/** The subject prefix for responses to a probe; the server lets no other client read it. */
export function privateInbox(probeId: string): string {
  return `_INBOX_${probeId}`;
}

/** Connects to NATS as this probe and stays connected. Never gives up, whatever the server reports. */
export class Link implements ProbeBus {
  readonly #options: LinkOptions;
  readonly #listeners: ((isConnected: boolean) => void)[] = [];
  readonly #handlers = new Set<Handler>();
  #seed: Uint8Array;
  #active: ActiveConnection | null = null;
  /** The replaced connection while it may still receive responses. */
  #retired: ActiveConnection | null = null;
  #isConnected = false;
  #isStopped = false;
  readonly #backoff: ReconnectBackoff;
  /** Runs until the next attempt; `#wake` starts it early. */
  #retryTimer: Timer | null = null;
  #wake: () => void = () => undefined;
  /** Runs until the next attempt to leave a server. */
  #leaveTimer: Timer | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#seed = options.seed;
    this.#backoff = new ReconnectBackoff(options.clock, options.random);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Starts connecting; returns immediately. */
  start(): void {
    void this.#stayOpen();
  }

  async stop(): Promise<void> {
    const wasConnected = this.#isConnected;
    this.#isStopped = true;
    this.#isConnected = false;
    this.#retryTimer?.cancel();
    this.#leaveTimer?.cancel();
    this.#wake();
    const open = [this.#active, this.#retired].filter((active) => active !== null);
    await Promise.all(open.map(({ connection }) => closeNats(connection, wasConnected, this.#options.clock)));
  }

  /**
   * Replaces the connection with one for another user key. Both overlap, so messages may arrive twice.
   * Resolves to false, with nothing changed, if the server rejects it or there is no connection.
   */
  async reconnect(seed: Uint8Array): Promise<boolean> {
    const former = this.#active;
    if (!former || !this.#isConnected) return false;
    const active = await this.#dial(seed).catch(() => null);
    if (!active) return false;
    if (this.#isStopped || this.#active !== former) {
      await active.connection.close().catch(() => undefined);
      return false;
    }
    this.#seed = seed;
    if (this.#retired) void closeNats(this.#retired.connection, true, this.#options.clock);
    this.#retired = former;
    const listening = [...this.#handlers];
    const stops = listening.map((handler) => handler.stop);
    this.#active = active;
    for (const handler of listening) this.#listen(active.connection, handler);
    await active.connection.flush().catch(() => undefined);
    for (const stop of stops) stop();
    this.#backoff.connected();
    this.#change(true);
    this.#options.clock.setTimer(RETIRED_FOR_MS, () => {
      if (this.#retired === former) this.#retired = null;
      void closeNats(former.connection, true, this.#options.clock);
    });
    return true;
  }

  /** Whether the server answers a ping in time; false while disconnected. Never rejects. */
  isResponsive(timeoutMs: number): Promise<boolean> {
    const connection = this.#active?.connection;
    if (!connection || !this.#isConnected) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(timeoutMs, () => resolve(false));
      void connection.rtt().then(() => true, () => false).then((isResponsive) => {
        timer.cancel();
        resolve(isResponsive);
      });
    });
  }

  async request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (!this.#active || !this.#isConnected) throw new BusError('disconnected', subject);
    try {
      return (await this.#active.connection.request(subject, payload, { timeout: timeoutMs })).data;
    } catch (error) {
      throw new BusError(busFailureOf(error) ?? 'disconnected', subject, { cause: error });
    }
  }

  publish(subject: string, payload: Uint8Array, responseSubject?: string): void {
    if (!this.#active || !this.#isConnected) return;
    const options = responseSubject === undefined ? undefined : { reply: responseSubject };
    this.#active.connection.publish(subject, payload, options);
  }

  async flush(): Promise<void> {
    if (this.#active && this.#isConnected) await this.#active.connection.flush().catch(() => undefined);
  }

  subscribe(subject: string, handle: Handler['handle']): Subscription {
    const handler: Handler = { subject, handle, stop: () => undefined };
    this.#handlers.add(handler);
    if (this.#active) this.#listen(this.#active.connection, handler);
    return {
      stop: () => {
        this.#handlers.delete(handler);
        handler.stop();
      },
    };
  }

  onChange(handle: (isConnected: boolean) => void): void {
    this.#listeners.push(handle);
    if (this.#isConnected) handle(true);
  }

  /** nats.js reconnects on its own after a lost connection; after a rejection, this dials again. */
  async #stayOpen(): Promise<void> {
    let isWaiting = false;
    while (!this.#isStopped) {
      const failure = await this.#open().catch(failureOf);
      const wasConnected = this.#isConnected;
      this.#change(false);
      if (this.#isStopped) return;
      const isRefused = failure !== null && REFUSALS.includes(failure);
      const delayMs = isRefused ? this.#backoff.delayAfterRefusal() : this.#backoff.delayAfterLoss();
      const retryInMs = Math.round(delayMs);
      const facts = { reason: failure, retry_in_ms: retryInMs };
      if (isRefused) {
        this.#options.log.warn(facts, 'NATS rejects this probe');
        this.#options.onRefused?.();
      } else if (!isWaiting || wasConnected) this.#options.log.warn(facts, 'waiting for NATS');
      isWaiting = !isRefused;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#retryTimer = this.#options.clock.setTimer(retryInMs, resolve);
      });
    }
  }

  /** Resolves when the connection and all its replacements have ended, with the reason as in `ended`. */
  async #open(): Promise<string | null> {
    let active = await this.#dial(this.#seed);
    this.#active = active;
    if (this.#isStopped) return active.connection.close().then(() => null);
    for (const handler of this.#handlers) this.#listen(active.connection, handler);
    this.#change(true);
    this.#backoff.connected();
    let reason = await active.ended;
    for (
      let next: ActiveConnection | null = this.#active;
      next !== null && next !== active;
      next = this.#active
    ) {
      active = next;
      reason = await active.ended;
    }
    this.#active = null;
    return reason;
  }

  async #dial(seed: Uint8Array): Promise<ActiveConnection> {
    const { url, proxies, probeId, pingIntervalMs } = this.#options;
    const connection = await connectNats({
      url, proxies, name: `probe ${probeId}`, pingIntervalMs,
      authenticator: nkeyAuthenticator(seed), inboxPrefix: privateInbox(probeId),
      // Discovered cluster servers would be tried forever without our backoff if all of them reject us.
      ignoreClusterUpdates: true,
      reconnectDelayMs: () => this.#backoff.delayAfterLoss(),
    });
    return { connection, ended: this.#watch(connection) };
  }

  async #watch(connection: NatsConnection): Promise<string | null> {
    let refusal: string | null = null;
    for await (const status of statusesOf(connection)) {
      const isRefusal = status.type === Events.Error && REFUSALS.includes(String(status.data));
      const isRetired = this.#active !== null && this.#active.connection !== connection;
      if (!isRefusal && !(isRetired && status.type === Events.Disconnect)) {
        this.#take(status);
        continue;
      }
      refusal = isRefusal ? String(status.data) : null;
      await connection.close();
      // If closed from within, the iterator would never end.
      break;
    }
    return refusal ?? failureOf(await connection.closed());
  }

  #take(status: Status): void {
    if (status.type === Events.Disconnect) this.#change(false);
    else if (status.type === Events.Reconnect) {
      this.#backoff.connected();
      this.#change(true);
    } else if (status.type === Events.LDM) this.#leave(this.#active);
    else if (status.type === Events.Error) {
      this.#options.log.warn(
        { err: String(status.data), permission: status.permissionContext }, 'NATS refused',
      );
    }
  }

  /** Replaces the connection to a server that is about to close it, once another one accepts this probe. */
  #leave(former: ActiveConnection | null): void {
    const { clock, random } = this.#options;
    this.#leaveTimer?.cancel();
    if (this.#isStopped || !this.#isConnected || this.#active !== former) return;
    this.#leaveTimer = clock.setTimer(spreadMs(MIN_LEAVE_MS, 7, random()), () => {
      if (this.#active !== former) return;
      void this.reconnect(this.#seed).then((isDone) => isDone || this.#leave(former));
    });
  }

  #listen(connection: NatsConnection, handler: Handler): void {
    const { subject, handle } = handler;
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (error) return this.#options.log.error({ subject, err: error.message }, 'subscription failed');
        handle(message.data, message.reply ? (response) => void message.respond(response) : null);
      },
    });
    handler.stop = () => subscription.unsubscribe();
  }

  #change(isConnected: boolean): void {
    if (this.#isConnected === isConnected || this.#isStopped) return;
    this.#isConnected = isConnected;
    this.#options.log.info({ connected: isConnected }, isConnected ? 'NATS link up' : 'NATS link down');
    for (const listen of this.#listeners) listen(isConnected);
  }
}

/** The code of a NATS error; any other error as text. Null without an error. */
function failureOf(error: unknown): string | null {
  if (!error) return null;
  return error instanceof NatsError ? error.code : String(error);
}
