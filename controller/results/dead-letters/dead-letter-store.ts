import type { Collection, Db } from 'mongodb';
import { removeOlder } from '../../platform/mongo/documents.ts';
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
  removeOlder(before: number, limit: number): Promise<number> {
    return removeOlder(this.#letters, before, limit, 'at');
  }

  /** Skips letters that already exist. */
  async add(letters: DeadLetter[]): Promise<void> {
    const docs = new Map(letters.map(({ id, ...rest }) => [id, { _id: id, ...rest }]));
    await insertMissing(this.#letters, [...docs.values()]);
  }
}
