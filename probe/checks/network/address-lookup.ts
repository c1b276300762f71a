import { Resolver as Cares } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { Clock } from '../../../shared/time.ts';
import type { Resolution } from './resolver.ts';
import type { NameServer, SystemServers } from './system-servers.ts';

/** Wait for one answer, ms; less at a server that has answered fast so far. */
const QUERY_TIMEOUT_MS = 2000;
/** After this time silent servers are not asked again, ms. */
const LOOKUP_MS = 12_000;
const SILENT = 'ETIMEOUT';
/** What says more about the server than about the name. */
const SERVER_ERRORS = new Set([
  SILENT, 'ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'EFORMERR', 'EBADRESP', 'ECONNREFUSED',
]);

/**
 * Asks name servers for addresses, through c-ares and in turn, so that no name counts as broken while one of
 * them knows it: c-ares itself, as Node sets it up, takes the SERVFAIL of the first one for an answer.
 */
export class AddressLookup {
  readonly #clock: Clock;
  readonly #system: SystemServers;
  /** What `#servers` was made from. */
  #nameServers: readonly NameServer[] = [];
  #servers: readonly Cares[] = [];

  constructor(clock: Clock, system: SystemServers) {
    this.#clock = clock;
    this.#system = system;
  }

  /** The first answer about the name, else the first failure of a server that is not silent. */
  async resolve(name: string, family: 4 | 6): Promise<Resolution> {
    const giveUpAt = this.#clock.monotonic() + LOOKUP_MS;
    for (;;) {
      let failed = SILENT;
      for (const server of this.#current()) {
        const resolution = await query(server, name, family);
        if (resolution.ok || !SERVER_ERRORS.has(resolution.code)) return resolution;
        if (resolution.code === SILENT) this.#postpone(server);
        else if (failed === SILENT || failed === 'ECONNREFUSED') failed = resolution.code;
      }
      const isOver = this.#clock.monotonic() >= giveUpAt || this.#servers.length === 0;
      if (failed !== SILENT || isOver) return { ok: false, code: failed };
    }
  }

  #current(): readonly Cares[] {
    const nameServers = this.#system.current();
    if (nameServers !== this.#nameServers) {
      this.#nameServers = nameServers;
      this.#servers = nameServers.map(({ address, port }) => {
        const server = new Cares({ timeout: QUERY_TIMEOUT_MS, tries: 1 });
        // Node loses the interface of a link-local server, and c-ares knows it from the system's settings.
        if (isLinkLocal(address)) return server;
        server.setServers([isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`]);
        return server;
      });
    }
    return this.#servers;
  }

  /** The next lookups begin with the others. */
  #postpone(server: Cares): void {
    if (!this.#servers.includes(server)) return;
    this.#servers = [...this.#servers.filter((each) => each !== server), server];
  }
}

function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}

function query(server: Cares, name: string, family: 4 | 6): Promise<Resolution> {
  return new Promise((resolve) => {
    const done = (error: NodeJS.ErrnoException | null, addresses: string[]): void => {
      resolve(error ? { ok: false, code: error.code ?? 'EUNKNOWN' } : { ok: true, addresses });
    };
    if (family === 4) server.resolve4(name, done);
    else server.resolve6(name, done);
  });
}
