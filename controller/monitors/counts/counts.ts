import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Tenant } from '../../access/tenant.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import { recount, type Counts } from './count-rules.ts';
import type { CountDoc, CountStore } from './count-store.ts';

const SWEEP_INTERVAL_MS = 1000;
/** Used while nothing is marked. Reads do not depend on it, because they settle marks first. */
const IDLE_INTERVAL_MS = 30_000;
const BATCH_SIZE = 500;
/** Marked monitors that a sweep reads to find projects. */
const MARKS_PER_SWEEP = 1000;
/** Attempts before counting gives up. Each lost step was done by another process. */
const MAX_STEPS = 1000;

interface Settling {
  current: Promise<void>;
  next: Promise<void> | null;
}

/**
 * Exact counts without counting all monitors. Writes mark monitors. A step adds the marked monitors to the
 * counts in one conditional write that also lists them, then records it on each. After a crash, the next step
 * first records that list, so nothing is counted twice. Reads settle all marks first.
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

  /** Starts to count marked monitors periodically. */
  start(): void {
    this.#sweep.start();
  }

  stop(): Promise<void> {
    return this.#sweep.stop();
  }

  /** Includes every write that completed before this call. */
  async read(tenant: Tenant): Promise<Counts> {
    if (await this.#store.hasUncounted(tenant.projectId)) await this.settle(tenant);
    const found = await this.#store.find(tenant);
    if (found !== null) return found;
    await this.settle(tenant);
    return (await this.#store.find(tenant)) ?? firstCounts(tenant);
  }

  /** Counts all marked monitors. Calls during a run share one more run after it. */
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
      // Read after the counts, so that a step in between makes the write below fail.
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
    throw new Error('the monitor counts of a project change faster than they can be updated');
  }
}

function firstCounts({ projectId: _id, organizationId: organization_id }: Tenant): CountDoc {
  return { _id, organization_id, version: 0, applied: [], cells: {}, regions: {}, groups: {} };
}
