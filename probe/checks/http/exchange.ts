import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../../../shared/time.ts';
import { setDeadlineTimer } from '../deadline.ts';
import type { Phase } from '../network/problems.ts';
import { connectSecured, type TlsPeer } from '../tls/peer.ts';
import type { TlsContext } from '../tls/trust.ts';
import type { HeldBytes, Holding } from './held-bytes.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseReader, type BodyUse, type ReadOutcome } from './response-reader.ts';

/** Maximum time to drain a body that decides nothing. */
const DRAIN_MS = 500;
/** Errno of a connection reset by the server or something in between. */
const BROKEN_CODES = new Set(['ECONNRESET', 'EPIPE', 'CLOSED']);

export interface ExchangeOptions {
  address: string;
  port: number;
  /**
   * Null for plain HTTP. `host` is the name or address the certificate must match. With `verify`, nothing is
   * sent to a peer that doesn't.
   */
  tls: { host: string; sendName: boolean; verify: boolean; context: TlsContext } | null;
  request: string | Buffer;
  /** Whether a response to this request never has a body. */
  bodiless: boolean;
  /** Called once, when the head is complete. */
  useOf: (head: ResponseHead) => BodyUse;
  /** For the whole exchange, and for the connection alone. */
  timeoutMs: number;
  connectTimeoutMs: number;
  clock: Clock;
  /** Shared by all exchanges: each read is processed before the next. */
  buffer: Buffer;
  /** Limits the memory of all exchanges. */
  held: HeldBytes;
}

/** Monotonic times; 0 if that point wasn't reached. */
export interface ExchangeResult {
  head: ResponseHead | null;
  /** Bytes of body received, without framing. */
  received: number;
  /** Whether reading stopped at the limit, before the body's end. */
  isCut: boolean;
  /** The start of the body, one character per byte. */
  excerpt: string;
  /** The body, still encoded; empty unless `content` was requested. Release after use. */
  holding: Holding;
  /**
   * Null if everything needed arrived; otherwise the head may still be present. `code` is Node's, or TIMEOUT,
   * CLOSED, BAD_RESPONSE or CERTIFICATE.
   */
  failed: { phase: Phase; code: string; message: string } | null;
  remoteAddress: string | null;
  tls: TlsPeer | null;
  startedAt: number;
  connectedAt: number;
  securedAt: number;
  firstByteAt: number;
  endedAt: number;
}

/** One request over a fresh connection to one address, and its response. Never rejects. */
export function exchange(options: ExchangeOptions): Promise<ExchangeResult> {
  return new Promise((resolve) => new Exchange(options, resolve));
}

class Exchange {
  readonly #options: ExchangeOptions;
  readonly #resolve: (result: ExchangeResult) => void;
  readonly #socket: Socket;
  readonly #result: ExchangeResult;
  readonly #reader: ResponseReader;
  #timer: Timer;
  #phase: Phase = 'connect';
  #isDone = false;

