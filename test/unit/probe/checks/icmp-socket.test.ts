import { EventEmitter } from 'node:events';
import type { RawSockets, Socket } from 'raw-socket';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeEchoRequest } from '../../../../probe/checks/icmp/packet.ts';
import type { PingReport } from '../../../../probe/checks/icmp/pinger.ts';
import { RawPinger } from '../../../../probe/checks/icmp/raw-pinger.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

const EMPTY = 'Resource temporarily unavailable';

/** A raw socket with a simulated network, for behaviour that no real network shows on request. */
class FakeSocket extends EventEmitter {
  readonly sent: { packet: Buffer; address: string }[] = [];
  readonly received: { packet: Buffer; source: string }[] = [];
  sendError: string | null = null;
  isReading = true;
  isClosed = false;
  readonly wrap = {
    send: (packet: Buffer, offset: number, length: number, address: string): void => {
      if (this.sendError) throw new Error(this.sendError);
      this.sent.push({ packet: Buffer.from(packet.subarray(offset, length)), address });
    },
    recv: (buffer: Buffer, handle: (buffer: Buffer, length: number, source: string) => void): void => {
      const next = this.received.shift();
      if (!next) throw new Error(EMPTY);
      handle(buffer, next.packet.copy(buffer), next.source);
    },
  };

  setOption(): void {}

  pauseRecv(): this {
    this.isReading = false;
    return this;
  }

  resumeRecv(): this {
    this.isReading = true;
    return this;
  }

  close(): this {
    this.isClosed = true;
    return this;
  }

  /** Replies to a request, as if from `source`, with changed fields. */
  respond(nth: number, { source = '10.0.0.1', change = (_: Buffer): void => {} } = {}): void {
    const echo = Buffer.from((this.sent[nth] as { packet: Buffer }).packet);
    const mark = {
      identifier: echo.readUInt16BE(4), sequence: echo.readUInt16BE(6), cookie: echo.readUIntBE(8, 6),
    };
    const header = Buffer.from('4500000000004000400100000a0000010a000002', 'hex');
    const icmp = Buffer.alloc(64);
    writeEchoRequest(icmp, 4, mark, 56);
    icmp[0] = 0;
    change(icmp);
    icmp.writeUInt16BE(0, 2);
    let sum = 0;
    for (let at = 0; at < icmp.length; at += 2) sum += icmp.readUInt16BE(at);
    icmp.writeUInt16BE(~((sum & 0xffff) + (sum >> 16)) & 0xffff, 2);
    this.received.push({ packet: Buffer.concat([header, icmp]), source });
  }
}

const ADDRESS = '10.0.0.1';
let clock: SimulatedClock;
/** How late timers fire, ms. */
let lateMs: number;
let sockets: FakeSocket[];
let openError: string | null;
let pinger: RawPinger;

beforeEach(() => {
  [clock, lateMs, sockets, openError] = [new SimulatedClock(), 0, [], null];
  const raw: RawSockets = {
    createSocket: () => {
      if (openError) throw new Error(openError);
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket as unknown as Socket;
    },
    AddressFamily: { IPv4: 1, IPv6: 2 }, Protocol: { ICMP: 1, ICMPv6: 58 },
    SocketLevel: { SOL_SOCKET: 1, IPPROTO_IP: 0, IPPROTO_IPV6: 41 },
    SocketOption: { SO_RCVBUF: 8, IP_TTL: 2, IPV6_UNICAST_HOPS: 16 },
  };
  pinger = new RawPinger(raw, {
    now: () => clock.now(), monotonic: () => clock.monotonic() + lateMs,
    setTimer: (ms, fire) => clock.setTimer(ms, fire), setRepeating: (ms, fire) => clock.setRepeating(ms, fire),
  });
});

/** Packets are sent in turns of the event loop. */
const turn = (): Promise<void> => clock.advance(0);

const ping = (count = 1, address = ADDRESS): Promise<PingReport> => pinger.ping({
  address, count, size: 56, ttl: 64, plan: { intervalMs: 200, responseTimeoutMs: 1000 }, maxQueueMs: 0,
});

