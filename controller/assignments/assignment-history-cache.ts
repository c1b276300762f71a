import PQueue from 'p-queue';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { AssignmentHistoryEntry } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import { MissLimit } from './miss-limit.ts';
import type { AssignmentStore } from './store.ts';

const REFRESH_INTERVAL_MS = 5000;
const PAIRS_PER_QUERY = 1000;
/** Limit of pairs in memory, about 100 MB. The cache is cleared when it is full. */
const MAX_PAIRS = 1_000_000;
const PRUNE_INTERVAL_MS = 600_000;
/** Pairs that ended longer ago than this are evicted, and read again on demand. */
const ENDED_PAIR_TTL_MS = 3_600_000;

interface AssignmentHistoryCacheDeps {
  items: Pick<AssignmentStore, 'historyOf' | 'newerHistory' | 'pendingOf'>;
  heads: Pick<HeadStore, 'list'>;
  /** Whether this controller processes the monitor's results. */
  isOurs(monitorId: string): boolean;
  clock: Clock;
  log: Log;
  peers?: Peers;
}

interface PairRequest {
  probeId: string;
  monitorIds: string[];
  resolve(found: Map<string, number | null>): void;
  reject(error: unknown): void;
}

/**
 * Caches which probe has, or had, which monitor, for callers that cannot wait for the database. Holds the
 * requested pairs and follows the revisions of the probes' sets. A read sees an assignment before its probe
 * receives it.
 */
export class AssignmentHistoryCache {
  /** Since the start: monitors looked up in the database, and results deferred by the miss limit. */
  readonly counts = { lookups: 0, declined: 0 };
  readonly #deps: AssignmentHistoryCacheDeps;
  readonly #refreshTask: PeriodicTask;
  readonly #missLimit: MissLimit;
  /** By probe and monitor: when the probe lost the monitor, Unix ms; Infinity while it has it. */
  readonly #pairs = new Map<string, Map<string, number>>();
  #size = 0;
  /** The revision up to which each probe's pairs are cached; null before the first poll. */
  #revisions: Map<string, number> | null = null;
  /** One query at a time, so that no response overtakes a newer one. */
  readonly #queries = new PQueue({ concurrency: 1 });
  #requests: PairRequest[] = [];
  #prunedAtMono: number;

