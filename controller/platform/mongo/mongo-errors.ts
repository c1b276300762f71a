import {
  BSON, MongoBulkWriteError, MongoError, MongoInvalidArgumentError, MongoNetworkError, MongoServerError,
} from 'mongodb';

const DUPLICATE_KEY = 11000;

/** Error classes of the driver, besides its network errors, that mean: the database gave no answer. */
const UNAVAILABLE = new Set([
  'MongoServerSelectionError', 'MongoOperationTimeoutError', 'MongoStalePrimaryError',
  'MongoWaitQueueTimeoutError', 'MongoPoolClosedError', 'MongoTopologyClosedError',
  'MongoNotConnectedError', 'MongoConnectionClosedError', 'MongoClientClosedError',
  'MongoServerClosedError', 'MongoExpiredSessionError',
]);

/** Server codes that mean: not now (no primary, shutting down, write not confirmed in time). */
const TRANSIENT = new Set([50, 64, 91, 189, 202, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Codes of socket errors that the driver passes on when a pooled connection proves dead during a write. */
const DEAD_SOCKET = new Set([
  'EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Whether the database cannot be reached or cannot serve now, so that trying later may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  // A bulk write that got no answer hides its reason.
  if (error instanceof MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error) {
    return isDatabaseUnavailable(error.errorResponse);
  }
  if (!(error instanceof Error)) return false;
  if (!(error instanceof MongoError)) return DEAD_SOCKET.has(String((error as NodeJS.ErrnoException).code));
  // The names of some network errors do not show their kind, as PoolClearedOnNetworkError.
  if (error instanceof MongoNetworkError || UNAVAILABLE.has(error.name)) return true;
  return error instanceof MongoServerError && typeof error.code === 'number' && TRANSIENT.has(error.code);
}

/** Server codes that mean: this document, never. Bad value, parse failure, type, validation, size. */
const PERMANENT = new Set([2, 9, 14, 121, 10334, 17280, 17419, 17420, 51091]);

/** Whether a write was refused because of what it holds, so that repeating it cannot help. */
export function isPermanentlyRefused(error: unknown): boolean {
  if (error instanceof MongoBulkWriteError) {
    const failures = [error.writeErrors].flat();
    if (failures.length > 0) return failures.some(({ code }) => PERMANENT.has(code));
  }
  if (error instanceof MongoServerError) return typeof error.code === 'number' && PERMANENT.has(error.code);
  // The driver could not turn it into BSON, or into a message of legal size.
  return error instanceof BSON.BSONError || error instanceof RangeError ||
    error instanceof MongoInvalidArgumentError;
}

/**
 * Positions in a bulk write of the documents whose keys were taken, if nothing else went wrong; else null. A
 * bulk write that was never answered is an error without failures: null.
 */
export function duplicatesOnly(error: unknown): number[] | null {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return null;
  const failures = [error.writeErrors].flat();
  if (failures.length === 0 || failures.some((failure) => failure.code !== DUPLICATE_KEY)) return null;
  return failures.map((failure) => failure.index);
}

/** Whether a write was refused because a unique index holds its key already. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** False when a unique index holds the key of the write already; the write has then changed nothing. */
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
  /** Whether an error may be due to one of the items. Any other ends the whole write. */
  isAboutItems(error: unknown): boolean;
  /** Takes an item that cannot be written even by itself. */
  setAside(item: T, error: unknown): void;
}

/**
 * Writes all items together; if one of them prevents that, each by itself, so that it delays none of the
 * others. Rejects with an error that is not about items.
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
