import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  /** The exact bytes received. */
  body: Buffer;
  /** By the test's own clock, Unix ms. */
  at: number;
}

/** How the receiver handles a request: with a status, no response at all, or a function. */
export type Behaviour = number | 'hang' | 'close' | ((response: ServerResponse, request: ReceivedRequest) => void);

export interface Receiver {
  url: string;
  port: number;
  requests: ReceivedRequest[];
  /** Connections accepted since the start. */
  readonly connections: number;
  behave(next: Behaviour): void;
  /** Chooses the handling of each request. */
  choose(by: (request: ReceivedRequest) => Behaviour): void;
  close(): Promise<void>;
}

/** A real HTTP server on a free port of 127.0.0.1 that records what it receives. */
export async function startReceiver(options: { host?: string; behaviour?: Behaviour } = {}): Promise<Receiver> {
  const { host = '127.0.0.1' } = options;
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let choose: (request: ReceivedRequest) => Behaviour = () => options.behaviour ?? 200;
  let connections = 0;
  const server: Server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const { method = '', url: path = '', headers, rawHeaders } = message;
      const request = { method, path, headers, rawHeaders, body: Buffer.concat(chunks), at: Date.now() };
      requests.push(request);
      const behaviour = choose(request);
      if (behaviour === 'hang') return;
      if (behaviour === 'close') return void message.socket.destroy();
      if (typeof behaviour === 'function') return behaviour(response, request);
      response.writeHead(behaviour, { 'content-type': 'text/plain' }).end('ok');
    });
    message.on('error', () => undefined);
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests,
    get connections() {
      return connections;
    },
    behave(next) {
      choose = () => next;
    },
    choose(by) {
      choose = by;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
