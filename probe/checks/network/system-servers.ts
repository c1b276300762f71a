import { Resolver } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { HostAndPort } from '../../../shared/setting.ts';
import type { Clock } from '../../../shared/time.ts';

const REFRESH_INTERVAL_MS = 30_000;
/** The limit of resolv.conf(5). */
const MAX_SERVERS = 3;
const DNS_PORT = 53;

/** A name server. `address` is an IP address without brackets. */
export interface NameServer {
  address: string;
  port: number;
}

interface Options {
  /** Name servers (IP addresses) used instead of this machine's unless empty. */
  configured?: readonly HostAndPort[];
  /** This machine's name servers, each as `address`, `address:port` or `[address]:port`. */
  read?: () => string[];
}

/** The configured name servers, or this machine's, reloaded when its configuration changes. */
export class SystemServers {
  readonly #clock: Clock;
  readonly #configured: readonly NameServer[];
  readonly #read: () => string[];
  #servers: readonly NameServer[] = [];
  #readAtMs = -Infinity;

  constructor(clock: Clock, { configured = [], read = () => new Resolver().getServers() }: Options = {}) {
    this.#clock = clock;
    this.#configured = configured.map(({ host, port }) => ({ address: host, port }));
    this.#read = read;
  }

  /** Returns the same list until it is reloaded. */
  current(): readonly NameServer[] {
    if (this.#configured.length > 0) return this.#configured;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#readAtMs > REFRESH_INTERVAL_MS) {
      this.#readAtMs = nowMs;
      this.#servers = this.#read().slice(0, MAX_SERVERS).map(parseServer);
    }
    return this.#servers;
  }
}

/** `address`, or `address:port` if the port isn't 53. */
export function serverText({ address, port }: NameServer): string {
  if (port === DNS_PORT) return address;
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

function parseServer(text: string): NameServer {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return { address: bracketed ?? plain ?? text, port: Number(port ?? DNS_PORT) };
}
