import { Resolver as Cares } from 'node:dns';
import { isIPv6 } from 'node:net';
import type { Clock } from '../../../shared/time.ts';
import type { Resolution } from './resolver.ts';
import type { NameServer, SystemServers } from './system-servers.ts';

/** Timeout for a response, ms; shorter for a server that has responded fast so far. */
const QUERY_TIMEOUT_MS = 2000;
/** Silent servers are not retried after this time. */
const LOOKUP_MS = 12_000;
const SILENT = 'ETIMEOUT';
/** Errors that say more about the server than about the name. */
const SERVER_ERRORS = new Set([
  SILENT, 'ESERVFAIL', 'EREFUSED', 'ENOTIMP', 'EFORMERR', 'EBADRESP', 'ECONNREFUSED',
]);

/**
 * Queries name servers for addresses through c-ares, one after the other, so that a name resolves while any
 * of them knows it. With Node's setup, c-ares would accept the first server's SERVFAIL.
 */
export class AddressLookup {
  readonly #clock: Clock;
  readonly #system: SystemServers;
  /** The input of `#servers`. */
  #nameServers: readonly NameServer[] = [];
  #servers: readonly Cares[] = [];

  constructor(clock: Clock, system: SystemServers) {
    this.#clock = clock;
    this.#system = system;
  }

  /** The first response about the name, otherwise the first failure of a server that responded. */
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
        // Node drops the interface of a link-local server; c-ares takes it from the system's settings.
        if (isLinkLocal(address)) return server;
        server.setServers([isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`]);
        return server;
      });
    }
    return this.#servers;
  }

  /** Moves the server to the end for the next lookups. */
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
