import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net';
import {
  checkServerIdentity, connect as connectTls, type PeerCertificate, type SecureContext, type TLSSocket,
} from 'node:tls';
import type { TlsFacts } from '../../../shared/contracts/result.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import type { Phase } from '../network/problems.ts';
import { tlsFactsOf } from '../tls/certificate.ts';
import { HeadReader, type ResponseHead } from './response-head.ts';

/** After the head, this much of a body is read so that the server can close in peace; then it is cut. */
const DRAIN_BYTES = 65_536;
const DRAIN_MS = 500;

export interface ExchangeOptions {
  address: string;
  port: number;
  /**
   * Null for plain HTTP; `host` is the name (or address) that the certificate must be for. With `verify`
   * nothing is sent to a peer that does not prove it.
   */
  tls: { host: string; sendName: boolean; verify: boolean; context: SecureContext } | null;
  request: string | Buffer;
  /** Whether an answer to this request never has a body. */
  bodiless: boolean;
  /** For all of it, and for the connection alone. */
  timeoutMs: number;
  connectTimeoutMs: number;
  clock: Clock;
  /** Shared by all exchanges: what is read is used up before the next read. */
  buffer: Buffer;
}

/** Instants are of the monotonic clock; 0 when that point was not reached. */
export interface ExchangeResult {
  head: ResponseHead | null;
  /** Null when there is a head. `code` is Node's, or one of TIMEOUT, CLOSED, BAD_RESPONSE, CERTIFICATE. */
  failed: { phase: Phase; code: string; message: string } | null;
  remoteAddress: string | null;
  tls: TlsFacts | null;
  /** OpenSSL's or Node's code for why the certificate does not verify; null when it does. */
  tlsProblem: string | null;
  startedAt: number;
  connectedAt: number;
  securedAt: number;
  firstByteAt: number;
  endedAt: number;
}

/** One request on a fresh connection to one address, up to the end of the response head. Never rejects. */
export function exchange(options: ExchangeOptions): Promise<ExchangeResult> {
  return new Promise((resolve) => new Exchange(options, resolve));
}

class Exchange {
  readonly #options: ExchangeOptions;
  readonly #resolve: (result: ExchangeResult) => void;
  readonly #socket: Socket;
  readonly #result: ExchangeResult;
  #timer: Timer;
  #phase: Phase = 'connect';
  #isDone = false;
  #head = new HeadReader();
  #certificate: PeerCertificate | null = null;
  #drained = 0;
  #bodyLeft = 0;

  constructor(options: ExchangeOptions, resolve: (result: ExchangeResult) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#result = {
      head: null, failed: null, remoteAddress: null, tls: null, tlsProblem: null,
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
    this.#socket.on('close', () => this.#fail('CLOSED', 'the connection was closed before an answer came'));
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
    const socket = connectTls({
      host: this.#options.address, port: this.#options.port, secureContext: tls.context,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'], ...(tls.sendName ? { servername: tls.host } : {}),
      checkServerIdentity: (_name, cert) => {
        this.#certificate = cert;
        return checkServerIdentity(tls.host, cert);
      },
      ...{ onread },
    });
    socket.on('connect', () => {
      this.#onConnected();
      this.#phase = 'tls';
    });
    socket.on('secureConnect', () => this.#onSecured(socket));
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

  #onSecured(socket: TLSSocket): void {
    this.#result.securedAt = this.#options.clock.monotonic();
    // Node's types say Error; it is the code when the verification had one.
    const problem: unknown = socket.authorizationError;
    this.#result.tlsProblem = problem
      ? (problem instanceof Error
        ? ((problem as NodeJS.ErrnoException).code ?? problem.message)
        : String(problem))
      : null;
    const certificate = this.#certificate ?? socket.getPeerCertificate();
    this.#result.tls = tlsFactsOf(certificate, this.#result.tlsProblem === null, socket.getProtocol() ?? '');
    if (this.#result.tlsProblem !== null && this.#options.tls?.verify) {
      return this.#fail('CERTIFICATE', this.#result.tlsProblem);
    }
    this.#phase = 'response';
    this.#send();
  }

  #send(): void {
    if (typeof this.#options.request === 'string') this.#socket.write(this.#options.request, 'latin1');
    else this.#socket.write(this.#options.request);
  }

  #onRead(size: number, buffer: Uint8Array): boolean {
    if (this.#isDone) return this.#drain(size);
    if (this.#result.firstByteAt === 0) this.#result.firstByteAt = this.#options.clock.monotonic();
    this.#read(buffer, 0, size);
    return true;
  }

  #read(bytes: Uint8Array, start: number, end: number): void {
    const outcome = this.#head.push(bytes, start, end);
    if (outcome.kind === 'bad') return this.#fail('BAD_RESPONSE', `Not a valid HTTP answer: ${outcome.problem}`);
    if (outcome.kind === 'partial') return;
    const { head, rest } = outcome;
    if (head.status < 200 && head.status !== 101) {
      this.#head = new HeadReader();
      return this.#read(bytes, end - rest, end);
    }
    this.#result.head = head;
    this.#bodyLeft = this.#expectedBody(head) - rest;
    this.#finish();
  }

  #expectedBody(head: ResponseHead): number {
    if (this.#options.bodiless || head.status === 204 || head.status === 304 || head.status === 101) return 0;
    return head.chunked ? Infinity : (head.contentLength ?? Infinity);
  }

  /** A peer that is cut off in the middle of a small body would log an error at every check. */
  #drain(size: number): boolean {
    this.#drained += size;
    this.#bodyLeft -= size;
    if (this.#bodyLeft <= 0 || this.#drained > DRAIN_BYTES) this.#close();
    return true;
  }

  #deadline(delayMs: number): Timer {
    // What has arrived while this process was busy is read before time is called.
    return this.#options.clock.setTimer(
      Math.max(0, delayMs), () => setImmediate(() => this.#fail('TIMEOUT', '')),
    );
  }

  #fail(code: string, message: string): void {
    if (this.#isDone) return;
    this.#result.failed = { phase: this.#phase, code, message };
    this.#bodyLeft = 0;
    this.#finish();
  }

  #finish(): void {
    this.#isDone = true;
    this.#timer.cancel();
    this.#result.endedAt = this.#options.clock.monotonic();
    const mayDrain = this.#bodyLeft > 0 && (this.#bodyLeft <= DRAIN_BYTES || this.#bodyLeft === Infinity);
    if (mayDrain) this.#timer = this.#options.clock.setTimer(DRAIN_MS, () => this.#socket.destroy());
    else this.#socket.destroy();
    this.#resolve(this.#result);
  }

  #close(): void {
    this.#timer.cancel();
    this.#socket.destroy();
  }
}
