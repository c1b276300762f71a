import pLimit from 'p-limit';
import type { Company } from '../../shared/company.ts';
import type { Log } from '../../shared/log.ts';
import { Rounds } from '../../shared/rounds.ts';
import type { Clock } from '../../shared/time.ts';
import type { Claim } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import { MissLimit } from './miss-limit.ts';
import type { AssignmentStore } from './store.ts';

const REFRESH_EVERY_MS = 5000;
const PAIRS_PER_QUERY = 1000;
/** Pairs in memory, some 100 MB; beyond it all are read again. */
const MOST_PAIRS = 1_000_000;
const PRUNE_EVERY_MS = 600_000;
/** Pairs that ended longer ago than this are forgotten, and read again if they are asked for. */
const KEEP_ENDED_MS = 3_600_000;

interface KnownAssignmentsDeps {
  items: Pick<AssignmentStore, 'claimsOf' | 'newerClaims' | 'pendingOf'>;
  heads: Pick<HeadStore, 'list'>;
  /** Whether this controller takes results of the monitor. */
  isOurs(monitorId: string): boolean;
  clock: Clock;
  log: Log;
  company?: Company;
}

interface Request {
  probeId: string;
  monitorIds: string[];
  answer(found: Map<string, number | null>): void;
  fail(error: unknown): void;
}

/**
 * Which probe has, or had, which monitor, for callers that cannot wait for the database: pairs that were
 * asked for, kept up to date by the revisions of the probes' sets. A read finds an assignment before its
 * probe is told of it.
 */
export class KnownAssignments {
  /** Monitors looked up in the database since the start, and results left waiting by the limit of misses. */
  readonly counts = { looked_up: 0, declined: 0 };
  readonly #deps: KnownAssignmentsDeps;
  readonly #rounds: Rounds;
  readonly #misses: MissLimit;
  /** By probe and monitor: when the probe lost it, Unix ms; Infinity while it has it. */
  readonly #pairs = new Map<string, Map<string, number>>();
  #size = 0;
  /** The revision of each probe's set up to which its pairs are known; null before the first round. */
  #revisions: Map<string, number> | null = null;
  /** One query at a time, so that no answer overtakes a newer one. */
  readonly #turn = pLimit(1);
  #requests: Request[] = [];
  #prunedAtMono: number;

