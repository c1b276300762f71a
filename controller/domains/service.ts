import { Claims } from '../../shared/claims.ts';
import type { Company } from '../../shared/company.ts';
import type { Log } from '../../shared/log.ts';
import { ALONE_MS, Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { DomainDoc, Lookup } from './domain.ts';
import { afterLookup, DAY_MS } from './lookup-rules.ts';
import type { DomainStore } from './store.ts';
import { BETWEEN_MS, type TurnStore } from './turn-store.ts';

/** What lookups need of monitors. */
export interface WatchingMonitors {
  /** Whether a living monitor watches the domain. */
  watchDomain(domain: string): Promise<boolean>;
  /** Has the journals take the configurations of its monitors again, which then have its expiry. */
  retellDomain(domain: string): Promise<void>;
}

interface DomainLookupsDeps {
  domains: DomainStore;
  turns: TurnStore;
  monitors: WatchingMonitors;
  lookUp(domain: string): Promise<Lookup>;
  /** Ends lookups under way. */
  hangUp(): Promise<void>;
  clock: Clock;
  log: Log;
  company?: Company;
  /** The name of this controller. */
  holder: string;
}

const LOOK_EVERY_MS = 1000;
/** While no domain is due or waits for its server. */
const QUIET_MS = 5000;
const TIDY_EVERY_MS = 3_600_000;
/** Lookups under way at once; further ones wait in the database. */
const AT_ONCE = 4;
/** Longer than any lookup takes. */
const CLAIM_MS = 300_000;
/** Servers whose queues are remembered; beyond it, those that have been served are dropped. */
const MOST_SERVERS = 1000;

/** Looks up each domain that is due, once for all monitors; the controllers claim domains from each other. */
export class DomainLookups {
  /** Since the start, by outcome. */
  readonly counts = { found: 0, unsupported: 0, failed: 0, busy: 0 };
  readonly #deps: DomainLookupsDeps;
  readonly #looking: Rounds;
  readonly #tidying: Rounds;
  readonly #claims: Claims;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Until when domains wait for a server, Unix ms. */
  readonly #queues = new Map<string, number>();
  #isStopped = false;

  constructor(deps: DomainLookupsDeps) {
    this.#deps = deps;
    const { clock, log, turns, company, holder } = deps;
    this.#claims = new Claims({ clock, holder, lastsMs: CLAIM_MS });
    this.#looking = new Rounds({
      clock, everyMs: LOOK_EVERY_MS, quietMs: QUIET_MS, company, round: () => this.#look(),
      onFailed: (error) => log.warn({ err: error }, 'could not look up domains'),
    });
    this.#tidying = new Rounds({
      clock, everyMs: TIDY_EVERY_MS, round: () => turns.removeOlder(clock.now() - DAY_MS),
      onFailed: (error) => log.warn({ err: error }, 'could not remove old query slots of domain servers'),
    });
  }

  start(): void {
    this.#looking.start();
    this.#tidying.start();
  }

  /** A domain may be new. */
  soon(): void {
    this.#looking.soon();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#looking.stop(), this.#tidying.stop()]);
    await this.#deps.hangUp();
    await Promise.all(this.#underWay);
  }

  async #look(): Promise<void | 'quiet'> {
    const { domains, clock, log } = this.#deps;
    const free = AT_ONCE - this.#underWay.size;
    if (free <= 0) return;
    const [now, claims] = [clock.now(), this.#claims];
    const found = await domains.due(now + ALONE_MS, free, claims.held);
    // What others have claimed may be left to us.
    if (found.length === 0 && claims.held.length === 0 && !this.#isAnyWaiting) return 'quiet';
    for (const due of found.filter(({ due_at, claim }) => due_at <= now && claims.isFree(claim))) {
      const work = claims.under((claim) => domains.claim(due, claim), (claimed) => this.#settle(claimed))
        .catch((error: unknown) => log.warn({ err: error, domain: due._id }, 'could not look up a domain'))
        .finally(() => {
          this.#underWay.delete(work);
          this.#looking.look();
        });
      this.#underWay.add(work);
    }
  }

  async #settle(doc: DomainDoc): Promise<void> {
    const { domains, monitors, clock, lookUp } = this.#deps;
    if (!(await monitors.watchDomain(doc._id))) return domains.forget(doc);
    const lookup = this.#isStopped ? null : await lookUp(doc._id);
    // What was cut off says nothing about the domain: the next controller looks it up.
    if (lookup === null || (this.#isStopped && lookup.kind === 'failed')) {
      return void await domains.settle(doc, { due_at: doc.due_at });
    }
    this.counts[lookup.kind] += 1;
    if (lookup.kind === 'busy') return void await domains.settle(doc, { due_at: this.#queueUp(lookup.server) });
    const { due_at, ...facts } = afterLookup(doc, lookup, clock.now());
    if (facts.expires_at === doc.told) return void await domains.settle(doc, { ...facts, due_at });
    // First what is read, then who reads it: a monitor's next configuration has the new expiry.
    if (!(await domains.note(doc, facts))) return;
    await monitors.retellDomain(doc._id);
    await domains.settle(doc, { told: facts.expires_at, due_at });
  }

  get #isAnyWaiting(): boolean {
    const now = this.#deps.clock.now();
    return [...this.#queues.values()].some((until) => until > now);
  }

  /** When the next domain that waits for the server may be looked up, Unix ms. */
  #queueUp(server: string): number {
    const now = this.#deps.clock.now();
    if (this.#queues.size >= MOST_SERVERS) {
      for (const [name, until] of this.#queues) if (until <= now) this.#queues.delete(name);
    }
    const at = Math.max(now, this.#queues.get(server) ?? 0) + BETWEEN_MS;
    this.#queues.set(server, at);
    return at;
  }
}
