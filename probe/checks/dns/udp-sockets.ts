import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import type { Clock, Timer } from '../../../shared/time.ts';
import { callTime } from '../deadline.ts';
import type { NameServer } from '../network/system-servers.ts';
import { queryMessage, type Question } from './question.ts';
import { readReply, type Reply } from './reply.ts';

/** Why no reply came. */
export type NoReply =
  /** In time; `hadStrays`: messages came meanwhile that answer no question of ours. */
  | { kind: 'silent'; hadStrays: boolean }
  /** The socket failed with that errno, or was `CLOSED` by the server. */
  | { kind: 'down'; code: string };

export interface Query {
  question: Question;
  withEdns: boolean;
  /** Longest wait, ms. */
  timeoutMs: number;
}

/**
 * Each socket, and so each random source port, is used for so few questions; one for each question would
 * cost twice the CPU. Forged answers must hit port and id while a question waits.
 */
const QUESTIONS_PER_SOCKET = 16;

/**
 * Asks name servers by UDP. Questions that wait at the same time share sockets; without questions there are
 * none. A socket is connected, so the system drops what does not come from the server's address and port.
 */
export class UdpSockets {
  readonly #clock: Clock;
  /** By server: the one that takes further questions. */
  readonly #open = new Map<string, UdpSocket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends one question once. Never rejects. */
  ask(server: NameServer, query: Query): Promise<Reply | NoReply> {
    const key = `${server.address} ${server.port}`;
    let socket = this.#open.get(key);
    if (!socket) {
      const forget = (closed: UdpSocket): void => {
        if (this.#open.get(key) === closed) this.#open.delete(key);
      };
      socket = new UdpSocket(this.#clock, server, forget);
      this.#open.set(key, socket);
    }
    return socket.ask(query);
  }
}

interface Waiting {
  question: Question;
  id: number;
  endsAtMs: number;
  hadStrays: boolean;
  resolve: (reply: Reply | NoReply) => void;
}

/** Takes QUESTIONS_PER_SOCKET questions, and closes as soon as none waits. */
class UdpSocket {
  readonly #clock: Clock;
  readonly #socket: Socket;
  readonly #retire: (self: UdpSocket) => void;
  readonly #waiting = new Map<number, Waiting>();
  #unsent: Buffer[] | null = [];
  #asked = 0;
  #timer: Timer | null = null;
  #looksAtMs = Infinity;

  /** `retire` is called when it takes no more questions. */
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

  ask({ question, withEdns, timeoutMs }: Query): Promise<Reply | NoReply> {
    this.#asked += 1;
    if (this.#asked >= QUESTIONS_PER_SOCKET) this.#retire(this);
    let id = randomInt(0x10000);
    while (this.#waiting.has(id)) id = randomInt(0x10000);
    return new Promise((resolve) => {
      const endsAtMs = this.#clock.monotonic() + timeoutMs;
      this.#waiting.set(id, { question, id, endsAtMs, hadStrays: false, resolve });
      if (endsAtMs < this.#looksAtMs) this.#lookIn(timeoutMs, endsAtMs);
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
    const waiting = message.length < 2 ? undefined : this.#waiting.get(message.readUInt16BE(0));
    const reply = waiting && readReply(message, waiting.question, waiting.id);
    if (reply && reply.kind !== 'stray') return this.#settle(waiting, reply);
    for (const each of this.#waiting.values()) each.hadStrays = true;
  }

  /** One timer serves all questions: they are asked at about the same time. */
  #lookIn(delayMs: number, atMs: number): void {
    this.#timer?.cancel();
    this.#looksAtMs = atMs;
    this.#timer = callTime(this.#clock, delayMs, () => this.#giveUp());
  }

  #giveUp(): void {
    const nowMs = this.#clock.monotonic();
    let nextMs = Infinity;
    for (const waiting of this.#waiting.values()) {
      // Timers count whole milliseconds.
      if (waiting.endsAtMs - nowMs < 1) this.#settle(waiting, { kind: 'silent', hadStrays: waiting.hadStrays });
      else nextMs = Math.min(nextMs, waiting.endsAtMs);
    }
    this.#looksAtMs = Infinity;
    if (nextMs < Infinity) this.#lookIn(nextMs - nowMs, nextMs);
  }

  #fail(code: string): void {
    for (const waiting of this.#waiting.values()) this.#settle(waiting, { kind: 'down', code });
  }

  #settle(waiting: Waiting, reply: Reply | NoReply): void {
    this.#waiting.delete(waiting.id);
    waiting.resolve(reply);
    if (this.#waiting.size > 0) return;
    this.#retire(this);
    this.#timer?.cancel();
    // It may still be about to connect.
    this.#unsent = [];
    this.#socket.close();
  }
}
