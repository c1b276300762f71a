import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A network whose callers share one limit. */
export interface CountedNetwork {
  key: string;
  /** Multiple of a single caller's limit. */
  factor: number;
}

/**
 * A customer has one IPv4 address but an IPv6 /64 to /48, and a /48 contains 65,536 networks counted as one
 * caller each. Wider networks get a higher limit because several customers may share them.
 */
const WIDER = { '/56': 4, '/48': 16 };

const IPV6_CALLER = /^(ip:[0-9a-f]+:[0-9a-f]+:[0-9a-f]+):([0-9a-f]+)::\/64$/;

/**
 * The networks whose limits apply to a caller: itself and, for an IPv6 address in the format of `addressKey`,
 * its /56 and /48. The widest comes last.
 */
export function networksOf(caller: string): [CountedNetwork, ...CountedNetwork[]] {
  const own = { key: caller, factor: 1 };
  const [, prefix, group = ''] = IPV6_CALLER.exec(caller) ?? [];
  if (prefix === undefined) return [own];
  const upper = (parseInt(group, 16) & 0xff00).toString(16);
  return [
    own,
    { key: `${prefix}:${upper}::/56`, factor: WIDER['/56'] },
    { key: `${prefix}::/48`, factor: WIDER['/48'] },
  ];
}

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

  get sockets(): Iterable<HttpSocket> {
    return this.#widestNetworks.keys();
  }

  /**
   * False if `caller` or its network has used up its share, or the rest is reserved for others. True if the
   * connection was admitted before.
   */
  admit(socket: HttpSocket, caller: string): boolean {
    if (this.#widestNetworks.has(socket)) return true;
    const { maxConnections, maxConnectionsOfAddress: maxPerAddress } = this.#limits;
    const maxPerNetwork = Math.max(maxPerAddress, Math.floor(maxConnections / 2));
    const networks = networksOf(caller);
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
