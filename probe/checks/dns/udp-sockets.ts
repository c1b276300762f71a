import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import type { Clock, Timer } from '../../../shared/time.ts';
import { setDeadlineTimer } from '../deadline.ts';
import type { NameServer } from '../network/system-servers.ts';
import { queryMessage, type Question } from './question.ts';
import { readResponse, type DnsResponse } from './response.ts';

/** Why there was no response. */
export type NoResponse =
  /** Timed out; `hadUnrelated`: messages arrived that match no pending query. */
  | { kind: 'silent'; hadUnrelated: boolean }
  /** The socket failed with that errno, or with `CLOSED` by the server. */
  | { kind: 'down'; code: string };

export interface Query {
  question: Question;
  withEdns: boolean;
  timeoutMs: number;
}

/**
 * Queries per socket, and so per random source port: a socket for each query would double the CPU cost. A
 * forged response must match both port and id while a query is pending.
 */
const QUESTIONS_PER_SOCKET = 16;

/**
 * Sends queries over UDP. Concurrent queries share sockets; idle sockets are closed. Sockets are connected,
 * so the kernel drops packets from other addresses and ports.
 */
export class UdpSockets {
  readonly #clock: Clock;
  /** By server: the socket that accepts further queries. */
  readonly #open = new Map<string, UdpSocket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends a query once. Never rejects. */
  query(server: NameServer, query: Query): Promise<DnsResponse | NoResponse> {
    const key = `${server.address} ${server.port}`;
    let socket = this.#open.get(key);
    if (!socket) {
      const forget = (closed: UdpSocket): void => {
        if (this.#open.get(key) === closed) this.#open.delete(key);
      };
      socket = new UdpSocket(this.#clock, server, forget);
      this.#open.set(key, socket);
    }
    return socket.query(query);
  }
}

interface PendingQuery {
  question: Question;
  id: number;
  endsAtMs: number;
  hadUnrelated: boolean;
  resolve: (response: DnsResponse | NoResponse) => void;
}

/** Accepts QUESTIONS_PER_SOCKET queries and closes as soon as none is pending. */
class UdpSocket {
  readonly #clock: Clock;
  readonly #socket: Socket;
  readonly #retire: (self: UdpSocket) => void;
  readonly #pending = new Map<number, PendingQuery>();
  #unsent: Buffer[] | null = [];
  #queryCount = 0;
  #timer: Timer | null = null;
  #timerDueMs = Infinity;

  /** `retire` is called when it accepts no more queries. */
  constructor(clock: Clock, server: NameServer, retire: (self: UdpSocket) => void) {
    this.#clock = clock;
    this.#retire = retire;
    const family = isIP(server.address) === 6 ? 6 : 4;
    this.#socket = createSocket({
      type: `udp${family}`, lookup: (host, _options, found) => found(null, host, family),
    });
    this.#socket.on('message', (message: Buffer) => this.#onMessage(message));
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(error.code ?? 'EUNKNOWN'));
    this.#socket.on('connect', () => this.#onConnect());
    this.#socket.connect(server.port, server.address);
  }

  query({ question, withEdns, timeoutMs }: Query): Promise<DnsResponse | NoResponse> {
    this.#queryCount += 1;
    if (this.#queryCount >= QUESTIONS_PER_SOCKET) this.#retire(this);
    let id = randomInt(0x10000);
    while (this.#pending.has(id)) id = randomInt(0x10000);
    return new Promise((resolve) => {
      const endsAtMs = this.#clock.monotonic() + timeoutMs;
      this.#pending.set(id, { question, id, endsAtMs, hadUnrelated: false, resolve });
      if (endsAtMs < this.#timerDueMs) this.#armTimer(timeoutMs, endsAtMs);
      const message = queryMessage(question, id, withEdns);
      if (this.#unsent) this.#unsent.push(message);
      else this.#socket.send(message);
    });
  }

  #onConnect(): void {
    for (const message of this.#unsent ?? []) this.#socket.send(message);
    this.#unsent = null;
  }

  #onMessage(message: Buffer): void {
    const pending = message.length < 2 ? undefined : this.#pending.get(message.readUInt16BE(0));
    const response = pending && readResponse(message, pending.question, pending.id);
    if (response && response.kind !== 'unrelated') return this.#settle(pending, response);
    for (const each of this.#pending.values()) each.hadUnrelated = true;
  }

  /** One timer serves all queries because they are sent at about the same time. */
  #armTimer(delayMs: number, atMs: number): void {
    this.#timer?.cancel();
    this.#timerDueMs = atMs;
    this.#timer = setDeadlineTimer(this.#clock, delayMs, () => this.#expire());
  }

  #expire(): void {
    const nowMs = this.#clock.monotonic();
    let nextMs = Infinity;
    for (const pending of this.#pending.values()) {
      // Timers have millisecond resolution.
      if (pending.endsAtMs - nowMs < 1) {
        this.#settle(pending, { kind: 'silent', hadUnrelated: pending.hadUnrelated });
      }
      else nextMs = Math.min(nextMs, pending.endsAtMs);
    }
    this.#timerDueMs = Infinity;
    if (nextMs < Infinity) this.#armTimer(nextMs - nowMs, nextMs);
  }

  #fail(code: string): void {
    for (const pending of this.#pending.values()) this.#settle(pending, { kind: 'down', code });
  }

  #settle(pending: PendingQuery, response: DnsResponse | NoResponse): void {
    this.#pending.delete(pending.id);
    pending.resolve(response);
    if (this.#pending.size > 0) return;
    this.#retire(this);
    this.#timer?.cancel();
    // The socket may not be connected yet.
    this.#unsent = [];
    this.#socket.close();
  }
}
