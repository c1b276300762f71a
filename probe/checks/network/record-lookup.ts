import { Resolver } from 'node:dns';
import type { Clock } from '../../../shared/time.ts';
import { serverText, type NameServer, type SystemServers } from './system-servers.ts';

/** Record types whose values are texts. */
type RecordType = 'A' | 'AAAA' | 'NS';
type Lookup = { ok: true; values: string[] } | { ok: false; code: string };

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
 * Queries name servers through c-ares, one after the other: by itself, it would accept the first one's
 * SERVFAIL. The client of DNS checks distinguishes more outcomes, but takes twice the CPU, resends a lost
 * query later and cannot reach link-local servers.
 */
export class RecordLookup {
  readonly #clock: Clock;
  readonly #system: SystemServers;
  /** The input of `#servers`. */
  #nameServers: readonly NameServer[] = [];
  #servers: readonly Resolver[] = [];

  constructor(clock: Clock, system: SystemServers) {
    this.#clock = clock;
    this.#system = system;
  }

  /** The first response about the name, otherwise the first failure of a server that responded. */
  async find(name: string, type: RecordType): Promise<Lookup> {
    const giveUpAt = this.#clock.monotonic() + LOOKUP_MS;
    for (;;) {
      let failed = SILENT;
      for (const server of this.#current()) {
        const found = await query(server, name, type);
        if (found.ok || !SERVER_ERRORS.has(found.code)) return found;
        if (found.code === SILENT) this.#postpone(server);
        else if (failed === SILENT || failed === 'ECONNREFUSED') failed = found.code;
      }
      const isOver = this.#clock.monotonic() >= giveUpAt || this.#servers.length === 0;
      if (failed !== SILENT || isOver) return { ok: false, code: failed };
    }
  }

  #current(): readonly Resolver[] {
    const nameServers = this.#system.current();
    if (nameServers !== this.#nameServers) {
      this.#nameServers = nameServers;
      this.#servers = nameServers.map((nameServer) => {
        const server = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 1 });
        // Node drops the interface of a link-local server; c-ares takes it from the system's settings.
        if (!/^fe[89ab]/i.test(nameServer.address)) server.setServers([serverText(nameServer)]);
        return server;
      });
    }
    return this.#servers;
  }

  /** Moves the server to the end for the next lookups. */
  #postpone(server: Resolver): void {
    if (!this.#servers.includes(server)) return;
    this.#servers = [...this.#servers.filter((each) => each !== server), server];
  }
}

function query(server: Resolver, name: string, type: RecordType): Promise<Lookup> {
  return new Promise((resolve) => {
    server.resolve(name, type, (error, values) => {
      resolve(error ? { ok: false, code: error.code ?? 'EUNKNOWN' } : { ok: true, values });
    });
  });
}
