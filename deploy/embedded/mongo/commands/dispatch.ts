import { encodeObject } from '../bson/write.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import type { Request } from '../wire/message.ts';
import { aggregate } from './aggregate.ts';
import { Args } from './args.ts';
import type { Command, Context } from './context.ts';
import { count, distinct } from './counts.ts';
import { explain } from './explain.ts';
import { findAndModify } from './find-and-modify.ts';
import { find } from './find.ts';
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { create, drop, dropDatabase, listCollections, listDatabases } from './namespaces.ts';
import { refusalsOf } from './refusals.ts';
import { buildInfo, getMore, hello, killCursors, ping } from './session.ts';
import { collStats, dbStats } from './stats.ts';
import { insert, remove, update } from './write.ts';

const HANDLERS: Readonly<Record<string, Command>> = {
  hello,
  ismaster: hello,
  ping,
  buildinfo: buildInfo,
  endsessions: ping,
  find,
  getmore: getMore,
  killcursors: killCursors,
  insert,
  update,
  delete: remove,
  findandmodify: findAndModify,
  count,
  distinct,
  aggregate,
  createindexes: createIndexes,
  listindexes: listIndexes,
  dropindexes: dropIndexes,
  listcollections: listCollections,
  listdatabases: listDatabases,
  create,
  drop,
  dropdatabase: dropDatabase,
  collstats: collStats,
  dbstats: dbStats,
  explain,
};

/** Whom a store tells of what it did not do as asked. */
export interface Complaints {
  /** Something failed that is a fault of ours. */
  onBug(error: unknown): void;
  /** Something was asked for that this store does not serve. */
  onRefusal(text: string): void;
}

/** Runs one request and encodes its reply; failures become replies with `ok: 0`. */
export async function answer(context: Context, request: Request, { onBug, onRefusal }: Complaints): Promise<Buffer> {
  try {
    const args = new Args(request);
    const handler = HANDLERS[args.name];
    if (handler === undefined) throw new MongoFailure(ErrorCode.commandNotFound, `no such command: '${args.name}'`);
    const pending = handler(context, args);
    const reply = pending instanceof Promise ? await pending : pending;
    refusalsOf(reply).forEach(onRefusal);
    const body = encodeObject({ ok: 1, ...reply });
    if (args.isMajorityRead) await context.storage.durable();
    return body;
  } catch (error) {
    refusalsOf(error).forEach(onRefusal);
    return encodeFailure(error, onBug);
  }
}

/** The reply to a failure; what is no MongoFailure is a bug of ours and goes to `onBug`. */
export function encodeFailure(error: unknown, onBug: (error: unknown) => void): Buffer {
  if (!(error instanceof MongoFailure)) onBug(error);
  const failure = error instanceof MongoFailure ? error : new MongoFailure(ErrorCode.internal, 'internal error of the embedded store');
  return encodeObject({ ok: 0, errmsg: failure.message, code: failure.code, codeName: failure.codeName, ...(failure.extra as Record<string, null>) });
}
