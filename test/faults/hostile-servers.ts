import type { Socket as UdpSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { makeCertificate, type Certificate } from '../helpers/certificate.ts';
import { drip } from '../helpers/drip.ts';
import { respondByTcp, serveUdp } from './hostile-dns.ts';
import { CHUNK, pour, WEB_ATTACKS } from './hostile-web.ts';

/** Greetings of hostile mail and file servers, by protocol. */
const BANNERS: Readonly<Record<string, (socket: Socket) => void>> = {
  smtp: (socket) => pour(socket, '220-still here\r\n'.repeat(4000)),
  ftp: (socket) => pour(socket, CHUNK),
  pop3: (socket) => void drip(socket, '+OK slow', 200),
  imap: (socket) => pour(socket, Buffer.alloc(65_536, 27)),
  ssh: (socket) => pour(socket, 'not SSH\r\n'.repeat(7000)),
  generic: (socket) => pour(socket, CHUNK),
};

/** Certificates of a hostile server, by name. OpenSSL clients read at most 100 kB of them. */
const CERTIFICATES: Readonly<Record<string, () => Certificate>> = {
  'tls-many-names': () => withNames(10_000, (at) => at.toString(36)),
  'tls-huge': () => withNames(10_000, (at) => `name-${at}.hostile.example`),
  'tls-long-chain': () => {
    const { cert, key } = makeCertificate({ names: ['127.0.0.1'] });
    const other = withNames(1000, (at) => `name-${at}.hostile.example`).cert;
    return { cert: cert + other.repeat(40), key };
  },
};

function withNames(count: number, nameOf: (at: number) => string): Certificate {
  return makeCertificate({ names: ['127.0.0.1', ...Array.from({ length: count }, (_, at) => nameOf(at))] });
}

/** Servers on loopback that try to keep a probe busy or to fill its memory. */
export class HostileServers {
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  #udp: UdpSocket | null = null;
  readonly ports: Record<string, number> = {};

  static async start(): Promise<HostileServers> {
    const servers = new HostileServers();
    await servers.#listen('web', createServer((socket) => socket.once('data', (request: Buffer) => {
      WEB_ATTACKS[request.toString('latin1').split(/[ ?]/)[1] ?? '']?.(socket);
    })));
    for (const [protocol, greet] of Object.entries(BANNERS)) {
      await servers.#listen(protocol, createServer(greet));
    }
    for (const [name, make] of Object.entries(CERTIFICATES)) {
      await servers.#listen(name, createTlsServer(make(), (socket) => pour(socket, CHUNK)));
    }
    const good = makeCertificate({ names: ['127.0.0.1'] });
    await servers.#listen('good-tls', createTlsServer(good, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
    await servers.#listen('tls-silent', createServer(() => undefined));
    await servers.#listen('dns', createServer(respondByTcp));
    servers.#udp = await serveUdp(servers.ports['dns'] as number);
    return servers;
  }

  async #listen(name: string, server: Server): Promise<void> {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('secureConnection', (socket: Socket) => socket.on('error', () => undefined));
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.ports[name] = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([
      new Promise<void>((resolve) => (this.#udp ? this.#udp.close(resolve) : resolve())),
      ...this.#servers.map((server) => new Promise((resolve) => server.close(resolve))),
    ]);
  }
}
