import type { Collection, Document, IndexDescription } from 'mongodb';
import { isDatabaseUnavailable } from './mongo-errors.ts';

/** Attempts until an index is there; each waits as long as an operation may. */
const TRIES = 10;

/**
 * Creates missing indexes. Over many documents that takes longer than an operation may; the database
 * continues regardless, and is then asked again for one index after the other.
 */
export async function ensureIndexes<T extends Document>(
  collection: Collection<T>,
  indexes: IndexDescription[],
): Promise<void> {
  const create = async (some: IndexDescription[], tries: number): Promise<boolean> => {
    try {
      await collection.createIndexes(some);
      return true;
    } catch (error) {
      if (tries === 1 || !isDatabaseUnavailable(error)) throw error;
      return false;
    }
  };
  if (await create(indexes, TRIES)) return;
  for (const index of indexes) {
    for (let tries = TRIES; !(await create([index], tries)); tries -= 1);
  }
}
