import { BsonType, elementsOf, type Value } from '../bson/value.ts';
import { MAX_DOCUMENT_BYTES } from '../storage/collection.ts';
import { MAX_MESSAGE_BYTES } from '../wire/connection.ts';
import { typeMismatch, type Args } from './args.ts';
import type { Context, Reply } from './context.ts';
import { MAX_BATCH } from './write.ts';

/** Wire version of MongoDB 7.0: the newest one whose served commands all behave as here. */
const WIRE_VERSION = 21;

/** A standalone: drivers then neither retry writes nor start transactions of their own accord. */
export function hello(context: Context): Reply {
  return {
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_BATCH,
    localTime: new Date(context.clock.now()),
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
  };
}

export function ping(): Reply {
  return {};
}

export function buildInfo(): Reply {
  return {
    version: '7.0.0',
    versionArray: [7, 0, 0, 0],
    gitVersion: 'farwatch-embedded',
    modules: [],
    storageEngines: ['lmdb'],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  };
}

export function getMore(context: Context, args: Args): Reply {
  const id = args.value('getMore');
  if (id === undefined) throw typeMismatch('getMore', 'getMore', 'long');
  return { cursor: context.cursors.more(cursorId(id), `${args.db}.${args.collectionName('collection')}`, args.count('batchSize')) };
}

export function killCursors(context: Context, args: Args): Reply {
  const ids = args.value('cursors');
  if (ids?.type !== BsonType.array) throw typeMismatch('killCursors', 'cursors', 'array');
  const killed: bigint[] = [];
  const notFound: bigint[] = [];
  for (const value of elementsOf(ids)) {
    const id = cursorId(value);
    (context.cursors.kill(id) ? killed : notFound).push(id);
  }
  return { cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] };
}

function cursorId(value: Value): bigint {
  if (value.type !== BsonType.int64) throw typeMismatch('getMore', 'getMore', 'long');
  return value.buf.readBigInt64LE(value.at);
}
