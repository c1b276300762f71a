import type { Db } from 'mongodb';
import { Documents, removeOlder } from '../platform/mongo/documents.ts';
import type { Alert } from '../verdicts/effect.ts';
import type { HeldAlert, HeldAlertDoc, HoldChange, OutageEvent } from './held-alert.ts';

const WITHOUT_ALERT = { projection: { alert: 0 } } as const;

/** Collection `held_alerts`. */
export class HeldAlertStore extends Documents<HeldAlertDoc> {
  constructor(db: Db) {
    super(db, 'held_alerts', [
      // Finds alerts to decide on, about every second while there are any.
      { key: { due_at: 1 }, name: 'due', sparse: true },
      // Finds the alert that a recovery ends.
      { key: { monitor_id: 1, event: 1, held_at: -1 }, name: 'by_monitor' },
      // Removes those that were settled long ago.
      { key: { settled_at: 1 }, name: 'settled', sparse: true },
    ]);
  }

  /** Alerts of these shards that are due by `until`, Unix ms, longest overdue first. */
  due(shards: number[], until: number, limit: number): Promise<HeldAlert[]> {
    const due = this.all.find({ due_at: { $lte: until }, shard: { $in: shards } }, WITHOUT_ALERT);
    return due.sort({ due_at: 1 }).limit(limit).toArray();
  }

  /** Those of `ids` with something left to do. */
  async unsettled(ids: string[]): Promise<HeldAlert[]> {
    if (ids.length === 0) return [];
    return this.all.find({ _id: { $in: ids }, due_at: { $gt: 0 } }, WITHOUT_ALERT).toArray();
  }

  /** Null if it does not exist. */
  async alertOf(id: string): Promise<Alert | null> {
    const found = await this.findOne({ _id: id });
    return found && JSON.parse(found.alert) as Alert;
  }

  /** The monitor's latest alert of this event; null if none was ever held. */
  async latest(monitorId: string, event: OutageEvent): Promise<HeldAlert | null> {
    const all = this.all.find({ monitor_id: monitorId, event }, WITHOUT_ALERT);
    return (await all.sort({ held_at: -1 }).limit(1).toArray())[0] ?? null;
  }

  /** False if it is no longer held. */
  keep(id: string, { recovered_at, ...change }: HoldChange): Promise<boolean> {
    const recovery = typeof recovered_at === 'number' ? { recovered_at } : {};
    const $unset = { recovered_at: '' } as const;
    return this.update({ _id: id, status: 'held' }, {
      $set: { ...change, ...recovery }, ...(recovered_at === null ? { $unset } : {}),
    });
  }

  /** Those of `ids` that are still held are due again at `dueAt`, Unix ms. */
  async postpone(ids: string[], dueAt: number): Promise<void> {
    if (ids.length === 0) return;
    await this.all.updateMany({ _id: { $in: ids }, status: 'held' }, { $set: { due_at: dueAt } });
  }

  /** From now on it must be sent, whoever does it. False if it is no longer held. */
  release(id: string): Promise<boolean> {
    return this.update({ _id: id, status: 'held' }, { $set: { status: 'released' } });
  }

  /** Ends it without an alert. False if it is no longer held. */
  end(id: string, now: number): Promise<boolean> {
    return this.update(
      { _id: id, status: 'held' }, { $set: { status: 'ended', settled_at: now }, $unset: { due_at: '' } },
    );
  }

  /** Records that a released alert was sent. */
  async settle(id: string, now: number): Promise<void> {
    await this.update({ _id: id }, { $set: { settled_at: now }, $unset: { due_at: '' } });
  }

  /** Records the alert that ended the outage, unless another one did. */
  async addRecovery(id: string, recoveryId: string): Promise<void> {
    await this.update({ _id: id, recovery_id: { $exists: false } }, { $set: { recovery_id: recoveryId } });
  }

  /** Removes up to `limit` alerts settled before `before`, Unix ms; returns how many. */
  removeSettled(before: number, limit: number): Promise<number> {
    return removeOlder(this.all, before, limit, 'settled_at');
  }
}
