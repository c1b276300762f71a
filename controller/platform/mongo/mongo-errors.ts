import {
  type AnyBulkWriteOperation, BSON, type Collection, MongoBulkWriteError, MongoError,
  MongoInvalidArgumentError, MongoNetworkError, MongoServerError, type OptionalUnlessRequiredId,
} from 'mongodb';
import { AppError } from '../../errors/app-error.ts';

const DUPLICATE_KEY = 11000;

/** Driver error classes, besides network errors, for a database that did not respond. */
const UNAVAILABLE = new Set([
  'MongoServerSelectionError', 'MongoWaitQueueTimeoutError', 'MongoPoolClosedError',
  'MongoTopologyClosedError', 'MongoNotConnectedError', 'MongoClientClosedError', 'MongoServerClosedError',
  'MongoExpiredSessionError',
]);

/**
 * Server codes of temporary failures (no primary, shutting down, write not confirmed in time, cursor or query
 * gone with its member, conflict with another write).
 */
const TRANSIENT = new Set([
  43, 50, 64, 91, 112, 175, 189, 202, 237, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Codes of socket errors that the driver passes on when a pooled connection fails during a write. */
const DEAD_SOCKET = new Set([
  'EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Whether the database is unreachable or temporarily unable to serve, so that a retry may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  // A bulk write without a response hides its cause.
  if (error instanceof MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error) {
    return isDatabaseUnavailable(error.errorResponse);
  }
  if (!(error instanceof Error)) return false;
  if (!(error instanceof MongoError)) return DEAD_SOCKET.has(String((error as NodeJS.ErrnoException).code));
  // Some network errors' names don't show their type, such as PoolClearedOnNetworkError.
  if (error instanceof MongoNetworkError || UNAVAILABLE.has(error.name)) return true;
  return error instanceof MongoServerError && typeof error.code === 'number' && TRANSIENT.has(error.code);
}

/** Server codes that reject this document for good: bad value, parse failure, type, validation, size. */
const PERMANENT = new Set([2, 9, 14, 121, 10334, 17280, 17419, 17420, 51091]);

/** Whether a write was refused because of its content, so that a retry can't help. */
export function isPermanentlyRefused(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) {
    const failures = [error.writeErrors].flat();
    if (failures.length > 0) return failures.some(({ code }) => PERMANENT.has(code));
  }
  if (error instanceof MongoServerError) return typeof error.code === 'number' && PERMANENT.has(error.code);
  // The driver could not encode it as BSON or as a message of legal size.
  return error instanceof BSON.BSONError || error instanceof RangeError ||
    error instanceof MongoInvalidArgumentError;
}

/**
 * Indexes in a bulk write of the documents with duplicate keys, if nothing else failed; else null. Also null
 * without a response, which lists no failures.
 */
export function duplicatesOnly(error: unknown): number[] | null {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return null;
  const failures = [error.writeErrors].flat();
  if (failures.length === 0 || failures.some((failure) => failure.code !== DUPLICATE_KEY)) return null;
  return failures.map((failure) => failure.index);
}

/** Whether a write was refused because a unique index already holds its key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** False if a unique index already holds the key of the write, which has then changed nothing. */
export async function unlessTaken(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

interface ItemWrites<T> {
  write(items: T[]): Promise<void>;
  /** Whether one of the items may have caused the error. Any other error aborts the write. */
  isAboutItems(error: unknown): boolean;
  /** Handles an item that can't be written even on its own. */
  setAside(item: T, error: unknown): void;
}

/**
 * Writes all items together. If one of them prevents that, writes each on its own, so that it can't delay the
 * others. Rejects with an error that no item caused.
 */
export async function writeAllOrEach<T>(items: T[], writes: ItemWrites<T>): Promise<void> {
  try {
    return await writes.write(items);
  } catch (error) {
    if (!writes.isAboutItems(error)) throw error;
    if (items.length === 1) return writes.setAside(items[0] as T, error);
  }
  for (const item of items) await writeAllOrEach([item], writes);
}

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

/** For upserts that may be repeated: of two concurrent ones, the loser finds the document the second time. */
export async function upsertAll<T extends Identified>(
  of: Collection<T>, upserts: AnyBulkWriteOperation<T>[],
): Promise<void> {
  const write = () => of.bulkWrite(upserts, { ordered: false });
  await write().catch((error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
    return write();
  });
}

function ignoreDuplicates(error: unknown): void {
  if (!duplicatesOnly(error)) throw error;
}

/** Attempts before a contended change gives up. Whenever one fails, another change has succeeded. */
const MAX_ATTEMPTS = 20;

/** The message of a change that gave up. `subject` includes its verb: `The monitor is`. */
export function contended(subject: string): string {
  return `${subject} being changed by another request; try again`;
}

/**
 * Repeats `attempt`, which reads, decides and writes, while it returns null because a concurrent change won.
 * Throws its errors, and CONFLICT if concurrent changes keep winning.
 */
export async function retryOnConflict<T>(
  subject: string, attempt: () => Promise<T | null>, maxAttempts = MAX_ATTEMPTS,
): Promise<T> {
  for (let left = maxAttempts; left > 0; left -= 1) {
    const changed = await attempt();
    if (changed !== null) return changed;
  }
  throw new AppError('CONFLICT', contended(subject));
}
