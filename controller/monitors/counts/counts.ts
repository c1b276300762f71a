import type { Tenant } from '../../accounts/tenant.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock, Timer } from '../../../shared/time.ts';
import { recount, type Counts } from './count-rules.ts';
import type { CountDoc, CountStore } from './count-store.ts';

const SWEEP_EVERY_MS = 1000;
/** Monitors in one step. */
const AT_ONCE = 500;
/** Marks that a sweep looks at to find projects. */
const SWEPT_AT_ONCE = 1000;
/** Each lost step is one that somebody else has done. */
const MOST_STEPS = 1000;

/** What the counting needs of its collection; by CountStore. */
export type CountRepository = Pick<CountStore, 'find' | 'replace' | 'hasUncounted' | 'uncounted' | 'uncountedProjects' | 'markUnseen' | 'note'>;

interface Settling {
  current: Promise<void>;
  next: Promise<void> | null;
}

/**
 * Exact counts of a project's monitors without counting them. A write of a monitor leaves a mark on it. A step reads the
 * counts, then the marked monitors, and writes the counts back if nobody else did meanwhile, naming the monitors and
 * revisions that it took in; then it notes that on the monitors. Whoever comes after a crash finds these names and notes
 * them first, so nothing is counted twice or left out. Readers take in what is marked before they read.
 */
export class MonitorCounts {
  readonly #store: CountRepository;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #settling = new Map<string, Settling>();
  #timer: Timer | null = null;
  #sweep: Promise<void> | null = null;

  constructor(deps: { store: CountRepository; clock: Clock; log: Log }) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  /** From now on marks that writers left are taken in about every second. */
  start(): void {
    this.#timer = this.#clock.setRepeating(SWEEP_EVERY_MS, () => {
      this.#sweep ??= this.#sweepOnce()
        .catch((error: unknown) => this.#log.warn({ err: error }, 'monitors could not be counted'))
        .finally(() => {
          this.#sweep = null;
        });
    });
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#sweep;
  }

  /** The counts with every write in them that had ended when this was called. */
  async read(tenant: Tenant): Promise<Counts> {
    if (await this.#store.hasUncounted(tenant.projectId)) await this.settle(tenant);
    const found = await this.#store.find(tenant);
    if (found !== null) return found;
    await this.settle(tenant);
    return (await this.#store.find(tenant)) ?? firstCounts(tenant);
  }

  /** Takes in what is marked by now. Those who ask while it runs share one more run after it. */
  settle(tenant: Tenant): Promise<void> {
    const running = this.#settling.get(tenant.projectId);
    if (running) {
      running.next ??= running.current.catch(() => undefined).then(() => this.#begin(tenant));
      return running.next;
    }
    return this.#begin(tenant);
  }

  #begin(tenant: Tenant): Promise<void> {
    const settling: Settling = { current: this.#settleAll(tenant), next: null };
    this.#settling.set(tenant.projectId, settling);
    const forget = () => {
      if (settling.next === null) this.#settling.delete(tenant.projectId);
    };
    settling.current.then(forget, forget);
    return settling.current;
  }

  async #settleAll(tenant: Tenant): Promise<void> {
    let noted = -1;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const found = await this.#store.find(tenant);
      if (found === null) await this.#store.markUnseen(tenant);
      else if (found.version !== noted) await this.#store.note(found.applied);
      // Read after the counts: a step in between makes the write below fail.
      const marked = await this.#store.uncounted(tenant.projectId, AT_ONCE);
      if (marked.length === 0 && found !== null) return;
      const next = nextCounts(found ?? firstCounts(tenant), marked);
      if (!(await this.#store.replace(next))) continue;
      await this.#store.note(next.applied);
      noted = next.version;
      if (marked.length < AT_ONCE) return;
    }
    throw new Error('the counts of a project are changed faster than they can be taken in');
  }

  async #sweepOnce(): Promise<void> {
    for (const tenant of await this.#store.uncountedProjects(SWEPT_AT_ONCE)) await this.settle(tenant);
  }
}

function firstCounts({ projectId, organizationId }: Tenant): CountDoc {
  return { _id: projectId, organization_id: organizationId, version: 0, applied: [], cells: {}, regions: {}, groups: {} };
}

function nextCounts(doc: CountDoc, marked: Parameters<typeof recount>[1]): CountDoc {
  const { counts, applied } = recount({ cells: doc.cells, regions: doc.regions, groups: doc.groups }, marked);
  return { _id: doc._id, organization_id: doc.organization_id, version: doc.version + 1, ...counts, applied };
}
