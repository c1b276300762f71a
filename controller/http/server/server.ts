import { once } from 'node:events';
import {
  createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../../../shared/time.ts';
import { ConnectionShares, type HttpSocket } from '../../work/client-networks.ts';
import { KEEP_ALIVE_MS, type EffectiveLimits } from '../limits/server-limits.ts';
import { isWebSocketHandshake, WebSockets } from '../responses/web-sockets.ts';
import { addressKey, clientAddress } from '../routing/exchange.ts';

export interface HttpServer {
  /** False before `listen` and after `close`. */
  readonly isListening: boolean;
  /**
   * Resolves with the actual port, in case `port` is 0. If it already listens, does nothing else. Rejects if
   * the port isn't available.
   */
  listen(port: number, host: string): Promise<number>;
  /** Handles all requests from now on with `next`. */
  useHandlers(next: ServerHandlers): void;
  /** Stops accepting connections, gives running requests time to finish, then closes the rest. */
  close(): Promise<void>;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Builds the response to a request that the HTTP parser rejects. */
export type RefusalWriter = (
  status: 400 | 408 | 431, peer: string | undefined,
) => { headers: Record<string, string>; body: string };

export interface ServerHandlers {
  handle: RequestHandler;
  refuse: RefusalWriter;
  /** The client's address if the path of this WebSocket handshake accepts upgrades, else null. */
  upgradeAddress(request: IncomingMessage): string | null;
  /** Called for each connection closed because its address has used up its share. */
  onConnectionRefused(): void;
}

interface ServerOptions extends ServerHandlers {
  clock: Clock;
  limits: EffectiveLimits;
}

export function createHttpServer(options: ServerOptions): HttpServer {
  const { clock, limits } = options;
  let handlers: ServerHandlers = options;
  const shares = new ConnectionShares(limits);
  const { maxConnections, maxWebSocketsOfAddress: maxConnectionsOfAddress } = limits;
  const webSocketShares = new ConnectionShares({ maxConnections, maxConnectionsOfAddress });
  const webSockets = new WebSockets();
  const respond: RequestHandler = (request, response) => {
    shares.markUsed(request.socket);
    if (isHostless(request)) rejectHostless(request, response, handlers.refuse);
    else handlers.handle(request, response);
  };
  const server = createServer(
    {
      // Node's own response to a request without Host would lack our headers.
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      connectionsCheckingInterval: Math.min(5000, limits.headersTimeoutMs / 2),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    respond,
  );
  server.maxConnections = maxConnections;
  server.on('connection', (socket: Socket) => {
    if (shares.admit(socket, addressKey(clientAddress(socket.remoteAddress, undefined, 0)))) return;
    handlers.onConnectionRefused();
    socket.destroy();
  });
  server.on('upgrade', (request: IncomingMessage, socket: HttpSocket, head: Buffer) => {
    // The response to a previous request would be lost.
    if ((socket._httpMessage ?? null) !== null) return socket.destroy();
    const address = isWebSocketHandshake(request) ? handlers.upgradeAddress(request) : null;
    if (address === null) return repeatWithoutUpgrade(server, request, socket, head);
    shares.markUpgraded(socket);
    webSocketShares.markUpgraded(socket);
    if (webSocketShares.admit(socket, addressKey(address))) {
      return respond(request, webSockets.responseTo(request, socket, head));
    }
    handlers.onConnectionRefused();
    return socket.destroy();
  });
  // Ignores an unknown Expect header.
  server.on('checkExpectation', respond);
  server.on('clientError', (error, socket) => rejectMalformed(error, socket as Socket, handlers.refuse));
  return {
    get isListening() {
      return server.listening;
    },
    listen: (port, host) => listen(server, port, host),
    useHandlers: (next) => {
      handlers = next;
    },
    close: () => drain(server, shares, webSockets, clock, limits.drainTimeoutMs),
  };
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  if (!server.listening) await once(server.listen({ port, host }), 'listening');
  return (server.address() as AddressInfo).port;
}

function drain(
  server: Server, connections: ConnectionShares, webSockets: WebSockets, clock: Clock, timeoutMs: number,
): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const deadline = clock.setTimer(timeoutMs, () => {
      server.closeAllConnections();
      webSockets.terminate();
    });
    // Connections that become idle after `close` would otherwise keep the server open.
    const sweep = clock.setRepeating(50, () => {
      keepUnsent(connections.sockets);
      server.closeIdleConnections();
    });
    keepUnsent(connections.sockets);
    // Closes idle connections, too.
    server.close(() => {
      deadline.cancel();
      sweep.cancel();
      resolve();
    });
    webSockets.close();
  });
}

/** Node.js takes a connection for idle once its response has ended, and would cut off the unsent rest. */
function keepUnsent(sockets: Iterable<HttpSocket>): void {
  for (const socket of sockets) {
    const { _httpMessage: response } = socket;
    if (!response?.finished || socket.writableLength === 0) continue;
    Object.defineProperty(response, 'finished', { get: () => socket.writableLength === 0, set() {} });
  }
}

/**
 * Serves a request for an upgrade that its path doesn't offer like any other (RFC 9110, 7.8). Node.js has
 * stopped parsing the connection, so it reads the request again.
 */
function repeatWithoutUpgrade(
  server: Server, { method, url, httpVersion, rawHeaders }: IncomingMessage, socket: Socket, head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

function isHostless(request: IncomingMessage): boolean {
  return request.httpVersion === '1.1' && request.headers.host === undefined;
}

function rejectHostless(request: IncomingMessage, response: ServerResponse, refuse: RefusalWriter): void {
  const { headers, body } = refuse(400, request.socket.remoteAddress);
  const all = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' };
  response.writeHead(400, all).end(body);
}

function rejectMalformed(error: NodeJS.ErrnoException, socket: HttpSocket, refuse: RefusalWriter): void {
  const { code } = error;
  if (code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return;
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const { headers, body } = refuse(status, socket.remoteAddress);
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  socket.end(`${head}${body}`, () => socket.destroy());
}
