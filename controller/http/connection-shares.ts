import type { Socket } from 'node:net';
import { networksOf } from '../../shared/client-networks.ts';
import { clientAddress } from './client-address.ts';
import { addressKey } from './exchange.ts';

interface ConnectionLimits {
  maxConnections: number;
  maxConnectionsOfAddress: number;
}

/**
 * Counts open connections, so that one client address cannot take all. The wider networks of an IPv6 address
 * have larger shares, of half of all connections at most.
 */
export class ConnectionShares {
  readonly #limits: ConnectionLimits;
  /** Open connections by network. */
  readonly #open = new Map<string, number>();

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** False: its address or network has its share open already. */
  admit(socket: Socket, address = socket.remoteAddress): boolean {
    const { maxConnections, maxConnectionsOfAddress: most } = this.#limits;
    const mostOfWider = Math.max(most, Math.floor(maxConnections / 2));
    const networks = networksOf(addressKey(clientAddress(address, undefined, 0)));
    for (const { key, factor } of networks) {
      if (this.#count(key) >= Math.min(most * factor, mostOfWider)) return false;
    }
    for (const { key } of networks) this.#open.set(key, this.#count(key) + 1);
    socket.once('close', () => {
      for (const { key } of networks) this.#release(key);
    });
    return true;
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
