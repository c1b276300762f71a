import { connect as connectTcp, isIP, type Socket } from 'node:net';
import type { Clock, Timer } from '../../../shared/time.ts';
import { EXCERPT_BYTES } from '../check.ts';
import { setDeadlineTimer } from '../deadline.ts';
import type { Phase } from '../network/problems.ts';
import { connectSecured, type TlsPeer } from '../tls/peer.ts';
import type { TlsContext } from '../tls/trust.ts';
import type { Conversation, Move } from './conversation.ts';
import type { Fault } from './dialogue.ts';

/**
 * After a success, the server has this long, and this many bytes, to read our farewell and close the
 * connection.
 */
const FAREWELL_MS = 500;
const FAREWELL_BYTES = 65_536;

export interface VisitOptions {
  address: string;
  port: number;
  /** The name or address that the certificate should match. */
  host: string;
  /** Whether TLS starts immediately on connect. */
  isImplicitTls: boolean;
  context: TlsContext;
  /** `localAddress` is our end of the connection. */
  converse: (localAddress: string) => Conversation;
  /** For the whole visit, and for the connection alone. */
  timeoutMs: number;
  connectTimeoutMs: number;
  clock: Clock;
}

/** Monotonic times; 0 if that point wasn't reached. */
export interface VisitResult {
  /** Null on success. `code` is Node's, or TIMEOUT or CLOSED. */
  failed: { phase: Phase; code: string; message: string } | null;
  /** The fault found by the conversation. */
  fault: Fault | null;
  /** What the conversation last waited for. */
  awaited: string;
  /** The first EXCERPT_BYTES from the server, one character per byte. */
  excerpt: string;
  remoteAddress: string | null;
  tls: TlsPeer | null;
  startedAt: number;
  connectedAt: number;
  /** Start and end of the TLS handshake. */
  securingAt: number;
  securedAt: number;
  firstByteAt: number;
}

/** One conversation over a fresh connection to one address. Never rejects. */
export function visit(options: VisitOptions): Promise<VisitResult> {
  return new Promise((resolve) => new Visit(options, resolve));
}

class Visit {
  readonly #options: VisitOptions;
  readonly #resolve: (result: VisitResult) => void;
  readonly #result: VisitResult;
  #socket: Socket;
  #timer: Timer;
  #phase: Phase = 'connect';
  #conversation: Conversation | null = null;
  #isDone = false;

  constructor(options: VisitOptions, resolve: (result: VisitResult) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#result = {
      failed: null, fault: null, awaited: '', excerpt: '', remoteAddress: null, tls: null,
      startedAt: options.clock.monotonic(), connectedAt: 0, securingAt: 0, securedAt: 0, firstByteAt: 0,
    };
    this.#timer = this.#deadline(Math.min(options.connectTimeoutMs, options.timeoutMs));
    this.#socket = this.#withHandlers(connectTcp({ host: options.address, port: options.port }));
    this.#socket.on('connect', () => this.#onConnected());
  }

  /** When a connection switches to TLS, either socket may report its end. */
  #withHandlers<S extends Socket>(socket: S): S {
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(error.code ?? 'EUNKNOWN', error.message));
    socket.on('close', () => this.#fail('CLOSED', ''));
    return socket;
  }

  #onConnected(): void {
    const { connectTimeoutMs, timeoutMs, converse, isImplicitTls } = this.#options;
    const result = this.#result;
    result.connectedAt = this.#options.clock.monotonic();
    result.remoteAddress = this.#socket.remoteAddress ?? null;
    this.#conversation = converse(this.#socket.localAddress ?? '');
    if (connectTimeoutMs < timeoutMs) {
      this.#timer.cancel();
      this.#timer = this.#deadline(timeoutMs - (result.connectedAt - result.startedAt));
    }
    if (isImplicitTls) this.#secure((conversation) => conversation.begin());
    else this.#converse((conversation) => conversation.begin());
  }

  #converse(turn: (conversation: Conversation) => Move): void {
    this.#phase = 'response';
    const { send, next } = turn(this.#conversation as Conversation);
    if (typeof next === 'object') {
      this.#result.fault = next;
      return this.#finish();
    }
    if (next === 'close') return this.#finish(send);
    if (send !== '') this.#socket.write(send, 'latin1');
    if (next === 'secure') this.#secure((conversation) => conversation.secured());
    else if (this.#socket.listenerCount('data') === 0) this.#socket.on('data', this.#onData);
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#isDone) return;
    const result = this.#result;
    if (result.firstByteAt === 0) result.firstByteAt = this.#options.clock.monotonic();
    if (result.excerpt.length < EXCERPT_BYTES) {
      result.excerpt += bytes.toString('latin1', 0, EXCERPT_BYTES - result.excerpt.length);
    }
    this.#converse((conversation) => conversation.push(bytes));
  };

  #secure(then: (conversation: Conversation) => Move): void {
    const { host, context } = this.#options;
    this.#phase = 'tls';
    this.#result.securingAt = this.#options.clock.monotonic();
    this.#socket.off('data', this.#onData);
    const options = {
      socket: this.#socket, context, ...(isIP(host) === 0 ? { servername: host } : {}),
    };
    this.#socket = this.#withHandlers(connectSecured(options, host, (peer) => {
      if (this.#isDone) return;
      this.#result.securedAt = this.#options.clock.monotonic();
      this.#result.tls = peer;
      this.#converse(then);
    }));
  }

  #deadline(delayMs: number): Timer {
    return setDeadlineTimer(this.#options.clock, delayMs, () => this.#fail('TIMEOUT', ''));
  }

  #fail(code: string, message: string): void {
    if (this.#isDone) return;
    this.#result.failed = { phase: this.#phase, code, message };
    this.#result.fault = this.#phase === 'response' ? (this.#conversation?.ended() ?? null) : null;
    this.#finish();
  }

  /** Sends `farewell` before closing the connection; without one, closes it immediately. */
  #finish(farewell: string | null = null): void {
    this.#isDone = true;
    this.#timer.cancel();
    this.#result.awaited = this.#conversation?.awaited ?? '';
    if (farewell === null) this.#socket.destroy();
    else this.#closeGracefully(farewell);
    this.#resolve(this.#result);
  }

  #closeGracefully(farewell: string): void {
    const socket = this.#socket;
    const timer = this.#options.clock.setTimer(FAREWELL_MS, () => socket.destroy());
    let leftBytes = FAREWELL_BYTES;
    socket.on('data', (bytes: Buffer) => {
      leftBytes -= bytes.length;
      if (leftBytes < 0) socket.destroy();
    });
    socket.on('close', () => timer.cancel());
    socket.end(farewell, 'latin1');
  }
}