  constructor(deps: AssignmentHistoryCacheDeps) {
    this.#deps = deps;
    this.#missLimit = new MissLimit(deps.log);
    this.#prunedAtMono = deps.clock.monotonic();
    this.#refreshTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: REFRESH_INTERVAL_MS,
      idleIntervalMs: REFRESH_INTERVAL_MS,
      peers: deps.peers,
      task: () => this.#refresh(),
      onError: (error) => deps.log.warn({ err: error }, 'could not read changed assignments'),
    });
  }

  async start(): Promise<void> {
    await this.#refreshTask.run();
    this.#refreshTask.start();
  }

  stop(): Promise<void> {
    return this.#refreshTask.stop();
  }

  /** Reads changed assignments within a few seconds. */
  refreshWithinInterval(): void {
    this.#refreshTask.triggerWithinInterval();
  }

  /**
   * When a probe lost a monitor, Unix ms; Infinity while it has it; undefined if not cached. At most a few
   * seconds old.
   */
  until(probeId: string, monitorId: string): number | undefined {
    return this.#pairs.get(probeId)?.get(monitorId);
  }

  /** The revision of a probe's set, at most a few seconds old; 0 if it was never assigned anything. */
  revisionOf(probeId: string): number {
    return this.#revisions?.get(probeId) ?? 0;
  }

  /**
   * Reads pairs by monitor, with values as in `until`; null for a pair that never existed. Rejects if the
   * database does not respond. Returns null without reading if the probe has exceeded its miss limit.
   */
  read(probeId: string, monitorIds: string[]): Promise<Map<string, number | null>> | null {
    if (!this.#missLimit.admits(probeId, this.#deps.clock.monotonic())) {
      this.counts.declined += 1;
      return null;
    }
    return new Promise((resolve, reject) => {
      this.#requests.push({ probeId, monitorIds, resolve, reject });
      void this.#queries.add(() => this.#readBatch());
    });
  }

  /** Resolves as many requests as fit into one query and leaves the others for the next. */
  async #readBatch(): Promise<void> {
    // The requests of one batch of results arrive together.
    await Promise.resolve();
    let pairs = 0;
    const fitsInQuery = ({ monitorIds }: PairRequest) => (pairs += monitorIds.length) <= PAIRS_PER_QUERY;
    const batchEnd = this.#requests.findIndex((request, index) => !fitsInQuery(request) && index > 0);
    const requests = this.#requests.splice(0, batchEnd === -1 ? this.#requests.length : batchEnd);
    if (requests.length === 0) return;
    try {
      const wanted = requests.flatMap(({ probeId, monitorIds }) =>
        monitorIds.map((monitorId) => ({ probeId, monitorId })));
      this.counts.lookups += wanted.length;
      for (const entry of await this.#deps.items.historyOf(wanted)) this.#record(entry);
      for (const request of requests) this.#respond(request);
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  }

  #respond({ probeId, monitorIds, resolve }: PairRequest): void {
    const found = new Map(monitorIds.map((id) => [id, this.until(probeId, id) ?? null]));
    const misses = [...found.values()].filter((until) => until !== Infinity).length;
    const neverAssigned = [...found.values()].filter((until) => until === null).length;
    this.#missLimit.charge(probeId, { misses, neverAssigned }, this.#deps.clock.monotonic());
    resolve(found);
  }

  async #refresh(): Promise<'idle'> {
    const heads = await this.#deps.heads.list();
    const revisions = (this.#revisions ??= heads);
    for (const probeId of [...this.#pairs.keys(), ...revisions.keys()]) {
      if (heads.has(probeId)) continue;
      this.#evict(probeId);
      revisions.delete(probeId);
    }
    for (const [probeId, head] of heads) {
      const from = revisions.get(probeId) ?? 0;
      // A lower revision means that the database was restored.
      if (head < from) this.#evict(probeId);
      if (head > from) await this.#queries.add(() => this.#readChanges(probeId, from));
      revisions.set(probeId, head);
    }
    this.#prune();
    return 'idle';
  }

  /**
   * Reads a probe's changes after a revision. Pending ones come first, because they may be numbered
   * meanwhile.
   */
  async #readChanges(probeId: string, from: number): Promise<void> {
    const { items } = this.#deps;
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: AssignmentHistoryEntry[] = await items.pendingOf(probeId, after, PAIRS_PER_QUERY);
      for (const entry of page) this.#recordChange(entry);
      after = page.length < PAIRS_PER_QUERY ? undefined : page.at(-1)?.monitor_id;
    }
    for (let cursor: { rev: number; monitorId: string } | null = { rev: from + 1, monitorId: '' }; cursor;) {
      const page: AssignmentHistoryEntry[] = await items.newerHistory(probeId, cursor, PAIRS_PER_QUERY);
      for (const entry of page) this.#recordChange(entry);
      const isLastPage = page.length < PAIRS_PER_QUERY;
      const last: AssignmentHistoryEntry | undefined = isLastPage ? undefined : page.at(-1);
      cursor = last ? { rev: last.rev, monitorId: last.monitor_id } : null;
    }
  }

  #recordChange(entry: AssignmentHistoryEntry): void {
    const isCached = this.until(entry.probe_id, entry.monitor_id) !== undefined;
    if (isCached || this.#deps.isOurs(entry.monitor_id)) this.#record(entry);
  }

  #record(entry: AssignmentHistoryEntry): void {
    const { probe_id: probeId, monitor_id: monitorId, gone, changed_at: changedAt } = entry;
    if (this.#size >= MAX_PAIRS) {
      this.#pairs.clear();
      this.#size = 0;
    }
    let pairs = this.#pairs.get(probeId);
    if (!pairs) this.#pairs.set(probeId, (pairs = new Map()));
    if (!pairs.has(monitorId)) this.#size += 1;
    pairs.set(monitorId, gone ? changedAt : Infinity);
  }

  #evict(probeId: string): void {
    this.#size -= this.#pairs.get(probeId)?.size ?? 0;
    this.#pairs.delete(probeId);
  }

  /** Evicts pairs of monitors that another controller owns, and pairs that ended long ago. */
  #prune(): void {
    const { clock, isOurs } = this.#deps;
    const now = clock.monotonic();
    if (now - this.#prunedAtMono < PRUNE_INTERVAL_MS) return;
    this.#prunedAtMono = now;
    const endedBefore = clock.now() - ENDED_PAIR_TTL_MS;
    for (const [probeId, pairs] of this.#pairs) {
      for (const [monitorId, until] of pairs) {
        if (until >= endedBefore && isOurs(monitorId)) continue;
        pairs.delete(monitorId);
        this.#size -= 1;
      }
      if (pairs.size === 0) this.#pairs.delete(probeId);
    }
  }
}
