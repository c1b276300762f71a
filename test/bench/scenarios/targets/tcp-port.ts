import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A port that accepts connections, or refuses them. */
export class TcpPort {
  readonly #open = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;

  async listen(): Promise<this> {
    const server = createServer((socket) => {
      this.#open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#open.delete(socket));
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  get port(): number {
    return this.#port;
  }

  /** Refuses connections until `listen`, on the same port. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const socket of this.#open) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }
}
