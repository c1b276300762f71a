import type { AnyBulkWriteOperation, Collection, OptionalUnlessRequiredId } from 'mongodb';
import { duplicatesOnly } from './mongo-errors.ts';

/** Documents in one command. */
const AT_ONCE = 500;

/**
 * Replaces each document whose stored `position` is lower, and inserts those that are not there. One that is ahead
 * already stays: its upsert meets the `_id` and that is no error.
 */
export async function upsertAhead<T extends { _id: string; position: number }>(collection: Collection<T>, docs: T[]): Promise<void> {
  for (let at = 0; at < docs.length; at += AT_ONCE) {
    const part = docs.slice(at, at + AT_ONCE);
    const operations = part.map((doc) => ({
      replaceOne: { filter: { _id: doc._id, position: { $lt: doc.position } }, replacement: withoutId(doc), upsert: true },
    })) as unknown as AnyBulkWriteOperation<T>[];
    try {
      await collection.bulkWrite(operations, { ordered: false });
    } catch (error) {
      if (!duplicatesOnly(error)) throw error;
    }
  }
}

/** Inserts those that are not there and leaves the others as they are. */
export async function insertAbsent<T extends { _id: string }>(collection: Collection<T>, docs: T[]): Promise<void> {
  try {
    if (docs.length > 0) await collection.insertMany(docs as OptionalUnlessRequiredId<T>[], { ordered: false });
  } catch (error) {
    if (!duplicatesOnly(error)) throw error;
  }
}

function withoutId<T extends { _id: string }>(doc: T): Omit<T, '_id'> {
  const { _id, ...rest } = doc;
  return rest;
}
