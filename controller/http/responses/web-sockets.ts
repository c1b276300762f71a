import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** What a route does with the WebSocket that a request becomes. */
export interface WebSocketHandler {
  /** A longer frame closes the connection with 1009, bytes. */
  maxFrameBytes: number;
  /** Called once the client has been sent the 101. `socket` carries the WebSocket. */
  onOpen(webSocket: WebSocket, socket: Socket): void;
}

/** Close code: the server is stopping. */
const GOING_AWAY = 1001;
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** Accepts the upgrade of a request that asks for one. */
const pending = new WeakMap<IncomingMessage, (handler: WebSocketHandler) => void>();

export function isUpgrade(request: IncomingMessage): boolean {
  return pending.has(request);
}

/** Turns the connection of a request with `isUpgrade` into a WebSocket. */
export function acceptUpgrade(request: IncomingMessage, handler: WebSocketHandler): void {
  pending.get(request)?.(handler);
}

/** Whether it is a well-formed opening handshake (RFC 6455, 4.2.1). */
export function isWebSocketHandshake({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
    && KEY.test(headers['sec-websocket-key'] ?? '') && headers['sec-websocket-version'] === '13';
}

/** The connections of a server that have left HTTP, or are about to. */
export class WebSockets {
  /** Null before the upgrade is accepted. */
  readonly #open = new Map<Socket, WebSocket | null>();

  /** The response with which a route refuses the upgrade, unless it accepts it. */
  responseTo(request: IncomingMessage, socket: Socket, head: Buffer): ServerResponse {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    this.#open.set(socket, null);
    // Node.js has removed its own listeners.
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#open.delete(socket));
    pending.set(request, (handler) => {
      response.detachSocket(socket);
      const options = { noServer: true, clientTracking: false, perMessageDeflate: false } as const;
      const server = new WebSocketServer({ ...options, maxPayload: handler.maxFrameBytes });
      server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#open.set(socket, webSocket);
        handler.onOpen(webSocket, socket);
      });
    });
    return response;
  }

  /** Asks all clients to close their connections. */
  close(): void {
    for (const webSocket of this.#open.values()) webSocket?.close(GOING_AWAY);
  }

  terminate(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}