  constructor(options: ExchangeOptions, resolve: (result: ExchangeResult) => void) {
    this.#options = options;
    this.#resolve = resolve;
    const holding = options.held.open(() => this.#fail('ENOBUFS', 'no memory for the response'));
    this.#reader = new ResponseReader({ bodiless: options.bodiless, useOf: options.useOf, holding });
    this.#result = {
      head: null, received: 0, isCut: false, excerpt: '', holding,
      failed: null, remoteAddress: null, tls: null,
      startedAt: options.clock.monotonic(), connectedAt: 0, securedAt: 0, firstByteAt: 0, endedAt: 0,
    };
    this.#timer = this.#deadline(Math.min(options.connectTimeoutMs, options.timeoutMs));
    const onread: OnReadOpts = {
      buffer: options.buffer, callback: (size, buffer) => this.#onRead(size, buffer),
    };
    this.#socket = options.tls ? this.#openTls(options.tls, onread) : this.#openTcp(onread);
    this.#socket.on(
      'error', (error: NodeJS.ErrnoException) => this.#fail(error.code ?? 'EUNKNOWN', error.message),
    );
    this.#socket.on('end', () => this.#onEnd());
    this.#socket.on('close', () => this.#fail('CLOSED', ''));
  }

  #openTcp(onread: OnReadOpts): Socket {
    const { address, port } = this.#options;
    const socket = connectTcp({ host: address, port, onread });
    socket.on('connect', () => {
      this.#onConnected();
      this.#send();
    });
    return socket;
  }

  #openTls(tls: NonNullable<ExchangeOptions['tls']>, onread: OnReadOpts): TLSSocket {
    const options = {
      host: this.#options.address, port: this.#options.port, context: tls.context,
      ALPNProtocols: ['http/1.1'], ...(tls.sendName ? { servername: tls.host } : {}), onread,
    };
    const socket = connectSecured(options, tls.host, (peer) => this.#onSecured(peer));
    socket.on('connect', () => {
      this.#onConnected();
      this.#phase = 'tls';
    });
    return socket;
  }

  #onConnected(): void {
    this.#result.connectedAt = this.#options.clock.monotonic();
    this.#result.remoteAddress = this.#socket.remoteAddress ?? null;
    this.#phase = 'response';
    if (this.#options.connectTimeoutMs >= this.#options.timeoutMs) return;
    this.#timer.cancel();
    this.#timer = this.#deadline(
      this.#options.timeoutMs - (this.#result.connectedAt - this.#result.startedAt),
    );
  }

  #onSecured(peer: TlsPeer): void {
    this.#result.securedAt = this.#options.clock.monotonic();
    this.#result.tls = peer;
    if (peer.problem !== null && this.#options.tls?.verify) return this.#fail('CERTIFICATE', peer.problem);
    this.#phase = 'response';
    this.#send();
  }

  #send(): void {
    if (typeof this.#options.request === 'string') this.#socket.write(this.#options.request, 'latin1');
    else this.#socket.write(this.#options.request);
  }

  #onRead(size: number, buffer: Uint8Array): boolean {
    if (this.#isDone) return true;
    if (this.#result.firstByteAt === 0) this.#result.firstByteAt = this.#options.clock.monotonic();
    const hadHead = this.#reader.head !== null;
    this.#handle(this.#reader.push(buffer, 0, size));
    if (!hadHead && this.#reader.head !== null && this.#reader.use === 'start') this.#drain();
    return true;
  }

  #onEnd(): void {
    if (!this.#isDone && this.#reader.head !== null) this.#handle(this.#reader.close());
  }

  #handle(outcome: ReadOutcome): void {
    if (this.#isDone) return;
    if (outcome.kind === 'bad') this.#fail('BAD_RESPONSE', outcome.problem);
    else if (outcome.kind === 'end') this.#finish();
  }

  /** The check is decided, but a peer cut off within a small body would log an error. */
  #drain(): void {
    if (this.#isDone) return;
    this.#timer.cancel();
    const leftMs = this.#options.timeoutMs - (this.#options.clock.monotonic() - this.#result.startedAt);
    this.#timer = this.#deadline(Math.min(DRAIN_MS, leftMs));
  }

  #deadline(delayMs: number): Timer {
    return setDeadlineTimer(this.#options.clock, delayMs, () => this.#fail('TIMEOUT', ''));
  }

  #fail(code: string, message: string): void {
    if (this.#isDone) return;
    if (this.#reader.head === null) {
      this.#result.failed = { phase: this.#phase, code, message };
    } else if (this.#reader.use !== 'start') {
      this.#result.failed = BROKEN_CODES.has(code)
        ? { phase: this.#phase, code: 'BAD_RESPONSE', message: this.#brokenOffMessage() }
        : { phase: this.#phase, code, message };
    }
    this.#finish();
  }

  #brokenOffMessage(): string {
    const ended = this.#reader.close();
    return ended.kind === 'bad'
      ? ended.problem
      : `The connection was closed during the body, after ${this.#reader.received} bytes`;
  }

  #finish(): void {
    this.#isDone = true;
    this.#timer.cancel();
    this.#socket.destroy();
    const result = this.#result;
    result.head = this.#reader.head;
    result.received = this.#reader.received;
    result.isCut = this.#reader.isCut;
    result.excerpt = this.#reader.excerpt;
    result.holding.end();
    result.endedAt = this.#options.clock.monotonic();
    this.#resolve(result);
  }
}
