import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { makeCertificate } from '../helpers/certificate.ts';
import { drip } from '../helpers/drip.ts';

const CHUNK = Buffer.alloc(65_536, 'a');
const BOMB_BYTES = 64 * 1024 * 1024;

/** Writes `bytes` again and again, as fast as the peer reads, until the connection closes. */
function pour(socket: Socket, bytes: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

/** What a hostile web server sends, by path. */
export const WEB_ATTACKS: Readonly<Record<string, (socket: Socket) => void>> = {
  '/endless-body': (socket) => {
    socket.write(`${OK}\r\n`);
    pour(socket, CHUNK);
  },
  '/endless-chunks': (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
    pour(socket, Buffer.concat([Buffer.from('10000\r\n'), CHUNK, Buffer.from('\r\n')]));
  },
  '/huge-length': (socket) => {
    socket.write(`${OK}Content-Length: 1099511627776\r\n\r\n`);
    pour(socket, CHUNK);
  },
  '/gzip-bomb': (socket) => compressed(socket, 'gzip', GZIP_BOMB),
  '/brotli-bomb': (socket) => compressed(socket, 'br', BROTLI_BOMB),
  '/nested-bomb': (socket) => compressed(socket, 'gzip, gzip', NESTED_BOMB),
  '/slow-head': (socket) => void drip(socket, `${OK}X-Slow: a`, 200),
  '/slow-body': (socket) => void drip(socket, `${OK}Content-Length: 100000\r\n\r\na`, 200),
  '/endless-head': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX: ');
    pour(socket, CHUNK);
  },
  '/cookies': (socket) => {
    socket.write(OK);
    pour(socket, Buffer.from('Set-Cookie: a=b\r\n'.repeat(4000)));
  },
  '/binary': (socket) => pour(socket, Buffer.alloc(65_536, 0)),
};

const GZIP_BOMB = gzipSync(Buffer.alloc(BOMB_BYTES));
const BROTLI_BOMB = brotliCompressSync(Buffer.alloc(BOMB_BYTES));
const NESTED_BOMB = gzipSync(GZIP_BOMB);

function compressed(socket: Socket, encoding: string, body: Buffer): void {
  socket.write(`${OK}Content-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.end(body);
}

/** What a hostile mail or file server greets with, by protocol. */
const BANNERS: Readonly<Record<string, (socket: Socket) => void>> = {
  smtp: (socket) => pour(socket, Buffer.from('220-still here\r\n'.repeat(4000))),
  ftp: (socket) => pour(socket, CHUNK),
  pop3: (socket) => void drip(socket, '+OK slow', 200),
  imap: (socket) => pour(socket, Buffer.alloc(65_536, 27)),
  ssh: (socket) => pour(socket, Buffer.from('not SSH\r\n'.repeat(7000))),
  generic: (socket) => pour(socket, CHUNK),
};

/** Servers on loopback that try to keep a probe busy or to fill its memory. */
export class HostileServers {
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #udp: UdpSocket = createSocket('udp4');
  readonly ports: Record<string, number> = {};

  static async start(): Promise<HostileServers> {
    const servers = new HostileServers();
    await servers.#listen('web', createServer((socket) => socket.once('data', (request: Buffer) => {
      WEB_ATTACKS[request.toString('latin1').split(' ')[1] ?? '']?.(socket);
    })));
    for (const [protocol, greet] of Object.entries(BANNERS)) {
      await servers.#listen(protocol, createServer(greet));
    }
    const names = ['127.0.0.1', ...Array.from({ length: 1000 }, (_, at) => `name-${at}.hostile.example`)];
    await servers.#listen('tls', createTlsServer(makeCertificate({ names }), (socket) => pour(socket, CHUNK)));
    await servers.#listen('silent-tls', createServer(() => undefined));
    await servers.#answerDns();
    return servers;
  }

  async #listen(name: string, server: Server): Promise<void> {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.ports[name] = (server.address() as AddressInfo).port;
  }

  /** Answers that are truncated, on UDP, and without end on TCP; a name that points to itself before. */
  async #answerDns(): Promise<void> {
    await this.#listen('dns', createServer((socket) => {
      socket.write(Buffer.from([0xff, 0xff]));
      pour(socket, Buffer.alloc(65_536, 0xc0));
    }));
    this.#udp.on('message', (query, { port, address }) => {
      const looping = Buffer.concat([query, Buffer.from([0xc0, query.length & 0xff, 0, 1, 0, 1])]);
      looping.writeUInt16BE(0x8180, 2);
      looping.writeUInt16BE(1, 6);
      const truncated = Buffer.from(query);
      truncated.writeUInt16BE(0x8380, 2);
      for (const answer of [looping, Buffer.alloc(512, 0xc0), truncated]) this.#udp.send(answer, port, address);
    });
    await new Promise<void>((resolve) => this.#udp.bind(this.ports['dns'], '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([
      new Promise<void>((resolve) => this.#udp.close(resolve)),
      ...this.#servers.map((server) => new Promise((resolve) => server.close(resolve))),
    ]);
  }
}
