import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import type { Certificate } from '../../../helpers/certificate.ts';
import { page } from './web-site.ts';

/** Alert "protocol_version", fatal (RFC 8446, 6). */
const VERSION_ALERT = Buffer.from([0x15, 3, 1, 0, 2, 2, 70]);

/** A valid page over TLS on its own port, whose TLS behaviour can be changed at runtime. */
export class SecureSite {
  readonly #sound: Certificate;
  readonly #site: Server;
  readonly #listener: TcpServer = createTcpServer((socket) => this.#accept(socket));
  readonly #open = new Set<Socket>();
  #refusesHandshake = false;

  constructor(sound: Certificate) {
    this.#sound = sound;
    this.#site = createServer(sound, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end(page());
    });
    this.#site.on('tlsClientError', () => undefined);
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#listener.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#listener.address() as AddressInfo).port}/`;
  }

  /** Null restores the valid certificate. */
  show(certificate: Certificate | null): void {
    this.#site.setSecureContext(certificate ?? this.#sound);
  }

  /** Whether it supports TLS 1.1 and nothing newer. */
  speakOldTls(isOld: boolean): void {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    this.#site.setSecureContext({ ...this.#sound, ...(isOld ? old : {}) });
  }

  /** Whether it rejects every handshake with a protocol_version alert. */
  refuseHandshake(refuses: boolean): void {
    this.#refusesHandshake = refuses;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #accept(socket: Socket): void {
    this.#open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#open.delete(socket));
    if (this.#refusesHandshake) socket.once('data', () => socket.end(VERSION_ALERT));
    else this.#site.emit('connection', socket);
  }
}
