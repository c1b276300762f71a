import type { HeldAlert, HeldAlertDoc, HoldChange, OutageEvent } from '../../dependencies/held-alert.ts';
import type { Alert } from '../../verdicts/effect.ts';

/** Held alerts of a rehearsal, in memory. Methods as of the store. */
export class RehearsedHeldAlerts {
  readonly #all = new Map<string, HeldAlertDoc>();
  /** The latest of each monitor and event. */
  readonly #latest = new Map<string, HeldAlertDoc>();
  readonly #due = new Set<HeldAlertDoc>();

  /** Those with something left to do. */
  get due(): ReadonlySet<HeldAlert> {
    return this.#due;
  }

  async insertIfFree(doc: HeldAlertDoc): Promise<boolean> {
    if (this.#all.has(doc._id)) return false;
    this.#all.set(doc._id, doc);
    this.#latest.set(`${doc.monitor_id} ${doc.event}`, doc);
    this.#due.add(doc);
    return true;
  }

  async latest(monitorId: string, event: OutageEvent): Promise<HeldAlert | null> {
    return this.#latest.get(`${monitorId} ${event}`) ?? null;
  }

  async alertOf(id: string): Promise<Alert | null> {
    const found = this.#all.get(id);
    return found ? JSON.parse(found.alert) as Alert : null;
  }

  async keep(id: string, { recovered_at, ...change }: HoldChange): Promise<boolean> {
    const found = this.#held(id);
    if (!found) return false;
    Object.assign(found, change, typeof recovered_at === 'number' ? { recovered_at } : {});
    if (recovered_at === null) delete found.recovered_at;
    return true;
  }

  async postpone(ids: string[], dueAt: number): Promise<void> {
    for (const id of ids) {
      const found = this.#held(id);
      if (found) found.due_at = dueAt;
    }
  }

  async release(id: string): Promise<boolean> {
    const found = this.#held(id);
    if (found) found.status = 'released';
    return found !== null;
  }

  async end(id: string, now: number): Promise<boolean> {
    const found = this.#held(id);
    if (!found) return false;
    found.status = 'ended';
    await this.settle(id, now);
    return true;
  }

  async settle(id: string, now: number): Promise<void> {
    const found = this.#all.get(id);
    if (!found) return;
    found.settled_at = now;
    delete found.due_at;
    this.#due.delete(found);
  }

  async addRecovery(id: string, recoveryId: string): Promise<void> {
    const found = this.#all.get(id);
    if (found) found.recovery_id ??= recoveryId;
  }

  #held(id: string): HeldAlertDoc | null {
    const found = this.#all.get(id);
    return found?.status === 'held' ? found : null;
  }
}
