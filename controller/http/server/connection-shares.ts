import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networksOf } from '../../../shared/client-networks.ts';
import { clientAddress } from './client-address.ts';
import { addressKey } from './exchange.ts';

/** Node keeps the response that a socket is waiting for under this name. */
export interface HttpSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/** Of the connections that may be open; beyond this, each new one closes another. */
const EVICTION_THRESHOLD = 0.9;

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
  readonly #connections = new Map<string, number>();
  /** Open connections with their widest networks, the one unused for longest first. */
  readonly #widestNetworks = new Map<HttpSocket, string>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** False: its address or network has its share open already, or what is left is for others. */
  admit(socket: HttpSocket, address = socket.remoteAddress): boolean {
    const { maxConnections, maxConnectionsOfAddress: maxPerAddress } = this.#limits;
    const maxPerNetwork = Math.max(maxPerAddress, Math.floor(maxConnections / 2));
    const networks = networksOf(addressKey(clientAddress(address, undefined, 0)));
    for (const { key, factor } of networks) {
      if (this.#count(key) >= Math.min(maxPerAddress * factor, maxPerNetwork)) return false;
    }
    for (const { key } of networks) this.#connections.set(key, this.#count(key) + 1);
    const release = () => networks.forEach(({ key }) => this.#release(key));
    const widestNetwork = networks.at(-1)?.key ?? '';
    const ownConnections = this.#count(widestNetwork);
    const isNearLimit = this.#widestNetworks.size >= Math.floor(maxConnections * EVICTION_THRESHOLD);
    if (isNearLimit && !this.#evict(ownConnections) && ownConnections > 1 && maxPerAddress < maxConnections) {
      release();
      return false;
    }
    this.#widestNetworks.set(socket, widestNetwork);
    socket.once('close', () => {
      this.#widestNetworks.delete(socket);
      release();
    });
    return true;
  }

  /** A request has come on this connection. */
  markUsed(socket: HttpSocket): void {
    const widestNetwork = this.#widestNetworks.get(socket);
    if (widestNetwork === undefined) return;
    this.#widestNetworks.delete(socket);
    this.#widestNetworks.set(socket, widestNetwork);
  }

  /** Closes a connection for somebody who has `own` open, with the new one. False: there is none to close. */
  #evict(ownConnections: number): boolean {
    const isIdle = (socket: HttpSocket) => (socket._httpMessage ?? null) === null;
    const victim = this.#findVictim(ownConnections, isIdle)
      ?? this.#findVictim(ownConnections + 1, () => true);
    victim?.destroy();
    return victim !== null;
  }

  /** Of who has the most open, at least `least`, the suitable one that is unused for longest; null: none. */
  #findVictim(minConnections: number, isSuitable: (socket: HttpSocket) => boolean): HttpSocket | null {
    let found: HttpSocket | null = null;
    let victimConnections = minConnections - 1;
    for (const [socket, widestNetwork] of this.#widestNetworks) {
      if (socket.destroyed || !isSuitable(socket)) continue;
      if (this.#count(widestNetwork) <= victimConnections) continue;
      found = socket;
      victimConnections = this.#count(widestNetwork);
    }
    return found;
  }

  #count(network: string): number {
    return this.#connections.get(network) ?? 0;
  }

  #release(network: string): void {
    const remaining = this.#count(network) - 1;
    if (remaining === 0) this.#connections.delete(network);
    else this.#connections.set(network, remaining);
  }
}