describe('echo sockets', () => {
  test.each([
    ['another address', { source: '10.0.0.9' }],
    ['another identifier', { change: (icmp: Buffer) => void icmp.writeUInt16BE(icmp.readUInt16BE(4) ^ 1, 4) }],
    ['another sequence number', { change: (icmp: Buffer) => void icmp.writeUInt16BE(icmp.readUInt16BE(6) ^ 1, 6) }],
    ['another cookie', { change: (icmp: Buffer) => void icmp.writeUInt8((icmp[13] as number) ^ 1, 13) }],
  ])('ignore a reply with %s', async (_, forged) => {
    const socket = sockets[0] as FakeSocket;
    const report = ping();
    await turn();
    socket.respond(0, forged);
    await clock.advance(1000);
    expect(await report).toEqual({ sent: 1, rttsMs: [], problem: null });
    expect(socket.received).toEqual([]);
  });

  test('count each packet once, and none after its timeout', async () => {
    const socket = sockets[0] as FakeSocket;
    const report = ping(2);
    await turn();
    await clock.advance(50);
    for (const _ of [1, 2]) socket.respond(0);
    socket.emit('message', ...Object.values(socket.received.shift() as object));
    await clock.advance(1200);
    expect(await report).toEqual({ sent: 2, rttsMs: [50], problem: null });
    expect(socket.isReading).toBe(false);
  });

  test('read pending replies before a packet times out', async () => {
    const report = ping();
    await turn();
    sockets[0]?.respond(0);
    lateMs = 300;
    await clock.advance(1000);
    expect(await report).toEqual({ sent: 1, rttsMs: [1300], problem: null });
  });

  test("measure a packet's round trip independently of other sends", async () => {
    const socket = sockets[0] as FakeSocket;
    const { send } = socket.wrap;
    socket.wrap.send = (...packet) => {
      send(...packet);
      lateMs += 10;
      socket.respond(socket.sent.length - 1);
      setImmediate(() => socket.emit('message', ...Object.values(socket.received.shift() as object)));
    };
    const reports = await Promise.all([1, 2, 3].map(() => ping()));
    expect(reports.map(({ rttsMs }) => rttsMs)).toEqual([[10], [10], [10]]);
  });

  test('blame no target for silence while the probe itself was stalled', async () => {
    const report = ping();
    await turn();
    lateMs = 600;
    await clock.advance(1000);
    expect(await report).toEqual({ sent: 1, rttsMs: [], problem: { whose: 'own', reason: 'overload' } });
  });

  test.each([
    ['Operation not permitted', { whose: 'own', reason: 'probe_unhealthy' }],
    ['Network is unreachable', { whose: 'own', reason: 'probe_unhealthy' }],
    ['Network unreachable', { whose: 'own', reason: 'probe_unhealthy' }],
    ['No buffer space available', { whose: 'own', reason: 'overload' }],
    ['Permission denied', { whose: 'own', reason: 'blocked_target' }],
    ['No route to host', { whose: 'target', message: 'The host is unreachable' }],
    ['Message too long', { whose: 'target', message: 'The packet is too large for the path to the host' }],
  ])('attribute a failed send to its cause: %s', async (text, problem) => {
    const socket = sockets[0] as FakeSocket;
    socket.sendError = text;
    expect(await ping()).toEqual({ sent: 0, rttsMs: [], problem });
    expect(socket.isReading).toBe(false);
  });

  test("report an unsupported address family as the probe's problem", async () => {
    openError = 'Address family not supported by protocol';
    expect(await ping(1, '::1')).toEqual({ sent: 0, rttsMs: [], problem: { whose: 'own', reason: 'probe_unhealthy' } });
  });

  test('are replaced when they break, without blaming a target', async () => {
    const report = ping();
    await turn();
    sockets[0]?.emit('close');
    expect(await report).toEqual({ sent: 1, rttsMs: [], problem: { whose: 'own', reason: 'probe_unhealthy' } });
    expect(sockets[0]?.isClosed).toBe(true);
    const next = ping();
    await turn();
    sockets[1]?.respond(0);
    await clock.advance(1000);
    expect((await next).rttsMs).toEqual([1000]);
  });

  test('reject requests beyond the available sequence numbers', async () => {
    const reports = Array.from({ length: 65_537 }, () => ping());
    expect(await reports.at(-1)).toEqual({ sent: 0, rttsMs: [], problem: { whose: 'own', reason: 'overload' } });
    const sequences = new Set((sockets[0] as FakeSocket).sent.map(({ packet }) => packet.readUInt16BE(6)));
    expect(sequences.size).toBe(65_536);
  });
});
