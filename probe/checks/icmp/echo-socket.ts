import { isIPv6, SocketAddress } from 'node:net';
import type { RawSockets, Socket } from 'raw-socket';
import type { Clock } from '../../../shared/time.ts';
import {
  addressBytes, COOKIE_BYTES, readIcmp, writeEchoRequest, type EchoMark, type Family,
} from './packet.ts';
import type { PingProblem } from './pinger.ts';
import { returned, sendFault } from './ping-problems.ts';
import { acceptIcmpTypes, isNothingToRead, setTtl, succeeds } from './raw-options.ts';

/** A request in flight. */
export interface Echo {
  address: string;
  size: number;
  ttl: number;
  /** Called at most once, never after `forget`: with null for a reply, otherwise with the problem. */
  settle: (problem: PingProblem | null, rttMs: number) => void;
}

/** A sent request; `sequence` identifies it. */
interface Pending extends EchoMark {
  echo: Echo;
  sentAtMs: number;
}

interface EchoSocketOptions {
  raw: RawSockets;
  family: Family;
  identifier: number;
  clock: Clock;
  /** 48 random bits. */
  newCookie: () => number;
}

const MAX_PACKET_BYTES = 2048;
const SEQUENCES = 65_536;
/**
 * Replies are read after this many packets sent in a row: unread ones seem late, and the kernel's buffer is
 * small.
 */
const READ_AFTER_SENDS = 8;
/** Maximum packets per read, so that a flood leaves time for other work. */
const MAX_READ_BATCH = 1024;
const RECEIVE_BUFFER_BYTES = 4 << 20;

/** A Linux constant that raw-socket has no name for (asm/socket.h). */
const SO_RCVBUFFORCE = 33;

/**
 * One raw socket for all echo requests of a family. It reads only between `enter` and `leave`; otherwise it
 * costs nothing and doesn't keep the process alive.
 */
export class EchoSocket {
  readonly #options: EchoSocketOptions;
  readonly #packet = Buffer.alloc(MAX_PACKET_BYTES);
  readonly #readBuffer = Buffer.alloc(MAX_PACKET_BYTES);
  readonly #pending = new Map<number, Pending>();
  #socket: Socket | null = null;
  #ttl = 0;
  #users = 0;
  #nextSequence: number;
  #sendsSinceRead = 0;

