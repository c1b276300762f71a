import { MongoBulkWriteError, MongoError, MongoNetworkError, MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11000;

/** Error classes of the driver that say, beside those of its network errors: no answer came from the database. */
const UNAVAILABLE = new Set([
  'MongoServerSelectionError',
  'MongoOperationTimeoutError',
  'MongoStalePrimaryError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClosedError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoConnectionClosedError',
  'MongoClientClosedError',
  'MongoServerClosedError',
  'MongoExpiredSessionError',
]);

/** Server codes for: not now (no primary, shutting down, write not confirmed in time). */
const NOT_NOW = new Set([50, 64, 91, 189, 202, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** What the driver hands on as it is when a pooled connection turns out to be dead while it writes. */
const DEAD_SOCKET = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Whether `error` means that the database cannot be reached or cannot serve now, so that trying later may help. */
export function isDatabaseUnavailable(error: unknown): boolean {
  // A bulk write that got no answer hides its reason.
  if (error instanceof MongoBulkWriteError && isError(error.errorResponse)) return isDatabaseUnavailable(error.errorResponse);
  if (!(error instanceof MongoError)) return error instanceof Error && DEAD_SOCKET.has(String((error as NodeJS.ErrnoException).code));
  // Some of its network errors go by names that tell nothing of their kind, as PoolClearedOnNetworkError.
  if (error instanceof MongoNetworkError || UNAVAILABLE.has(error.name)) return true;
  return error instanceof MongoServerError && typeof error.code === 'number' && NOT_NOW.has(error.code);
}

function isError(value: unknown): value is Error {
  return value instanceof Error;
}

/**
 * Places of the documents of a bulk write whose keys were there already, when nothing else went wrong with it; null
 * when anything did. A bulk write that was never answered comes as an error with no failures in it: that is null.
 */
export function duplicatesOnly(error: unknown): number[] | null {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return null;
  const failures = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
  if (failures.length === 0 || failures.some((failure) => failure.code !== DUPLICATE_KEY)) return null;
  return failures.map((failure) => failure.index);
}

/** Whether a write was refused because a unique index already holds its key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** False when a unique index already holds the key of the write, which has then changed nothing. */
export async function unlessTaken(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
