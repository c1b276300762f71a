import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networksOf } from '../../shared/client-networks.ts';
import { clientAddress } from './client-address.ts';
import { addressKey } from './exchange.ts';

/** Node keeps the response that a socket is waiting for under this name. */
export interface HttpSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/** Of the connections that may be open; beyond this, idle ones close to make room. */
const NEAR_LIMIT = 0.9;

interface ConnectionLimits {
  maxConnections: number;
  maxConnectionsOfAddress: number;
}

/**
 * Counts open connections, so that one client address cannot take all. The wider networks of an IPv6 address
 * have larger shares, of half of all connections at most. Near the limit of all, each new connection closes
 * an idle one: of those whose widest network has the most open, the one unused for longest.
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

  /** False: its address or network has its share open already. */
  admit(socket: HttpSocket, address = socket.remoteAddress): boolean {
    const { maxConnections, maxConnectionsOfAddress: most } = this.#limits;
    const mostOfWider = Math.max(most, Math.floor(maxConnections / 2));
    const networks = networksOf(addressKey(clientAddress(address, undefined, 0)));
    for (const { key, factor } of networks) {
      if (this.#count(key) >= Math.min(most * factor, mostOfWider)) return false;
    }
    for (const { key } of networks) this.#open.set(key, this.#count(key) + 1);
    const holder = networks.at(-1)?.key ?? '';
    if (this.#holders.size >= Math.floor(maxConnections * NEAR_LIMIT)) this.#closeIdle(this.#count(holder));
    this.#holders.set(socket, holder);
    socket.once('close', () => {
      this.#holders.delete(socket);
      for (const { key } of networks) this.#release(key);
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

  /** Closes an idle connection, unless all are of those who have fewer than `least` open. */
  #closeIdle(least: number): void {
    let victim: HttpSocket | null = null;
    let most = least - 1;
    for (const [socket, holder] of this.#holders) {
      const isIdle = (socket._httpMessage ?? null) === null && !socket.destroyed;
      if (!isIdle || this.#count(holder) <= most) continue;
      victim = socket;
      most = this.#count(holder);
    }
    victim?.destroy();
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
