import { createRequire } from 'node:module';
import {
  MongoNetworkError, MongoNetworkTimeoutError, MongoServerError, MongoServerSelectionError, type MongoError,
} from 'mongodb';
import { expect, test } from 'vitest';
import { isDatabaseUnavailable } from '../../../controller/platform/mongo/mongo-errors.ts';

type Made = new (pool: object, cause?: Error) => MongoError;
type Inner = Record<'PoolClearedError' | 'PoolClearedOnNetworkError' | 'PoolClosedError', Made>;
/** The driver fails requests under way with these, and does not export them. */
const inner = createRequire(import.meta.url)('mongodb/lib/cmap/errors.js') as Inner;
const pool = { address: 'db.example:27017', serverError: null };

test.each([
  new MongoNetworkError('gone'),
  new MongoNetworkTimeoutError('timed out'),
  new MongoServerSelectionError('none', {} as never),
  new inner.PoolClearedError(pool),
  new inner.PoolClearedOnNetworkError(pool, new Error('the monitor timed out')),
  new inner.PoolClosedError(pool),
  new MongoServerError({ code: 189, message: 'stepped down' }),
  Object.assign(new Error('write'), { code: 'EPIPE' }),
])('%s means that the database is away', (error) => expect(isDatabaseUnavailable(error)).toBe(true));

test.each([
  new Error('a fault of ours'), new MongoServerError({ code: 11000, message: 'duplicate' }), 'text', null,
])('%s does not mean that the database is away', (error) => expect(isDatabaseUnavailable(error)).toBe(false));
