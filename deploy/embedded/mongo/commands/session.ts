import { BsonType, elementsOf, type Value } from '../bson/value.ts';
import { MAX_DOCUMENT_BYTES } from '../storage/collection.ts';
import { MAX_MESSAGE_BYTES } from '../wire/connection.ts';
import type { Args } from './args.ts';
import type { Action } from './command.ts';
import { MAX_BATCH_OPERATIONS } from './write.ts';

/** Wire version of MongoDB 7.0: the newest one in which all supported commands behave as they do here. */
const WIRE_VERSION = 21;

/** Presents a standalone server, so that drivers neither retry writes nor start transactions on their own. */
export function hello(): Action {
  return () => ({
    helloOk: true,
    ismaster: true,
    isWritablePrimary: true,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: MAX_BATCH_OPERATIONS,
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    readOnly: false,
  });
}

/** `ping`, and `endSessions`, as there are no sessions to end. */
export function acknowledge(): Action {
  return () => ({});
}

export function getMore(args: Args): Action {
  const id = cursorId(args, 'getMore', args.value('getMore'));
  const ns = args.nsOf('collection');
  const batchSize = args.count('batchSize');
  return ({ cursors }) => ({ cursor: cursors.more(id, ns, batchSize) });
}

export function killCursors(args: Args): Action {
  const list = args.value('cursors');
  if (list?.type !== BsonType.array) throw args.wrongType('cursors', 'array');
  const ids = elementsOf(list).map((value) => cursorId(args, 'cursors', value));
  return ({ cursors }) => {
    const killed = ids.filter((id) => cursors.kill(id));
    const notFound = ids.filter((id) => !killed.includes(id));
    return { cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [] };
  };
}

function cursorId(args: Args, field: string, value: Value | undefined): bigint {
  if (value?.type !== BsonType.int64) throw args.wrongType(field, 'long');
  return value.buf.readBigInt64LE(value.at);
}
