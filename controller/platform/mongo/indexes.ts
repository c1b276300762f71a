import type { Collection, Document, IndexDescription } from 'mongodb';
import { isDatabaseUnavailable } from './mongo-errors.ts';

/** Attempts until an index is there; each waits as long as an operation may. */
const TRIES = 10;

/**
 * Creates missing indexes. Over many documents that takes longer than an operation may; the database continues
 * regardless, and is then asked again for one index after the other.
 */
export async function ensureIndexes<T extends Document>(
  collection: Collection<T>,
  indexes: IndexDescription[],
): Promise<void> {
  try {
    await collection.createIndexes(indexes);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    for (const index of indexes) await ensureIndex(collection, index);
  }
}

async function ensureIndex<T extends Document>(collection: Collection<T>, index: IndexDescription): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      await collection.createIndexes([index]);
      return;
    } catch (error) {
      if (left === 1 || !isDatabaseUnavailable(error)) throw error;
    }
  }
}
