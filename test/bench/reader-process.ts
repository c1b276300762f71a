import { connect, type Socket } from 'node:net';
import { systemClock } from '../../shared/time.ts';
import { percentile } from './cpu.ts';

/** The parent's order: `count` reads by all readers together as fast as possible, or one each per `intervalMs`. */
export type Order = { url: string; readers: number } & ({ count: number } | { intervalMs: number }) | 'end';

export interface ReadFigures {
  reads: number;
  /** Responses other than 200, and broken connections. */
  failed: number;
  p50Ms: number;
  p99Ms: number;
}

/** One address may use at most a quarter of a controller's connections. */
const ADDRESSES = 8;

interface PendingRead {
  at: number;
  head: Buffer;
  /** Body bytes still expected; null while the head is read. */
  left: number | null;
  done: () => void;
}

let figures = { times: [] as number[], failed: 0 };

/** Loads a page repeatedly over one connection, with a browser's request. */
class Reader {
  readonly #open: () => Socket;
  readonly #request: string;
  #socket: Socket | null = null;
  #pendingRead: PendingRead | null = null;

  constructor(url: URL, index: number) {
    const localAddress = `127.0.0.${2 + (index % ADDRESSES)}`;
    this.#open = () => connect({ host: url.hostname, port: Number(url.port), localAddress, noDelay: true });
    this.#request = `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: keep-alive\r\n` +
      'Accept-Encoding: gzip, deflate, br\r\nAccept-Language: en\r\n\r\n';
  }

  /** Also resolves on failure, which is counted. */
  read(): Promise<void> {
    return new Promise((done) => {
      this.#pendingRead = { at: performance.now(), head: Buffer.alloc(0), left: null, done };
      this.#socket ??= this.#connect();
      this.#socket.write(this.#request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = this.#open();
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#socket = null;
      if (this.#pendingRead !== null) this.#end(this.#pendingRead, false);
    });
    return socket;
  }

  #take(chunk: Buffer): void {
    const pendingRead = this.#pendingRead;
    if (pendingRead === null) return;
    if (pendingRead.left === null) {
      pendingRead.head = Buffer.concat([pendingRead.head, chunk]);
      const end = pendingRead.head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = pendingRead.head.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 200 ')) return this.close();
      pendingRead.left = Number(/^content-length: (\d+)/im.exec(head)?.[1]) - (pendingRead.head.length - end - 4);
    } else pendingRead.left -= chunk.length;
    if (pendingRead.left === 0) this.#end(pendingRead, true);
  }

  #end({ at, done }: PendingRead, isRead: boolean): void {
    this.#pendingRead = null;
    if (isRead) figures.times.push(performance.now() - at);
    else figures.failed += 1;
    done();
  }
}

let isRunning = false;
let readers: Reader[] = [];

async function readAll(count: number): Promise<void> {
  let left = count;
  await Promise.all(readers.map(async (reader) => {
    while (left-- > 0) await reader.read();
  }));
}

/** Each at its own times; a delayed read is followed immediately by the next. */
async function readEvery(reader: Reader, intervalMs: number): Promise<void> {
  let next = performance.now() + Math.random() * intervalMs;
  while (isRunning) {
    await new Promise<void>((resolve) => {
      systemClock.setTimer(Math.max(0, next - performance.now()), resolve);
    });
    if (isRunning) await reader.read();
    next += intervalMs;
  }
}

function reportFigures(): void {
  isRunning = false;
  for (const reader of readers) reader.close();
  const { times, failed } = figures;
  const report: ReadFigures = {
    reads: times.length, failed, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99),
  };
  process.send?.(report);
}

process.on('message', (order: Order) => {
  if (order === 'end') return reportFigures();
  figures = { times: [], failed: 0 };
  readers = Array.from({ length: order.readers }, (_, index) => new Reader(new URL(order.url), index));
  isRunning = true;
  if ('count' in order) void readAll(order.count).then(reportFigures);
  else for (const reader of readers) void readEvery(reader, order.intervalMs);
});
process.on('disconnect', () => process.exit(0));
