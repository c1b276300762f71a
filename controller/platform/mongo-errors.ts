import { MongoError, MongoServerError } from 'mongodb';

/** Error classes of the driver that say: no answer came from the database. */
const UNAVAILABLE = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoWaitQueueTimeoutError',
  'MongoPoolClearedError',
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
  if (!(error instanceof MongoError)) return error instanceof Error && DEAD_SOCKET.has(String((error as NodeJS.ErrnoException).code));
  if (UNAVAILABLE.has(error.name)) return true;
  return error instanceof MongoServerError && typeof error.code === 'number' && NOT_NOW.has(error.code);
}

/** Whether a write was refused because a unique index already holds its key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}
