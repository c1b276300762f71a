import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networksOf } from '../../shared/client-networks.ts';
import { clientAddress } from './client-address.ts';
import { addressKey } from './exchange.ts';

/** Node keeps the response that a socket is waiting for under this name. */
export interface HttpSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/** Of the connections that may be open; beyond this, each new one closes another. */
const NEAR_LIMIT = 0.9;

interface ConnectionLimits {
  maxConnections: number;
  maxConnectionsOfAddress: number;
}

/**
 * Counts open connections, so that one client address cannot take all. The wider networks of an IPv6 address
 * have larger shares, of half of all connections at most. Near the limit of all, each new connection closes
 * an idle one: of those whose widest network has the most open, the one unused for longest. Without idle
 * ones, it closes one with a request of somebody who has more open than the newcomer. What is left is for
 * those who have none open, unless one address may have all.
 */
export class ConnectionShares {
  readonly #limits: ConnectionLimits;
  /** Open connections by network. */
  readonly #open = new Map<string, number>();
  /** Open connections with their widest networks, the one unused for longest first. */
  readonly #holders = new Map<HttpSocket, string>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** False: its address or network has its share open already, or what is left is for others. */
  admit(socket: HttpSocket, address = socket.remoteAddress): boolean {
    const { maxConnections, maxConnectionsOfAddress: most } = this.#limits;
    const mostOfWider = Math.max(most, Math.floor(maxConnections / 2));
    const networks = networksOf(addressKey(clientAddress(address, undefined, 0)));
    for (const { key, factor } of networks) {
      if (this.#count(key) >= Math.min(most * factor, mostOfWider)) return false;
    }
    for (const { key } of networks) this.#open.set(key, this.#count(key) + 1);
    const release = () => networks.forEach(({ key }) => this.#release(key));
    const holder = networks.at(-1)?.key ?? '';
    const own = this.#count(holder);
    const isNearLimit = this.#holders.size >= Math.floor(maxConnections * NEAR_LIMIT);
    if (isNearLimit && !this.#makeRoom(own) && own > 1 && most < maxConnections) {
      release();
      return false;
    }
    this.#holders.set(socket, holder);
    socket.once('close', () => {
      this.#holders.delete(socket);
      release();
    });
    return true;
  }

  /** A request has come on this connection. */
  used(socket: HttpSocket): void {
    const holder = this.#holders.get(socket);
    if (holder === undefined) return;
    this.#holders.delete(socket);
    this.#holders.set(socket, holder);
  }

  /** Closes a connection for somebody who has `own` open, with the new one. False: there is none to close. */
  #makeRoom(own: number): boolean {
    const isIdle = (socket: HttpSocket) => (socket._httpMessage ?? null) === null;
    const victim = this.#unusedOfLargest(own, isIdle) ?? this.#unusedOfLargest(own + 1, () => true);
    victim?.destroy();
    return victim !== null;
  }

  /** Of who has the most open, at least `least`, the suitable one that is unused for longest; null: none. */
  #unusedOfLargest(least: number, isSuitable: (socket: HttpSocket) => boolean): HttpSocket | null {
    let found: HttpSocket | null = null;
    let most = least - 1;
    for (const [socket, holder] of this.#holders) {
      if (socket.destroyed || !isSuitable(socket) || this.#count(holder) <= most) continue;
      found = socket;
      most = this.#count(holder);
    }
    return found;
  }

  #count(network: string): number {
    return this.#open.get(network) ?? 0;
  }

  #release(network: string): void {
    const left = this.#count(network) - 1;
    if (left === 0) this.#open.delete(network);
    else this.#open.set(network, left);
  }
}
