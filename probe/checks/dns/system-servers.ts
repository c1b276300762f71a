import { Resolver } from 'node:dns';
import type { Clock } from '../../../shared/time.ts';
import type { NameServer } from './udp-sockets.ts';

const READ_EVERY_MS = 30_000;
/** As many as resolv.conf(5) has. */
const MAX_SERVERS = 3;
const DNS_PORT = 53;

/** The name servers that this machine is configured to ask; a changed configuration is noticed. */
export class SystemServers {
  readonly #clock: Clock;
  readonly #read: () => string[];
  #servers: readonly NameServer[] = [];
  #readAtMs = -Infinity;

  /** `read`: each as `address`, `address:port` or `[address]:port`. */
  constructor(clock: Clock, read: () => string[] = () => new Resolver().getServers()) {
    this.#clock = clock;
    this.#read = read;
  }

  current(): readonly NameServer[] {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#readAtMs > READ_EVERY_MS) {
      this.#readAtMs = nowMs;
      this.#servers = this.#read().slice(0, MAX_SERVERS).map(parseServer);
    }
    return this.#servers;
  }
}

function parseServer(text: string): NameServer {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { address: bracketed ?? plain ?? text, port: Number(port ?? DNS_PORT) };
}
