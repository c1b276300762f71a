import type { Collection, Document, IndexDescription } from 'mongodb';
import { isDatabaseUnavailable } from './mongo-errors.ts';

/** Attempts until an index is there; each waits as long as an operation may. */
const MAX_ATTEMPTS = 10;

/**
 * Creates missing indexes. Over many documents that takes longer than an operation may; the database
 * continues regardless, and is then asked again for one index after the other.
 */
export async function ensureIndexes<T extends Document>(
  collection: Collection<T>,
  indexes: IndexDescription[],
): Promise<void> {
  const create = async (some: IndexDescription[], attemptsLeft: number): Promise<boolean> => {
    try {
      await collection.createIndexes(some);
      return true;
    } catch (error) {
      if (attemptsLeft === 1 || !isDatabaseUnavailable(error)) throw error;
      return false;
    }
  };
  if (await create(indexes, MAX_ATTEMPTS)) return;
  for (const index of indexes) {
    for (let attemptsLeft = MAX_ATTEMPTS; !(await create([index], attemptsLeft)); attemptsLeft -= 1);
  }
}
