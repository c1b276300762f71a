import { z } from 'zod';
import { decodeJson } from '../../../shared/contracts/bytes.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import type { BusSubscription } from './bus-port.ts';
import type { NatsBus } from './bus.ts';
import type { SuspendedIdentities } from './identities-port.ts';
import { openConnections, type ConnectionBus } from './open-connections.ts';

/** Connections per identity. A probe has one, two while it replaces its keys, and some half-open ones. */
export const MAX_CONNECTIONS = 8;
/** How long NATS refuses an identity that exceeds the limit. */
export const SUSPENSION_MS = 60_000;
/** Minimum time between two listings that the same flood causes. */
const LIST_INTERVAL_MS = 1000;
/** Events of the system account, as the server's configuration imports them into CONTROL. */
const CONNECTED_SUBJECT = 'nats.connected.*';

/** Published by a server for each new connection. */
const connectEvent = z.object({ client: z.object({ user: z.string().default('') }) });

interface ConnectionLimitDeps {
  bus: ConnectionBus & Pick<NatsBus, 'subscribe' | 'onReconnect'>;
  /** Called when an identity is suspended for opening too many connections. */
  onSuspended: () => void;
  clock: Clock;
  log: Log;
}

/**
 * Suspends identities that open too many connections. NATS limits connections per account only, so one probe
 * could lock out the others. Connect events trigger a listing of connections; only the listing decides.
 */
export class ConnectionLimit implements SuspendedIdentities {
  readonly #deps: ConnectionLimitDeps;
  /** Connections in the last listing plus those opened since, by public key. */
  #counts = new Map<string, number>();
  /** End of each suspension in monotonic ms, by public key. */
  readonly #suspended = new Map<string, number>();
  #subscription: BusSubscription | null = null;
  /** Set while a listing is scheduled or running. */
  #timer: Timer | null = null;
  #listedAt = -LIST_INTERVAL_MS;
  #isStopped = false;

  constructor(deps: ConnectionLimitDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#subscription = this.#deps.bus.subscribe(CONNECTED_SUBJECT, ({ data }) => {
      const key = decodeJson(connectEvent, data)?.client.user;
      if (key) this.#count(key);
    });
    this.#deps.bus.onReconnect(() => this.list());
    this.list();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#subscription?.stop();
  }

  /** Schedules a listing of all connections, because connect events may have been missed. */
  list(): void {
    if (this.#timer || this.#isStopped) return;
    const { clock, log } = this.#deps;
    const waitMs = Math.max(0, this.#listedAt + LIST_INTERVAL_MS - clock.monotonic());
    const failed = (error: unknown) => log.warn({ err: error }, 'could not list the connections of probes and subscribers');
    this.#timer = clock.setTimer(waitMs, () => void this.#enforce().catch(failed).finally(() => {
      this.#timer = null;
      if ([...this.#counts.values()].some((count) => count > MAX_CONNECTIONS)) this.list();
    }));
  }

  isSuspended(key: string): boolean {
    return (this.#suspended.get(key) ?? 0) > this.#deps.clock.monotonic();
  }

  /** Removes expired suspensions; true if any are left. */
  hasSuspended(): boolean {
    for (const key of this.#suspended.keys()) if (!this.isSuspended(key)) this.#suspended.delete(key);
    return this.#suspended.size > 0;
  }

  #count(key: string): void {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count > MAX_CONNECTIONS) this.list();
  }

  async #enforce(): Promise<void> {
    const { bus, clock, log, onSuspended } = this.#deps;
    this.#listedAt = clock.monotonic();
    // A connection opened during the listing may count twice, which only causes another listing.
    this.#counts = new Map();
    const listed = new Map<string, number>();
    for (const { key } of await openConnections(bus)) listed.set(key, (listed.get(key) ?? 0) + 1);
    let isAnySuspended = false;
    for (const [key, connections] of listed) {
      if (connections <= MAX_CONNECTIONS) {
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + connections);
        continue;
      }
      this.#counts.delete(key);
      this.#suspended.set(key, clock.monotonic() + SUSPENSION_MS);
      isAnySuspended = true;
      log.warn({ public_key: key, connections }, 'NATS identity suspended: too many connections');
    }
    if (isAnySuspended) onSuspended();
  }
}
