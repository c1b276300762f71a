import type { Collection, Document, IndexDescription } from 'mongodb';
import { isDatabaseUnavailable } from './mongo-errors.ts';

/** Each attempt waits up to the operation timeout. */
const MAX_ATTEMPTS = 10;

/**
 * Creates missing indexes, one after the other. On large collections that exceeds the operation timeout while
 * the database continues, so it retries.
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
