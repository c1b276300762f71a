import { lookup } from 'node:dns';
import type { Clock } from '../../../shared/time.ts';
import { HostsFile } from './hosts-file.ts';
import { RecordLookup } from './record-lookup.ts';
import { SystemServers } from './system-servers.ts';

export type Resolution = { ok: true; addresses: string[] } | { ok: false; code: string };

/** Resolves names to addresses of one family. Never rejects. */
export interface Resolver {
  resolve(host: string, family: 4 | 6): Promise<Resolution>;
}

export interface ResolverOptions {
  hosts?: HostsFile;
  servers?: SystemServers;
}

const MAX_SYSTEM_LOOKUPS = 2;

/**
 * Resolves through c-ares: `dns.lookup` would block one of the four threads that the spool's fsync needs.
 * Honours the hosts file. Single-label names, which may need the search list, use the system's lookup, two at
 * a time. Caches nothing.
 */
export class SystemResolver implements Resolver {
  readonly #hosts: HostsFile;
  readonly #lookup: RecordLookup;
  #systemLookups = 0;

  constructor(
    clock: Clock, { hosts = new HostsFile(clock), servers = new SystemServers(clock) }: ResolverOptions = {},
  ) {
    this.#hosts = hosts;
    this.#lookup = new RecordLookup(clock, servers);
  }

  async resolve(host: string, family: 4 | 6): Promise<Resolution> {
    const name = plainName(host);
    const addresses = this.ownAddresses(name, family);
    if (addresses.length > 0) return { ok: true, addresses };
    const found = await this.#lookup.find(name, family === 4 ? 'A' : 'AAAA');
    if (found.ok) return { ok: true, addresses: found.values };
    return name.includes('.') ? found : this.#systemLookup(name, family, found);
  }

  /** Names of the domain's name servers; empty if the lookup failed. */
  async nameServersOf(domain: string): Promise<string[]> {
    const found = await this.#lookup.find(domain, 'NS');
    return found.ok ? found.values : [];
  }

  /** The addresses that this machine gives the name without asking a name server. */
  ownAddresses(host: string, family: 4 | 6): string[] {
    const name = plainName(host);
    const isLocalhost = name === 'localhost' || name.endsWith('.localhost');
    return isLocalhost ? [family === 4 ? '127.0.0.1' : '::1'] : this.#hosts.find(name, family);
  }

  #systemLookup(name: string, family: 4 | 6, fallback: Resolution): Promise<Resolution> | Resolution {
    if (this.#systemLookups >= MAX_SYSTEM_LOOKUPS) return fallback;
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

function plainName(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
