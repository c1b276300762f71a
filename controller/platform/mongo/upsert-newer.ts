import type { AnyBulkWriteOperation, Collection, OptionalUnlessRequiredId } from 'mongodb';
import { duplicatesOnly } from './mongo-errors.ts';

/** Documents per command. */
const BATCH_SIZE = 500;

type Identified = { _id: string };
type Positioned = Identified & { position: number };

/**
 * Replaces documents whose stored `position` is lower, and inserts missing ones. A newer stored document
 * stays: its upsert fails on the duplicate `_id`, which is ignored.
 */
export async function upsertNewer<T extends Positioned>(of: Collection<T>, docs: T[]): Promise<void> {
  for (let at = 0; at < docs.length; at += BATCH_SIZE) {
    const writes = docs.slice(at, at + BATCH_SIZE).map(({ _id, ...replacement }) => {
      const filter = { _id, position: { $lt: replacement.position } };
      return { replaceOne: { filter, replacement, upsert: true } };
    }) as unknown as AnyBulkWriteOperation<T>[];
    await of.bulkWrite(writes, { ordered: false }).catch(ignoreDuplicates);
  }
}

/** Inserts missing documents and leaves the others unchanged. */
export async function insertMissing<T extends Identified>(of: Collection<T>, docs: T[]): Promise<void> {
  if (docs.length === 0) return;
  const inserts = docs as OptionalUnlessRequiredId<T>[];
  await of.insertMany(inserts, { ordered: false }).catch(ignoreDuplicates);
}

function ignoreDuplicates(error: unknown): void {
  if (!duplicatesOnly(error)) throw error;
}