  constructor(deps: KnownAssignmentsDeps) {
    this.#deps = deps;
    this.#misses = new MissLimit(deps.log);
    this.#prunedAtMono = deps.clock.monotonic();
    this.#rounds = new Rounds({
      clock: deps.clock,
      everyMs: REFRESH_EVERY_MS,
      quietMs: REFRESH_EVERY_MS,
      company: deps.company,
      round: () => this.#refresh(),
      onFailed: (error) => deps.log.warn({ err: error }, 'could not read changed assignments'),
    });
  }

  async start(): Promise<void> {
    await this.#rounds.run();
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Assignments were changed: they are read within some seconds. */
  soon(): void {
    this.#rounds.soon();
  }

  /**
   * When a probe lost a monitor, Unix ms; Infinity while it has it; undefined when that is not known here. At
   * most some seconds old.
   */
  until(probeId: string, monitorId: string): number | undefined {
    return this.#pairs.get(probeId)?.get(monitorId);
  }

  /** The revision of a probe's set, at most some seconds old; 0 if it was never given anything. */
  revisionOf(probeId: string): number {
    return this.#revisions?.get(probeId) ?? 0;
  }

  /**
   * Reads pairs, by monitor as in `until`, null for one that never was. Rejects when the database gives no
   * answer. Returns null, and reads nothing, when the probe was asked about too often in vain.
   */
  read(probeId: string, monitorIds: string[]): Promise<Map<string, number | null>> | null {
    if (!this.#misses.admits(probeId, this.#deps.clock.monotonic())) {
      this.counts.declined += 1;
      return null;
    }
    return new Promise((answer, fail) => {
      this.#requests.push({ probeId, monitorIds, answer, fail });
      void this.#turn(() => this.#readSome());
    });
  }

  /** Answers as many requests as fit into a query; the others have a turn of their own. */
  async #readSome(): Promise<void> {
    let pairs = 0;
    const isWithin = ({ monitorIds }: Request) => (pairs += monitorIds.length) <= PAIRS_PER_QUERY;
    const beyond = this.#requests.findIndex((request, index) => !isWithin(request) && index > 0);
    const requests = this.#requests.splice(0, beyond === -1 ? this.#requests.length : beyond);
    if (requests.length === 0) return;
    try {
      const wanted = requests.flatMap(({ probeId, monitorIds }) =>
        monitorIds.map((monitorId) => ({ probeId, monitorId })));
      this.counts.looked_up += wanted.length;
      for (const claim of await this.#deps.items.claimsOf(wanted)) this.#note(claim);
      for (const request of requests) this.#answer(request);
    } catch (error) {
      for (const { fail } of requests) fail(error);
    }
  }

  #answer({ probeId, monitorIds, answer }: Request): void {
    const found = new Map(monitorIds.map((id) => [id, this.until(probeId, id) ?? null]));
    const misses = [...found.values()].filter((until) => until !== Infinity).length;
    const strangers = [...found.values()].filter((until) => until === null).length;
    this.#misses.charge(probeId, { misses, strangers }, this.#deps.clock.monotonic());
    answer(found);
  }

  async #refresh(): Promise<'quiet'> {
    const heads = await this.#deps.heads.list();
    const known = (this.#revisions ??= heads);
    for (const probeId of [...this.#pairs.keys(), ...known.keys()]) {
      if (heads.has(probeId)) continue;
      this.#forget(probeId);
      known.delete(probeId);
    }
    for (const [probeId, head] of heads) {
      const from = known.get(probeId) ?? 0;
      // A lower revision than before: the database was restored.
      if (head < from) this.#forget(probeId);
      if (head > from) await this.#turn(() => this.#follow(probeId, from));
      known.set(probeId, head);
    }
    this.#prune();
    return 'quiet';
  }

  /** Takes a probe's changes after a revision: pending ones first, since those may be numbered meanwhile. */
  async #follow(probeId: string, from: number): Promise<void> {
    const { items } = this.#deps;
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: Claim[] = await items.pendingOf(probeId, after, PAIRS_PER_QUERY);
      for (const claim of page) this.#noteChange(claim);
      after = page.length < PAIRS_PER_QUERY ? undefined : page.at(-1)?.monitor_id;
    }
    for (let place: { rev: number; monitorId: string } | null = { rev: from + 1, monitorId: '' }; place;) {
      const page: Claim[] = await items.newerClaims(probeId, place, PAIRS_PER_QUERY);
      for (const claim of page) this.#noteChange(claim);
      const last: Claim | undefined = page.length < PAIRS_PER_QUERY ? undefined : page.at(-1);
      place = last ? { rev: last.rev, monitorId: last.monitor_id } : null;
    }
  }

  #noteChange(claim: Claim): void {
    const isKnown = this.until(claim.probe_id, claim.monitor_id) !== undefined;
    if (isKnown || this.#deps.isOurs(claim.monitor_id)) this.#note(claim);
  }

  #note({ probe_id: probeId, monitor_id: monitorId, gone, changed_at: changedAt }: Claim): void {
    if (this.#size >= MOST_PAIRS) {
      this.#pairs.clear();
      this.#size = 0;
    }
    let pairs = this.#pairs.get(probeId);
    if (!pairs) this.#pairs.set(probeId, (pairs = new Map()));
    if (!pairs.has(monitorId)) this.#size += 1;
    pairs.set(monitorId, gone ? changedAt : Infinity);
  }

  #forget(probeId: string): void {
    this.#size -= this.#pairs.get(probeId)?.size ?? 0;
    this.#pairs.delete(probeId);
  }

  /** Forgets pairs of monitors that another controller has, and those that ended long ago. */
  #prune(): void {
    const { clock, isOurs } = this.#deps;
    const now = clock.monotonic();
    if (now - this.#prunedAtMono < PRUNE_EVERY_MS) return;
    this.#prunedAtMono = now;
    const endedBefore = clock.now() - KEEP_ENDED_MS;
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
