export const SERVER_LIMITS = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 5000,
  /** Per client address: a quarter of the limit, so that no address can use it up. */
  maxConnectionsOfAddress: 1250,
  /** How long requests may still take after `close`. */
  drainTimeoutMs: 5000,
};
export type ServerLimits = typeof SERVER_LIMITS;

/** How long a connection may be idle between requests. */
export const KEEP_ALIVE_MS = 65_000;

/** Also limits WebSockets of each client address, as proxies report it. */
export type EffectiveLimits = ServerLimits & { maxWebSocketsOfAddress: number };

/** Behind a proxy, all connections share the proxy's address, so the proxy must limit its own clients. */
export function effectiveLimits(trustProxy: number, limits = SERVER_LIMITS): EffectiveLimits {
  const { maxConnections, maxConnectionsOfAddress: maxWebSocketsOfAddress } = limits;
  const maxConnectionsOfAddress = trustProxy === 0 ? maxWebSocketsOfAddress : maxConnections;
  return { ...limits, maxConnectionsOfAddress, maxWebSocketsOfAddress };
}
