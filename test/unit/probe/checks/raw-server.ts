import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface RawServer {
  port: number;
  /** Data received per connection, in order of arrival. */
  readonly received: string[];
  readonly connections: number;
  close(): Promise<void>;
}

/** A server that handles each connection with `handle`; `onRequest` is called once a whole head has arrived. */
export async function startRawServer(
  onRequest: (socket: Socket, head: string) => void,
  options: { tls?: TlsOptions; host?: string; onConnect?: (socket: Socket) => void } = {},
): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const handle = (socket: Socket): void => {
    const at = received.push('') - 1;
    socket.on('error', () => undefined);
    options.onConnect?.(socket);
    let isRequested = false;
    socket.on('data', (chunk: Buffer) => {
      received[at] += chunk.toString('latin1');
      if (isRequested || !(received[at] as string).includes('\r\n\r\n')) return;
      isRequested = true;
      onRequest(socket, received[at] as string);
    });
  };
  const server: Server = options.tls ? createTlsServer(options.tls, handle) : createTcpServer(handle);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, options.host ?? '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    get connections() {
      return received.length;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
