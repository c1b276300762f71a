import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networksOf } from '../../work/client-networks.ts';
import { clientAddress, addressKey } from '../routing/exchange.ts';

/** Node stores the response that a socket is waiting for under this name. */
export interface HttpSocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

/** Share of the connection limit; above it, each new connection closes another. */
const EVICTION_THRESHOLD = 0.9;

interface ConnectionLimits {
  maxConnections: number;
  maxConnectionsOfAddress: number;
}

/**
 * Limits open connections per client address and, for IPv6, per wider network (at most half). Near the limit,
 * a newcomer closes the least recently used idle connection of the largest network, or else a busy one of a
 * larger network. The rest is reserved for addresses without connections, unless one may use all.
 */
export class ConnectionShares {
  readonly #limits: ConnectionLimits;
  /** Open connections by network. */
  readonly #connections = new Map<string, number>();
  /** Open connections with their widest networks, least recently used first. */
  readonly #widestNetworks = new Map<HttpSocket, string>();
  /** Never idle. */
  readonly #upgraded = new WeakSet<HttpSocket>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /**
   * False if its address or network has used up its share, or the rest is reserved for others. True if it was
   * admitted before.
   */
  admit(socket: HttpSocket, address = socket.remoteAddress): boolean {
    if (this.#widestNetworks.has(socket)) return true;
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

  /** Called for each request on the connection. */
  markUsed(socket: HttpSocket): void {
    const widestNetwork = this.#widestNetworks.get(socket);
    if (widestNetwork === undefined) return;
    this.#widestNetworks.delete(socket);
    this.#widestNetworks.set(socket, widestNetwork);
  }

  /** Called when the connection leaves HTTP. */
  markUpgraded(socket: HttpSocket): void {
    this.#upgraded.add(socket);
  }

  /**
   * Closes a connection to make room for a client with `ownConnections`, the new one included. False if none
   * can be.
   */
  #evict(ownConnections: number): boolean {
    const isIdle = (socket: HttpSocket) =>
      (socket._httpMessage ?? null) === null && !this.#upgraded.has(socket);
    const victim = this.#findVictim(ownConnections, isIdle)
      ?? this.#findVictim(ownConnections + 1, () => true);
    victim?.destroy();
    return victim !== null;
  }

  /**
   * The least recently used suitable socket of the network with the most connections, at least
   * `minConnections`.
   */
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
