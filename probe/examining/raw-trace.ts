import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RawSockets } from 'raw-socket';
import { MAX_HOPS } from '../../shared/contracts/examination.ts';
import { sleep, within, type Clock } from '../../shared/time.ts';
import { isSameAddress } from '../checks/icmp/echo-socket.ts';
import {
  ICMP, ICMPV6, readIcmp, readReturned, writeEchoRequest, type EchoMark, type Family, type ReturnedPacket,
} from '../checks/icmp/packet.ts';
import { sendFault, TOO_LARGE } from '../checks/icmp/ping-problems.ts';
import { LargePackets, LARGE_DATA_BYTES, SMALL_DATA_BYTES } from './large-packets.ts';
import { PacketSocket } from './packet-socket.ts';
import { Route, type Responder } from './route.ts';
import { echoMark, respondedNumber, returnedNumber, SEGMENT_BYTES, TCP, writeSyn, type Flow } from './trace-packets.ts';

/** Between two packets, so that few are in flight beyond the target when it responds. */
const SPACING_MS = 15;
/**
 * How long to wait for silent hops before and after their second packet: a few times the slowest response,
 * within these limits.
 */
const MAX_PATIENCE_MS = [500, 1000] as const;
const MIN_PATIENCE_MS = 300;
const PATIENCE_FACTOR = 3;
const FULL_TTL = 64;
const ALL_TTLS = Array.from({ length: MAX_HOPS }, (_, at) => at + 1);
/** Packets are numbered by attempt and TTL; the echo requests that compare sizes get higher numbers. */
const PACKETS_PER_ATTEMPT = 32;
const [SMALL, LARGE] = [1000, 2000] as const;
const ECHO_TYPES = { 4: [0, 3, 11, 12], 6: [1, 2, 3, 4, 129] } as const;
/** Above the ports that systems assign to connections. */
const SOURCE_PORTS = [61_000, 65_536] as const;

export interface RawTraceOptions {
  raw: RawSockets;
  clock: Clock;
  target: string;
  /** This machine's address for packets to the target. */
  source: string;
  /** Traces by TCP to this port; by ICMP if null. */
  port: number | null;
}

/**
 * A trace by packets with ascending TTL in one flow: TCP with one pair of ports, or echo requests with one
 * identifier and checksum. So all of them take the path that a single connection would take.
 */
export class RawTrace {
  readonly route = new Route();
  readonly large = new LargePackets();
  readonly #options: RawTraceOptions;
  readonly #family: Family;
  readonly #identifier = randomInt(0x10000);
  readonly #cookie = randomInt(2 ** 32);
  readonly #flow: Flow | null;
  readonly #icmp: PacketSocket;
  readonly #tcp: PacketSocket | null;
  readonly #packet = Buffer.alloc(2048);
  readonly #sentAtMs = new Map<number, number>();
  /** Routers that refuse to forward echo requests, and their TTL. */
  readonly #echoRefusers = new Map<string, number>();
  #onKnown: () => void = () => {};
  #isOver = false;

