import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../../shared/time.ts';

export interface ServerLimits {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  maxHeaderBytes: number;
  maxConnections: number;
  /** How long requests in hand may take after `close` was called. */
  drainTimeoutMs: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 5000,
  drainTimeoutMs: 5000,
};

export interface HttpServer {
  /** Resolves with the port that is listened on (`port` may be 0). Rejects when it cannot be had. */
  listen(port: number, host: string): Promise<number>;
  /** Takes no new connection, lets requests in hand finish for a while, then cuts what is left. */
  close(): Promise<void>;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Headers and body of the answer to what the HTTP parser refuses. */
export type RefusalWriter = (status: 400 | 408 | 431, peer: string | undefined) => { headers: Record<string, string>; body: string };

export function createHttpServer(handler: RequestHandler, refuse: RefusalWriter, clock: Clock, limits: ServerLimits = SERVER_LIMITS): HttpServer {
  const answer: RequestHandler = (request, response) => (isHostless(request) ? answerHostless(request, response, refuse) : handler(request, response));
  const server = createServer(
    {
      // Node's own refusal of a request without it has no header of ours.
      requireHostHeader: false,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      connectionsCheckingInterval: Math.min(2000, limits.headersTimeoutMs / 2),
      keepAliveTimeout: 65_000,
    },
    answer,
  );
  server.maxConnections = limits.maxConnections;
  // An expectation we do not know is no reason to refuse what we otherwise understand.
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerRefused(error, socket as Socket, refuse));
  return {
    listen: (port, host) => listen(server, port, host),
    close: () => drain(server, clock, limits.drainTimeoutMs),
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function drain(server: Server, clock: Clock, timeoutMs: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const deadline = clock.setTimer(timeoutMs, () => server.closeAllConnections());
    // A connection that went idle after `close` was called would else be waited for.
    const sweep = clock.setRepeating(50, () => server.closeIdleConnections());
    server.close(() => {
      deadline.cancel();
      sweep.cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}

function isHostless(request: IncomingMessage): boolean {
  return request.httpVersion === '1.1' && request.headers.host === undefined;
}

function answerHostless(request: IncomingMessage, response: ServerResponse, refuse: RefusalWriter): void {
  const { headers, body } = refuse(400, request.socket.remoteAddress);
  response.writeHead(400, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }).end(body);
}

/** The socket's response in the making, which Node keeps under this name. */
interface BusySocket extends Socket {
  _httpMessage?: ServerResponse | null;
}

function answerRefused(error: NodeJS.ErrnoException, socket: BusySocket, refuse: RefusalWriter): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const { headers, body } = refuse(status, socket.remoteAddress);
  const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[status];
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}
