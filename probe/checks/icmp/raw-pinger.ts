import { randomFillSync, randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { RawSockets } from 'raw-socket';
import type { Clock } from '../../../shared/time.ts';
import { EchoSocket } from './echo-socket.ts';
import { COOKIE_BYTES, type Family } from './packet.ts';
import type { Pinger, PingReport, PingRequest } from './pinger.ts';
import { Series } from './series.ts';
import { sendFault } from './ping-problems.ts';
import { Turns } from './turns.ts';

/** Pings over one raw socket per family, shared by all monitors. */
export class RawPinger implements Pinger {
  readonly method = 'raw-socket';
  readonly #raw: RawSockets;
  readonly #clock: Clock;
  readonly #identifier = randomInt(65_536);
  readonly #newCookie = cookies();
  readonly #turns = new Turns();
  readonly #sockets = new Map<Family, EchoSocket>();

  /** Opens the IPv4 socket. @throws Error if this process may not. */
  constructor(raw: RawSockets, clock: Clock) {
    this.#raw = raw;
    this.#clock = clock;
    this.#socketOf(4);
  }

  ping(request: PingRequest): Promise<PingReport> {
    try {
      const socket = this.#socketOf(isIPv6(request.address) ? 6 : 4);
      return new Series({ socket, request, clock: this.#clock, turns: this.#turns }).run();
    } catch (error) {
      return Promise.resolve({ sent: 0, rttsMs: [], problem: sendFault((error as Error).message) });
    }
  }

  #socketOf(family: Family): EchoSocket {
    const existing = this.#sockets.get(family);
    if (existing) return existing;
    const socket = new EchoSocket({
      raw: this.#raw, family, identifier: this.#identifier, clock: this.#clock, newCookie: this.#newCookie,
    });
    this.#sockets.set(family, socket);
    return socket;
  }
}

/** Generates random cookies in bulk, because drawing random bytes costs more than a packet. */
function cookies(): () => number {
  const pool = Buffer.alloc(COOKIE_BYTES * 512);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    at += COOKIE_BYTES;
    return pool.readUIntBE(at - COOKIE_BYTES, COOKIE_BYTES);
  };
}
