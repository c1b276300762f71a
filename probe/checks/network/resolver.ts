import { lookup, Resolver as Cares } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { HostAndPort } from '../../../shared/setting.ts';
import type { Clock } from '../../../shared/time.ts';
import { HostsFile } from './hosts-file.ts';

export type Resolution = { ok: true; addresses: string[] } | { ok: false; code: string };

/** Names to addresses of one family. Never rejects. */
export interface Resolver {
  resolve(host: string, family: 4 | 6): Promise<Resolution>;
}

export interface ResolverOptions {
  hosts?: HostsFile;
  /** IP addresses of name servers in place of the system's; empty: those. */
  servers?: readonly HostAndPort[];
}

const QUERY_TIMEOUT_MS = 2000;
const QUERY_TRIES = 3;
/** A resolver that is made anew so often notices a changed resolv.conf. */
const RENEW_AFTER_MS = 30_000;
const MAX_SYSTEM_LOOKUPS = 2;

/**
 * Asks the configured name servers through c-ares: `dns.lookup` would take one of the four threads that the
 * spool's fsync needs too, for as long as a dead name server likes. It honours the hosts file as the system
 * does; only names of one label, which may need the search list, go through the system's lookup, two at a
 * time. Nothing is cached.
 */
export class SystemResolver implements Resolver {
  readonly #clock: Clock;
  readonly #hosts: HostsFile;
  readonly #servers: readonly string[];
  #cares: Cares | null = null;
  #madeAtMs = 0;
  #systemLookups = 0;

  constructor(clock: Clock, { hosts = new HostsFile(clock), servers = [] }: ResolverOptions = {}) {
    this.#clock = clock;
    this.#hosts = hosts;
    this.#servers = servers.map(({ host, port }) => (isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`));
  }

  async resolve(host: string, family: 4 | 6): Promise<Resolution> {
    const name = host.endsWith('.') ? host.slice(0, -1) : host;
    if (name === 'localhost' || name.endsWith('.localhost')) {
      return { ok: true, addresses: [family === 4 ? '127.0.0.1' : '::1'] };
    }
    const known = this.#hosts.find(name, family);
    if (known.length > 0) return { ok: true, addresses: known };
    const answer = await this.#query(name, family);
    return answer.ok || name.includes('.') ? answer : this.#systemLookup(name, family, answer);
  }

  #query(name: string, family: 4 | 6): Promise<Resolution> {
    const cares = this.#current();
    return new Promise((resolve) => {
      const done = (error: NodeJS.ErrnoException | null, addresses: string[]): void => {
        resolve(error ? { ok: false, code: error.code ?? 'EUNKNOWN' } : { ok: true, addresses });
      };
      if (family === 4) cares.resolve4(name, done);
      else cares.resolve6(name, done);
    });
  }

  #current(): Cares {
    const nowMs = this.#clock.monotonic();
    if (!this.#cares || nowMs - this.#madeAtMs > RENEW_AFTER_MS) {
      this.#cares = new Cares({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
      if (this.#servers.length > 0) this.#cares.setServers(this.#servers);
      this.#madeAtMs = nowMs;
    }
    return this.#cares;
  }

  #systemLookup(name: string, family: 4 | 6, otherwise: Resolution): Promise<Resolution> | Resolution {
    if (this.#systemLookups >= MAX_SYSTEM_LOOKUPS) return otherwise;
    this.#systemLookups += 1;
    return new Promise((resolve) => {
      lookup(name, { family, all: true }, (error, found) => {
        this.#systemLookups -= 1;
        resolve(error
          ? { ok: false, code: error.code ?? 'EUNKNOWN' }
          : { ok: true, addresses: found.map((each) => each.address) });
      });
    });
  }
}
