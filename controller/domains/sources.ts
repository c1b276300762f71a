import type { Clock } from '../../shared/time.ts';
import type { OutboundReader } from '../platform/outbound/reader-port.ts';
import { WorkClaims } from '../work/claimed-work.ts';
import type { Lookup } from './domain.ts';
import { WEEK_MS } from './lookup-rules.ts';
import { readRdapServers, type RdapServer } from './rdap-response.ts';
import type { SourceDoc, SourceStore } from './source-store.ts';
import { readWhoisServer } from './whois-response.ts';
import { queryWhois, type WhoisDeps } from './whois-query.ts';

/** IANA's directories of registry servers. */
export interface DomainRoots {
  /** URL of the list of RDAP servers. */
  rdapList: string;
  /** Host of the WHOIS server that knows those of all top-level domains. */
  whois: string;
  /** Port of every WHOIS server. */
  whoisPort: number;
}

export const IANA: DomainRoots = Object.freeze({
  rdapList: 'https://data.iana.org/rdap/dns.json', whois: 'whois.iana.org', whoisPort: 43,
});

export interface SourceDeps extends WhoisDeps {
  store: SourceStore;
  reader: OutboundReader;
  clock: Clock;
  roots: DomainRoots;
  /** This controller's name. */
  holder: string;
}

/** `at` is null if there is no such server. */
type Source = { kind: 'server'; at: string | null } | Exclude<Lookup, { kind: 'found' | 'unsupported' }>;

const LIST_LIMIT_BYTES = 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** While one controller fetches the list, the others wait for it. */
const CLAIM_TTL_MS = 30_000;
const RETRY_MS = 3_600_000;
/** How long a controller uses its copy of the list before it checks for a newer one. */
const COPY_TTL_MS = 3_600_000;

/** Finds the server to query about a domain. Queries IANA once a week and keeps its last valid responses. */
export class DomainSources {
  readonly #deps: SourceDeps;
  readonly #workClaims: WorkClaims;
  #copy: { servers: Map<string, string>; readAt: number } | null = null;
  #reading: Promise<Source | null> | null = null;

  constructor(deps: SourceDeps) {
    this.#deps = deps;
    const { clock, holder } = deps;
    this.#workClaims = new WorkClaims({ clock, holder, ttlMs: CLAIM_TTL_MS });
  }

  /** The address of the RDAP server of a top-level domain. */
  async rdap(tld: string): Promise<Source> {
    const { clock } = this.#deps;
    if (this.#copy === null || clock.now() - this.#copy.readAt >= COPY_TTL_MS) {
      this.#reading ??= this.#readList().finally(() => (this.#reading = null));
      const failure = await this.#reading;
      if (failure !== null) return failure;
    }
    return { kind: 'server', at: this.#copy?.servers.get(tld) ?? null };
  }

  /** The host of the WHOIS server of a top-level domain. */
  async whois(tld: string): Promise<Source> {
    const { store, clock, roots } = this.#deps;
    const stored = await store.whois(tld);
    if (stored && stored.due_at > clock.now()) return { kind: 'server', at: stored.whois };
    const response = await queryWhois(this.#deps, roots.whois, tld);
    if (response.kind === 'busy') return response;
    const server = response.kind === 'responded' ? readWhoisServer(response.text) : undefined;
    if (server === undefined) {
      if (stored) return { kind: 'server', at: stored.whois };
      if (response.kind === 'failed') return response;
      return { kind: 'failed', message: `${roots.whois}: its response cannot be parsed` };
    }
    await store.saveWhois(tld, server, clock.now() + WEEK_MS);
    return { kind: 'server', at: server };
  }

  /** Null if a copy of the list is available; otherwise the reason why not. */
  async #readList(): Promise<Source | null> {
    const { store, clock, roots } = this.#deps;
    const now = clock.now();
    const stored = await store.list();
    const isDue = stored.due_at <= now;
    const workClaims = this.#workClaims;
    const fetched = isDue && workClaims.isFree(stored.claim)
      ? await workClaims.runClaimed(
        (claim) => store.claim(stored, claim), (claimed) => this.#fetchList(claimed),
      )
      : null;
    if (isDue && fetched === null && stored.rdap === null) return { kind: 'busy', server: roots.rdapList };
    const reason = typeof fetched === 'string' ? fetched : 'it could not be fetched';
    const rdap = Array.isArray(fetched) ? fetched : stored.rdap;
    if (rdap === null) return { kind: 'failed', message: `The list of RDAP servers is not available: ${reason}` };
    const servers = new Map(rdap.flatMap(({ tlds, url }) => tlds.map((tld) => [tld, url] as const)));
    this.#copy = { servers, readAt: now };
    return null;
  }

  /** Fetches and stores the list. Returns the reason on failure. */
  async #fetchList(stored: SourceDoc): Promise<RdapServer[] | string> {
    const { store, reader, clock, roots } = this.#deps;
    const response = await reader.get({
      url: roots.rdapList, accept: 'application/json', limitBytes: LIST_LIMIT_BYTES, timeoutMs: TIMEOUT_MS,
    });
    const rdap = response.kind === 'responded' && response.status === 200 ? readRdapServers(response.body) : null;
    const due_at = clock.now() + (rdap === null ? RETRY_MS : WEEK_MS);
    await store.settle(stored, rdap === null ? { due_at } : { due_at, rdap });
    if (rdap !== null) return rdap;
    if (response.kind !== 'responded') return stored.rdap ?? response.reason;
    return stored.rdap ?? `the response, with status ${response.status}, is not such a list`;
  }
}