  /** @throws Error if this process may not open raw sockets, or the system lacks the family. */
  constructor(options: RawTraceOptions) {
    const { raw, target, source, port } = options;
    this.#options = options;
    const family = isIPv6(target) ? 6 : 4;
    this.#family = family;
    const [sourcePort, sequence] = [randomInt(...SOURCE_PORTS), randomInt(2 ** 32)];
    this.#flow = port === null ? null : { family, source, target, sourcePort, port, sequence };
    this.#icmp = new PacketSocket({
      raw, family, protocol: family === 4 ? ICMP : ICMPV6, icmpTypes: ECHO_TYPES[family],
      onPacket: (packet, from) => this.#onIcmp(packet, from),
    });
    this.#tcp = this.#flow && this.#openTcp();
  }

  /** Sends all packets and waits until every response has arrived or `timeoutMs` has passed. */
  async run(timeoutMs: number): Promise<void> {
    const known = new Promise<void>((resolve) => (this.#onKnown = resolve));
    await within(this.#options.clock, timeoutMs, Promise.race([known, this.#send()]));
    this.#isOver = true;
    this.#icmp.close();
    this.#tcp?.close();
    // A router that limits its responses may have spent them on the echo requests.
    for (const [router, ttl] of this.#echoRefusers) this.route.recordIfNew(ttl, router);
  }

  async #send(): Promise<void> {
    const { clock } = this.#options;
    for (const [attempt, maxMs] of MAX_PATIENCE_MS.entries()) {
      this.#sendEchoes(attempt);
      const ttls = attempt === 0 ? ALL_TTLS : this.route.silentTtls;
      for (const ttl of ttls) {
        if (this.#isOver || ttl > this.route.endTtl) break;
        this.#sendAt(ttl, attempt);
        await sleep(clock, SPACING_MS);
      }
      const enoughMs = (this.route.slowestMs ?? maxMs) * PATIENCE_FACTOR;
      await sleep(clock, Math.min(maxMs, Math.max(MIN_PATIENCE_MS, enoughMs)));
      if (this.#isOver) return;
    }
  }

  #sendAt(ttl: number, attempt: number): void {
    const number = attempt * PACKETS_PER_ATTEMPT + ttl;
    this.#sentAtMs.set(number, this.#options.clock.monotonic());
    const { target } = this.#options;
    if (this.#flow && this.#tcp) {
      writeSyn(this.#packet, this.#flow, number);
      this.#tcp.send(this.#packet, SEGMENT_BYTES, target, ttl);
    } else this.#icmp.send(this.#packet, this.#writeEcho(number, SMALL_DATA_BYTES), target, ttl);
  }

  #sendEchoes(attempt: number): void {
    const { target } = this.#options;
    this.#icmp.send(this.#packet, this.#writeEcho(SMALL + attempt, SMALL_DATA_BYTES), target, FULL_TTL);
    const length = this.#writeEcho(LARGE + attempt, LARGE_DATA_BYTES[this.#family]);
    const sent = this.#icmp.sendWhole(this.#packet, length, target, FULL_TTL);
    if (sent?.problem === null) this.large.onSent();
    else if (sent && sendFault(sent.problem) === TOO_LARGE) this.large.onTooLarge();
  }

  #writeEcho(number: number, size: number): number {
    return writeEchoRequest(this.#packet, this.#family, this.#markOf(number), size);
  }

  #markOf(sequence: number): EchoMark {
    return echoMark(sequence, this.#identifier, this.#cookie);
  }

  #openTcp(): PacketSocket {
    const { raw } = this.#options;
    const flow = this.#flow as Flow;
    try {
      return new PacketSocket({
        raw, family: flow.family, protocol: TCP,
        onPacket: (packet, from) => {
          const number = respondedNumber(packet, from, flow);
          if (number !== null) this.#record(number, 'target', from);
        },
      });
    } catch (error) {
      this.#icmp.close();
      throw error;
    }
  }

  #onIcmp(packet: Buffer, from: string): void {
    const message = readIcmp(packet, this.#family);
    if (message?.kind === 'reply') {
      const { identifier, sequence, cookie } = message;
      const isOurs = identifier === this.#identifier && cookie === this.#markOf(sequence).cookie;
      if (isOurs && from === this.#options.target) this.#onEchoResponse(sequence, from);
      return;
    }
    const returned = readReturned(packet, this.#family);
    if (!returned) return;
    const isEcho =
      message?.identifier === this.#identifier && isSameAddress(this.#options.target, message.destination);
    const number = isEcho ? message.sequence : this.#flow && returnedNumber(returned, this.#flow);
    if (number !== null) this.#onReturned(number, returned, from);
  }

  #onEchoResponse(number: number, from: string): void {
    if (number >= LARGE) this.large.onResponse('large');
    else {
      this.large.onResponse('small');
      this.#record(number, 'target', from);
    }
    this.#notifyIfKnown();
  }

  #onReturned(number: number, { why, ttl }: ReturnedPacket, from: string): void {
    if (number >= LARGE && why === 'too_large') this.large.onTooLarge();
    else if (number >= SMALL && from !== this.#options.target) {
      this.#echoRefusers.set(from, FULL_TTL - ttl + 1);
    }
    // A router that forwards the target's port may report an expired TTL from the target's address.
    if (why === 'ttl_exceeded') this.#record(number, 'router', from);
    else this.#record(number, from === this.#options.target ? 'target' : 'refuser', from);
    this.#notifyIfKnown();
  }

  /** Ignores packets that are not part of the trace. */
  #record(number: number, responder: Responder, from: string): void {
    const sentAtMs = this.#sentAtMs.get(number);
    if (sentAtMs === undefined) return;
    const rttMs = this.#options.clock.monotonic() - sentAtMs;
    this.route.record(number % PACKETS_PER_ATTEMPT, responder, from, rttMs);
    this.#notifyIfKnown();
  }

  #notifyIfKnown(): void {
    if (this.route.isKnown && this.large.isDecided) this.#onKnown();
  }
}
