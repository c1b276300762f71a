import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { MongoClient } from 'mongodb';

/** Stands between a driver and its server, and can fall silent without closing anything, as a stopped process does. */
export interface FreezableProxy {
  /** The connection string that leads through here. */
  url: string;
  freeze(): void;
  thaw(): void;
  close(): void;
}

export async function freezableProxy(mongoUrl: string, database: string): Promise<FreezableProxy> {
  const host = new MongoClient(mongoUrl).options.hosts[0];
  if (host === undefined) throw new Error('no host to connect to');
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server: Server = createServer((near) => {
    const far = host.socketPath === undefined ? connect(host.port ?? 27017, host.host ?? '127.0.0.1') : connect(host.socketPath);
    for (const [from, to] of [[near, far], [far, near]] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk)).on('error', () => to.destroy()).on('close', () => (sockets.delete(from), to.destroy()));
      if (isFrozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const each = (act: (socket: Socket) => void) => sockets.forEach((socket) => act(socket));
  return {
    url: `mongodb://127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    freeze: () => {
      isFrozen = true;
      each((socket) => socket.pause());
    },
    thaw: () => {
      isFrozen = false;
      each((socket) => socket.resume());
    },
    close: () => {
      server.close();
      each((socket) => socket.destroy());
    },
  };
}