  /** @throws Error if this process may not open raw sockets, or the system lacks the family. */
  constructor(options: EchoSocketOptions) {
    this.#options = options;
    this.#nextSequence = options.newCookie() % SEQUENCES;
    this.#open();
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Call before the first request of a series. */
  enter(): void {
    this.#users += 1;
    if (this.#users > 1) return;
    // Discards unrelated packets that have accumulated.
    this.#read();
    this.#socket?.resumeRecv();
  }

  /** Call after the last request of a series was settled or forgotten. */
  leave(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#socket?.pauseRecv();
  }

  /**
   * Sends a request. Returns its sequence number for `forget`, or why it could not be sent. Settles it only
   * after returning.
   */
  send(echo: Echo): number | PingProblem {
    const { family, identifier, newCookie, clock } = this.#options;
    if (this.#pending.size === SEQUENCES) return { whose: 'own', reason: 'overload' };
    // Settle earlier requests first.
    if (this.#sendsSinceRead >= READ_AFTER_SENDS) this.#read();
    try {
      const socket = this.#socket ?? this.#open();
      const cookie = echo.size < COOKIE_BYTES ? null : newCookie();
      const pending = { echo, identifier, sequence: this.#freeSequence(), cookie, sentAtMs: 0 };
      this.#setTtl(socket, echo.ttl);
      const length = writeEchoRequest(this.#packet, family, pending, echo.size);
      pending.sentAtMs = clock.monotonic();
      socket.wrap.send(this.#packet, 0, length, echo.address, noop);
      this.#pending.set(pending.sequence, pending);
      this.#sendsSinceRead += 1;
      return pending.sequence;
    } catch (error) {
      return sendFault((error as Error).message);
    }
  }

  /** Stops waiting for the reply to a request. */
  forget(sequence: number): void {
    this.#pending.delete(sequence);
  }

  /**
   * Handles unread replies. Call it before giving up on a request: after a stall, timers fire before sockets
   * are read.
   */
  catchUp(): void {
    this.#read();
  }

  #open(): Socket {
    const { raw, family } = this.#options;
    const socket = raw.createSocket({
      addressFamily: family === 4 ? raw.AddressFamily.IPv4 : raw.AddressFamily.IPv6,
      protocol: family === 4 ? raw.Protocol.ICMP : raw.Protocol.ICMPv6,
      bufferSize: MAX_PACKET_BYTES,
    });
    if (this.#users === 0) socket.pauseRecv();
    socket.on('message', (packet, source) => {
      this.#sendsSinceRead = 0;
      this.#handle(packet, source);
      if (this.#pending.size > 0) this.#read();
    });
    socket.on('error', (error) => {
      if (!isNothingToRead(error)) this.#drop(socket);
    });
    socket.on('close', () => this.#drop(socket));
    this.#configure(socket);
    this.#socket = socket;
    this.#ttl = 0;
    return socket;
  }

  /**
   * Enlarges the buffer for bursts and, where the kernel supports it, filters out what `readIcmp` ignores.
   */
  #configure(socket: Socket): void {
    const { raw, family } = this.#options;
    const { SOL_SOCKET } = raw.SocketLevel;
    acceptIcmpTypes(socket, family, family === 4 ? [0, 3, 11, 12] : [1, 2, 3, 4, 129]);
    const force = (): void => socket.setOption(SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER_BYTES);
    if (process.platform === 'linux' && succeeds(force)) return;
    succeeds(() => socket.setOption(SOL_SOCKET, raw.SocketOption.SO_RCVBUF, RECEIVE_BUFFER_BYTES));
  }

  #setTtl(socket: Socket, ttl: number): void {
    if (ttl === this.#ttl) return;
    setTtl(this.#options.raw, socket, this.#options.family, ttl);
    this.#ttl = ttl;
  }

  #freeSequence(): number {
    while (this.#pending.has(this.#nextSequence)) this.#nextSequence = (this.#nextSequence + 1) % SEQUENCES;
    const sequence = this.#nextSequence;
    this.#nextSequence = (sequence + 1) % SEQUENCES;
    return sequence;
  }

  #read(): void {
    this.#sendsSinceRead = 0;
    const socket = this.#socket;
    if (!socket) return;
    try {
      for (let left = MAX_READ_BATCH; left > 0; left -= 1) {
        socket.wrap.recv(this.#readBuffer, (buffer, length, source) =>
          this.#handle(buffer.subarray(0, length), source));
      }
    } catch (error) {
      if (!isNothingToRead(error as Error)) this.#drop(socket);
    }
  }

  #handle(packet: Buffer, source: string): void {
    const atMs = this.#options.clock.monotonic();
    const message = readIcmp(packet, this.#options.family);
    if (!message || message.identifier !== this.#options.identifier) return;
    const pending = this.#pending.get(message.sequence);
    // A router may return too little to include the cookie; the target never does.
    const isOurs = pending && (message.cookie === pending.cookie
      || pending.cookie === null || (message.kind === 'returned' && message.cookie === null));
    if (!isOurs) return;
    const { echo } = pending;
    const isAboutTarget = message.kind === 'reply'
      ? source === echo.address
      : isSameAddress(echo.address, message.destination);
    if (!isAboutTarget) return;
    this.forget(message.sequence);
    echo.settle(message.kind === 'reply' ? null : returned(message.why, source), atMs - pending.sentAtMs);
  }

  /** Closes a broken socket; the next request opens another. */
  #drop(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    socket.close();
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    const atMs = this.#options.clock.monotonic();
    for (const { echo, sentAtMs } of lost) {
      echo.settle({ whose: 'own', reason: 'probe_unhealthy' }, atMs - sentAtMs);
    }
  }
}

/** An address as the system writes it. */
export function plainAddress(address: string): string {
  return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}

export function isSameAddress(address: string, bytes: Uint8Array): boolean {
  const wanted = addressBytes(address);
  return wanted.length === bytes.length && wanted.every((byte, at) => byte === bytes[at]);
}

function noop(): void {}
