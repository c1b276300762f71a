import type { Log } from '../../../shared/log.ts';
import { PeriodicTask } from '../../../shared/periodic-task.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import { recount, type Counts } from './count-rules.ts';
import type { CountDoc, CountStore } from './count-store.ts';

const SWEEP_INTERVAL_MS = 1000;
/** While nothing is marked; who reads counts settles their marks first. */
const IDLE_INTERVAL_MS = 30_000;
const BATCH_SIZE = 500;
/** Marks that a sweep reads to find projects. */
const MARKS_PER_SWEEP = 1000;
/** Attempts before counting gives up; each lost step was done by another process. */
const MAX_STEPS = 1000;

interface Settling {
  current: Promise<void>;
  next: Promise<void> | null;
}

/**
 * Exact counts of a project's monitors without counting them all. A write of a monitor leaves a mark on it. A
 * step reads the counts, then the marked monitors, writes the counts back with the names and revisions of
 * these monitors if nobody else has, and then notes it on the monitors. After a crash the next step finds
 * these names and notes them first, so that nothing is counted twice or missed. Readers settle the marks
 * before they read.
 */
export class MonitorCounts {
  readonly #store: CountStore;
  readonly #sweep: PeriodicTask;
  readonly #settling = new Map<string, Settling>();

  constructor({ store, clock, log }: { store: CountStore; clock: Clock; log: Log }) {
    this.#store = store;
    this.#sweep = new PeriodicTask({
      clock,
      intervalMs: SWEEP_INTERVAL_MS,
      idleIntervalMs: IDLE_INTERVAL_MS,
      task: async () => {
        const tenants = await store.uncountedProjects(MARKS_PER_SWEEP);
        for (const tenant of tenants) await this.settle(tenant);
        return tenants.length === 0 ? 'idle' : false;
      },
      onError: (error) => log.warn({ err: error }, 'could not count monitors'),
    });
  }

  /** Counts marked monitors every few seconds from now on. */
  start(): void {
    this.#sweep.start();
  }

  stop(): Promise<void> {
    return this.#sweep.stop();
  }

  /** The counts, including every write that had ended when this was called. */
  async read(tenant: Tenant): Promise<Counts> {
    if (await this.#store.hasUncounted(tenant.projectId)) await this.settle(tenant);
    const found = await this.#store.find(tenant);
    if (found !== null) return found;
    await this.settle(tenant);
    return (await this.#store.find(tenant)) ?? firstCounts(tenant);
  }

  /** Counts what is marked now. Calls while this runs share one more run after it. */
  settle(tenant: Tenant): Promise<void> {
    const running = this.#settling.get(tenant.projectId);
    if (!running) return this.#startSettling(tenant);
    running.next ??= running.current.catch(() => undefined).then(() => this.#startSettling(tenant));
    return running.next;
  }

  #startSettling(tenant: Tenant): Promise<void> {
    const settling: Settling = { current: this.#settleAll(tenant), next: null };
    this.#settling.set(tenant.projectId, settling);
    const drop = () => {
      if (settling.next === null) this.#settling.delete(tenant.projectId);
    };
    settling.current.then(drop, drop);
    return settling.current;
  }

  async #settleAll(tenant: Tenant): Promise<void> {
    let recordedVersion = -1;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const found = await this.#store.find(tenant);
      if (found === null) await this.#store.markNeverCounted(tenant);
      else if (found.version !== recordedVersion) await this.#store.recordApplied(found.applied);
      // Read after the counts: a step in between makes the write below fail.
      const marked = await this.#store.uncounted(tenant.projectId, BATCH_SIZE);
      if (marked.length === 0 && found !== null) return;
      const { _id, organization_id, version, cells, regions, groups } = found ?? firstCounts(tenant);
      const { counts, applied } = recount({ cells, regions, groups }, marked);
      const next = { _id, organization_id, version: version + 1, applied, ...counts };
      if (!(await this.#store.replace(next))) continue;
      await this.#store.recordApplied(applied);
      recordedVersion = next.version;
      if (marked.length < BATCH_SIZE) return;
    }
    throw new Error('the counts of a project are changed faster than they can be taken in');
  }
}

function firstCounts({ projectId: _id, organizationId: organization_id }: Tenant): CountDoc {
  return { _id, organization_id, version: 0, applied: [], cells: {}, regions: {}, groups: {} };
}
