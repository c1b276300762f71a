import type { Collection, Db } from 'mongodb';
import type { DeadLetter } from './journal-entry.ts';
import type { DeadLetterStore } from './storage-ports.ts';
import { insertAbsent } from './upsert-ahead-store.ts';

type DeadLetterDoc = Omit<DeadLetter, 'id'> & { _id: string };

/** Collection `dead_letters`: what could not be taken, with its reason, to be looked at by the operator. */
export class MongoDeadLetterStore implements DeadLetterStore {
  readonly #letters: Collection<DeadLetterDoc>;

  constructor(db: Db) {
    this.#letters = db.collection<DeadLetterDoc>('dead_letters');
  }

  async add(letters: DeadLetter[]): Promise<void> {
    const docs = new Map(letters.map(({ id, ...rest }) => [id, { _id: id, ...rest }]));
    await insertAbsent(this.#letters, [...docs.values()]);
  }
}
