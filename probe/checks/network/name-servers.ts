import { parse } from 'tldts';
import { fnv1a } from '../../../shared/ids.ts';
import type { Clock } from '../../../shared/time.ts';

const READ_INTERVAL_MS = 3_600_000;
/** New names are first read within this time, so that many of them do not double the DNS load at a start. */
const FIRST_READ_WITHIN_MS = 600_000;
const MAX_CONCURRENT = 4;
/** The oldest ones are dropped beyond it. */
const MAX_DOMAINS = 100_000;

/** Sorted, in lower case, and a hash of them. */
interface Zone {
  servers: readonly string[];
  hash: number;
}

interface Domain {
  /** As last read; null before that. */
  zone: Zone | null;
  dueMs: number;
}

/** Queries the NS records of a domain; none if that fails. */
type Query = (domain: string) => Promise<string[]>;

/**
 * Name servers of the registered domains of targets, read once an hour while checks ask for them. Names
 * without a public suffix are not read: they belong to a network that may be internal.
 */
export class NameServers {
  readonly #clock: Clock;
  readonly #query: Query;
  readonly #firstReadWithinMs: number;
  readonly #domains = new Map<string, Domain>();
  /** The domain of each name; null if it is not read. */
  readonly #domainOf = new Map<string, string | null>();
  #reading = 0;

  constructor(clock: Clock, query: Query, firstReadWithinMs = FIRST_READ_WITHIN_MS) {
    this.#clock = clock;
    this.#query = query;
    this.#firstReadWithinMs = firstReadWithinMs;
  }

  /** Null if they are not known. */
  of(name: string): Zone | null {
    let domain = this.#domainOf.get(name);
    if (domain === undefined) {
      domain = publicDomain(name);
      setBounded(this.#domainOf, name, domain);
    }
    if (domain === null) return null;
    const nowMs = this.#clock.monotonic();
    let known = this.#domains.get(domain);
    if (known === undefined) {
      known = { zone: null, dueMs: nowMs + (this.#firstReadWithinMs * (fnv1a(domain) % 1000)) / 1000 };
      setBounded(this.#domains, domain, known);
    }
    if (nowMs >= known.dueMs && this.#reading < MAX_CONCURRENT) void this.#read(domain, known);
    return known.zone;
  }

  /** A failed lookup changes nothing. */
  async #read(domain: string, known: Domain): Promise<void> {
    known.dueMs = this.#clock.monotonic() + READ_INTERVAL_MS;
    this.#reading += 1;
    // An error of our own must not end the probe; the next read may succeed.
    const found = await this.#query(domain).catch((): string[] => []);
    const names = found.map((each) => each.toLowerCase().replace(/\.$/, ''));
    const servers = [...new Set(names)].filter((each) => publicDomain(each) !== null).sort();
    if (servers.length > 0) known.zone = { servers, hash: fnv1a(servers.join()) | 0 };
    this.#reading -= 1;
  }
}

function publicDomain(name: string): string | null {
  const { domain, isIcann } = parse(name, { allowPrivateDomains: false, detectIp: false });
  return isIcann === true ? domain : null;
}

function setBounded<Value>(map: Map<string, Value>, key: string, value: Value): void {
  const [oldest] = map.size >= MAX_DOMAINS ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
