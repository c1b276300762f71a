import {
  connect, ErrorCode, NatsError, type ConnectionOptions, type NatsConnection, type Status,
} from 'nats';
import type { BusFailure } from './bus-error.ts';
import type { ProxyVariables } from './http-proxy.ts';
import { endpointOf } from './net-guard.ts';
import { within, type Clock } from './time.ts';

/** Detects a half-open connection within 30 s. */
const PING_INTERVAL_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 3000;

const FAILURES: Record<string, BusFailure> = {
  [ErrorCode.Timeout]: 'timeout',
  [ErrorCode.NoResponders]: 'no_responders',
  [ErrorCode.Disconnect]: 'disconnected',
  [ErrorCode.ConnectionClosed]: 'disconnected',
  [ErrorCode.ConnectionDraining]: 'disconnected',
};

export interface NatsOptions extends Pick<ConnectionOptions,
  'authenticator' | 'user' | 'pass' | 'inboxPrefix' | 'ignoreClusterUpdates' | 'waitOnFirstConnect'
> {
  /** `nats://`, `tls://`, `ws://` or `wss://` URLs separated by commas. */
  url: string;
  /** For WebSockets. */
  proxies?: ProxyVariables;
  /** Shown in the server's list of connections. */
  name: string;
  reconnectDelayMs(): number;
  /** Two unanswered pings at this interval mean that the connection is lost. */
  pingIntervalMs?: number | undefined;
}

export function natsUrls(url: string): URL[] {
  return url.split(',').filter(Boolean).map((part) => new URL(part.trim()));
}

function isWebSocket({ protocol }: URL): boolean {
  return protocol === 'ws:' || protocol === 'wss:';
}

/** `host:port`; nats.js ignores all else, and assumes the port 4222. */
function serverOf(url: URL): string {
  return isWebSocket(url) ? `${url.hostname}:${endpointOf(url).port}` : url.host;
}

/** Options of nats.js for these servers. */
export async function serverOptions(url: string, proxies: ProxyVariables = {}) {
  const urls = natsUrls(url);
  const servers = {
    servers: urls.map(serverOf),
    // Undefined would use TLS if the server offers it, even on loopback, where no certificate matches.
    tls: urls.some(({ protocol }) => protocol === 'tls:') ? {} : null,
  };
  const webSocketUrls = urls.filter(isWebSocket);
  if (webSocketUrls.length === 0) return servers;
  await import('./nats-web-socket.ts');
  // A proxy may be the only one to know the name. Servers that a cluster announces don't speak WebSocket.
  return { ...servers, webSocketUrls, proxies, resolve: false, ignoreClusterUpdates: true };
}

/** Connects to one of the servers and from then on reconnects forever. */
export async function connectNats(
  { url, proxies, reconnectDelayMs, pingIntervalMs = PING_INTERVAL_MS, ...options }: NatsOptions,
): Promise<NatsConnection> {
  return connect({
    ...options,
    ...await serverOptions(url, proxies),
    maxReconnectAttempts: -1,
    // The server refuses us while its user file is being rewritten; by default, nats.js would then give up.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: reconnectDelayMs,
    pingInterval: pingIntervalMs,
    maxPingOut: 2,
    timeout: CONNECT_TIMEOUT_MS,
    noAsyncTraces: true,
  });
}

interface Internals {
  protocol?: {
    transport?: { close?: (error: Error) => Promise<void> };
    servers?: { length?: () => number };
  };
}

/**
 * What happens to the connection, until it is closed. Makes nats.js reconnect when its pings go unanswered:
 * version 2.29 would first wait to flush what it has sent, which never completes if the peer stopped reading,
 * and no public call skips that wait.
 */
export async function* statusesOf(connection: NatsConnection): AsyncGenerator<Status> {
  const { protocol } = connection as unknown as Internals;
  for await (const status of connection.status()) {
    if ((status.type as string) !== 'staleConnection') yield status;
    else void protocol?.transport?.close?.(new Error('stale connection')).catch(() => undefined);
  }
}

/** Sends what is buffered and connects to another server; does nothing if none is known. */
export async function leaveServer(connection: NatsConnection): Promise<void> {
  const { protocol } = connection as unknown as Internals;
  if ((protocol?.servers?.length?.() ?? 0) < 2) return;
  await connection.flush();
  await connection.reconnect();
}

/** Sends what is buffered if the server is there, and closes. */
export async function closeNats(
  connection: NatsConnection, isConnected: boolean, clock: Clock,
): Promise<void> {
  if (connection.isClosed()) return;
  // Draining waits for a response, which never comes while the server is away.
  if (isConnected && !connection.isDraining()) {
    await within(clock, CLOSE_TIMEOUT_MS, connection.drain()).catch(() => undefined);
  }
  // Not awaited: while nats.js is connecting, its close waits for the attempt to end.
  void connection.close().catch(() => undefined);
}

/** Why a request got no response; undefined for any other error. */
export function busFailureOf(error: unknown): BusFailure | undefined {
  return error instanceof NatsError ? FAILURES[error.code] : undefined;
}
