import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { u16, wireMessage, wireRecord } from '../unit/probe/checks/dns/wire.ts';

const HEADER_BYTES = 12;
const A = 1;
const LOOPBACK = Buffer.of(127, 0, 0, 1);

/**
 * The only name server of the processes that are started with `within`: every name is 127.0.0.1. Needs root,
 * because the system resolves only through port 53.
 */
export class NameServer {
  readonly #dir = mkdtempSync(join(tmpdir(), 'farwatch-names-'));
  readonly #host = `127.${process.pid % 200 + 20}.${(process.pid >> 8) % 250}.53`;
  #socket: Socket | null = null;
  /** Receives queries without responding. */
  isSilent = false;
  /** Queries without a response. */
  unanswered = 0;

  static async start(): Promise<NameServer> {
    const server = new NameServer();
    writeFileSync(join(server.#dir, 'resolv.conf'), `nameserver ${server.#host}\n`);
    await server.open();
    return server;
  }

  /** Starts a program with this name server, in a mount namespace. */
  get within(): readonly string[] {
    const script = `mount --bind ${join(this.#dir, 'resolv.conf')} /etc/resolv.conf && exec "$@"`;
    return ['unshare', '--mount', 'sh', '-c', script, 'sh'];
  }

  async open(): Promise<void> {
    const socket = createSocket('udp4');
    socket.on('message', (query, { port, address }) => {
      if (this.isSilent) this.unanswered += 1;
      else socket.send(respond(query), port, address);
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(53, this.#host, resolve);
    });
    this.#socket = socket;
  }

  /** Ends it, so that its port is closed. */
  async shut(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    if (socket) await new Promise<void>((resolve) => socket.close(resolve));
  }

  async stop(): Promise<void> {
    await this.shut();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function respond(query: Buffer): Buffer {
  const end = query.indexOf(0, HEADER_BYTES) + 5;
  const question = query.subarray(HEADER_BYTES, end);
  const isA = question.subarray(-4, -2).equals(u16(A));
  return wireMessage({ id: query.readUInt16BE(0), question, records: isA ? [wireRecord({ type: A, data: LOOPBACK })] : [] });
}
