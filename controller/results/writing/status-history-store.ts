import type { Collection, Db } from 'mongodb';
import type { StatusChange } from '../../verdicts/monitor-state.ts';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import { restoring } from '../../platform/mongo/documents.ts';
import { insertMissing } from '../../platform/mongo/mongo-errors.ts';
import type { StatusHistory } from './monitor-writes.ts';

type StatusChangeDoc = Omit<StatusChange, 'id'> & { _id: string };

const restoreChange = restoring<StatusChangeDoc>({ incident_id: null });

/** Collection `status_changes`: every change of a monitor's status. */
export class MongoStatusHistory implements StatusHistory {
  readonly #changes: Collection<StatusChangeDoc>;

  constructor(db: Db) {
    this.#changes = db.collection<StatusChangeDoc>('status_changes');
  }

  async ensureIndexes(): Promise<void> {
    // The history of one monitor, newest first.
    await ensureIndexes(this.#changes, [{ key: { monitor_id: 1, at: -1 }, name: 'by_monitor' }]);
  }

  /** A monitor's changes before a given time, newest first, and the change that ended the latest of them. */
  async before(
    monitorId: string, before: number, limit: number,
  ): Promise<{ changes: StatusChange[]; next: StatusChange | null }> {
    const monitor = { monitor_id: monitorId };
    const [found, [next]] = await Promise.all([
      this.#changes.find({ at: { $lt: before }, ...monitor }).sort({ at: -1 }).limit(limit).toArray(),
      this.#changes.find({ at: { $gte: before }, ...monitor }).sort({ at: 1 }).limit(1).toArray(),
    ]);
    return { changes: found.map(toChange), next: next ? toChange(next) : null };
  }

  /** A monitor's changes in `from` ≤ time < `to` (Unix ms), oldest first, and the last one before. */
  async between(monitorId: string, from: number, to: number, limit: number): Promise<StatusChange[]> {
    const of = { monitor_id: monitorId };
    const [found, last] = await Promise.all([
      this.#changes.find({ at: { $gte: from, $lt: to }, ...of }).sort({ at: 1 }).limit(limit).toArray(),
      this.#changes.find({ at: { $lt: from }, ...of }).sort({ at: -1 }).limit(1).toArray(),
    ]);
    return [...last, ...found].map(toChange);
  }

  async add({ id, ...change }: StatusChange): Promise<void> {
    await insertMissing(this.#changes, [{ _id: id, ...change }]);
  }
}

function toChange(doc: StatusChangeDoc): StatusChange {
  const { _id, ...change } = restoreChange(doc);
  return { id: _id, ...change };
}
