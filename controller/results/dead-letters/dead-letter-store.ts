import type { Collection, Db } from 'mongodb';
import { ensureIndexes } from '../../platform/mongo/indexes.ts';
import type { DeadLetter } from './dead-letter.ts';
import { insertMissing } from '../../platform/mongo/mongo-errors.ts';

type DeadLetterDoc = Omit<DeadLetter, 'id'> & { _id: string };

/** Collection `dead_letters`: rejected input with its reason, for the operator. */
export class DeadLetterStore {
  readonly #letters: Collection<DeadLetterDoc>;

  constructor(db: Db) {
    this.#letters = db.collection<DeadLetterDoc>('dead_letters');
  }

  async ensureIndexes(): Promise<void> {
    // Removes old ones.
    await ensureIndexes(this.#letters, [{ key: { at: 1 }, name: 'age' }]);
  }

  /** Removes at most `limit` letters written before `before`, Unix ms; returns their number. */
  async removeOlder(before: number, limit: number): Promise<number> {
    const aged = this.#letters.find({ at: { $lt: before } }).sort({ at: 1 }).limit(limit);
    const ids = (await aged.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
    if (ids.length > 0) await this.#letters.deleteMany({ _id: { $in: ids } });
    return ids.length;
  }

  /** Skips letters that already exist. */
  async add(letters: DeadLetter[]): Promise<void> {
    const docs = new Map(letters.map(({ id, ...rest }) => [id, { _id: id, ...rest }]));
    await insertMissing(this.#letters, [...docs.values()]);
  }
}
