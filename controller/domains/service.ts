import PQueue from 'p-queue';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import { DueWork } from '../work/claimed-work.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { DomainDoc, Lookup } from './domain.ts';
import { afterLookup, DAY_MS } from './lookup-rules.ts';
import type { DomainStore } from './store.ts';
import { QUERY_INTERVAL_MS, type TurnStore } from './turn-store.ts';

/** What lookups need of monitors. */
export interface DomainMonitors {
  /** Whether an existing monitor uses the domain. */
  isDomainMonitored(domain: string): Promise<boolean>;
  /** Journals the configurations of the domain's monitors again, which then include its expiry. */
  rejournalDomain(domain: string): Promise<void>;
}

interface DomainLookupsDeps {
  domains: DomainStore;
  turns: TurnStore;
  monitors: DomainMonitors;
  lookUp(domain: string): Promise<Lookup>;
  /** Aborts running lookups. */
  abortLookups(): Promise<void>;
  clock: Clock;
  log: Log;
  peers?: Peers;
  /** This controller's name. */
  holder: string;
}

const POLL_INTERVAL_MS = 1000;
/** Poll interval while no domain is due or waits for its server. */
const IDLE_INTERVAL_MS = 5000;
const CLEANUP_INTERVAL_MS = 3_600_000;
/** Concurrent lookups; further ones wait in the database. */
const MAX_CONCURRENT_LOOKUPS = 4;
/** Longer than any lookup takes. */
const CLAIM_TTL_MS = 300_000;
/** Servers whose queues are remembered. Beyond it, expired queues are dropped. */
const MAX_SERVER_QUEUES = 1000;

/** Looks up each due domain once for all monitors. Controllers share the work by claims. */
export class DomainLookups {
  /** Lookups since the start, by outcome. */
  readonly counts = { found: 0, unsupported: 0, failed: 0, busy: 0 };
  readonly #deps: DomainLookupsDeps;
  readonly #polling: PeriodicTask;
  readonly #cleanup: PeriodicTask;
  readonly #work: DueWork<DomainDoc>;
  readonly #running = new PQueue({ concurrency: MAX_CONCURRENT_LOOKUPS });
  /** Per server, the end of its queue of waiting domains, Unix ms. */
  readonly #queues = new Map<string, number>();
  #isStopped = false;

  constructor(deps: DomainLookupsDeps) {
    this.#deps = deps;
    const { domains, clock, log, turns, peers, holder } = deps;
    this.#work = new DueWork({ clock, holder, ttlMs: CLAIM_TTL_MS, store: domains });
    this.#polling = new PeriodicTask({
      clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_INTERVAL_MS, peers, task: () => this.#poll(),
      onError: (error) => log.warn({ err: error }, 'could not look up domains'),
    });
    this.#cleanup = new PeriodicTask({
      clock, intervalMs: CLEANUP_INTERVAL_MS, task: () => turns.removeOlder(clock.now() - DAY_MS),
      onError: (error) => log.warn({ err: error }, 'could not remove old query slots of domain servers'),
    });
  }

  start(): void {
    this.#polling.start();
    this.#cleanup.start();
  }

  /** Polls now, because a domain may be new. */
  triggerPoll(): void {
    this.#polling.triggerWithinInterval();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#polling.stop(), this.#cleanup.stop()]);
    await this.#deps.abortLookups();
    await this.#running.onIdle();
  }

  async #poll(): Promise<void | 'idle'> {
    const { log } = this.#deps;
    const capacity = MAX_CONCURRENT_LOOKUPS - this.#running.pending;
    if (capacity <= 0) return;
    const { free, next } = await this.#work.find(capacity);
    if (next === 'idle' && !this.#isAnyWaiting) return 'idle';
    for (const due of free) {
      void this.#running.add(() => this.#work.run(due, (doc) => this.#settle(doc)))
        .catch((error: unknown) => log.warn({ err: error, domain: due._id }, 'could not look up a domain'))
        .finally(() => this.#polling.trigger());
    }
  }

  async #settle(doc: DomainDoc): Promise<void> {
    const { domains, monitors, clock, lookUp } = this.#deps;
    if (!(await monitors.isDomainMonitored(doc._id))) return domains.removeUnused(doc);
    const lookup = this.#isStopped ? null : await lookUp(doc._id);
    // An aborted lookup says nothing about the domain. The next controller repeats it.
    if (lookup === null || (this.#isStopped && lookup.kind === 'failed')) {
      return void await domains.settle(doc, { due_at: doc.due_at });
    }
    this.counts[lookup.kind] += 1;
    if (lookup.kind === 'busy') return void await domains.settle(doc, { due_at: this.#queueUp(lookup.server) });
    const { due_at, ...facts } = afterLookup(doc, lookup, clock.now());
    if (facts.expires_at === doc.published_expires_at) {
      return void await domains.settle(doc, { ...facts, due_at });
    }
    // Saves the facts before it notifies the monitors: their next configuration reads the new expiry.
    if (!(await domains.saveFacts(doc, facts))) return;
    await monitors.rejournalDomain(doc._id);
    await domains.settle(doc, { published_expires_at: facts.expires_at, due_at });
  }

  get #isAnyWaiting(): boolean {
    const now = this.#deps.clock.now();
    return [...this.#queues.values()].some((until) => until > now);
  }

  /** When the next domain waiting for the server may be looked up, Unix ms. */
  #queueUp(server: string): number {
    const now = this.#deps.clock.now();
    if (this.#queues.size >= MAX_SERVER_QUEUES) {
      for (const [name, until] of this.#queues) if (until <= now) this.#queues.delete(name);
    }
    const at = Math.max(now, this.#queues.get(server) ?? 0) + QUERY_INTERVAL_MS;
    this.#queues.set(server, at);
    return at;
  }
}
