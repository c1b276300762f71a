import type { Clock } from '../../../../shared/time.ts';
import type { MongoFailure } from '../errors.ts';
import type { Catalog } from '../storage/catalog.ts';
import type { Storage } from '../storage/storage.ts';
import type { Args } from './args.ts';
import type { Cursors } from './cursors.ts';
import type { Reply } from './reply.ts';

export type { Reply };

/** What every command works on. */
export interface Context {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly cursors: Cursors;
  readonly clock: Clock;
  /** Bytes on disk and page counts, straight from lmdb. */
  readonly engineStats: () => EngineStats;
}

export interface EngineStats {
  readonly pageBytes: number;
  readonly leafPages: number;
  readonly branchPages: number;
  readonly overflowPages: number;
  readonly freePages: number;
  readonly fileBytes: number;
}

/** Answers one command; the reply gets its `ok` from the caller. Throws MongoFailure. */
export type Command = (context: Context, args: Args) => Reply | Promise<Reply>;

/** A failure as an entry of `writeErrors`. */
export function writeError(index: number, failure: MongoFailure): Reply {
  return { index, code: failure.code, errmsg: failure.message, ...(failure.extra as Reply) };
}
