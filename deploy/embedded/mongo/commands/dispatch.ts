import { encodeObject } from '../bson/write.ts';
import type { CommandName } from '../supported-features.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import type { Responder } from '../wire/connection.ts';
import type { Request } from '../wire/message.ts';
import { Args } from './args.ts';
import type { Action, Command, Context } from './command.ts';
import { countDocuments } from './count.ts';
import { findAndModify } from './find-and-modify.ts';
import { find } from './find.ts';
import { createIndexes } from './indexes.ts';
import { listCollections } from './list-collections.ts';
import { acknowledge, getMore, hello, killCursors } from './session.ts';
import { insert, remove, update } from './write.ts';

const COMMANDS: Readonly<Record<CommandName, Command>> = {
  hello,
  ismaster: hello,
  ping: acknowledge,
  endsessions: acknowledge,
  find,
  getmore: getMore,
  killcursors: killCursors,
  aggregate: countDocuments,
  insert,
  update,
  delete: remove,
  findandmodify: findAndModify,
  createindexes: createIndexes,
  listcollections: listCollections,
};

/** Parses a request. Throws MongoFailure for everything outside the closed list. */
export function parseCommand(request: Request): Action {
  const args = new Args(request);
  return COMMANDS[args.name](args);
}

/** Maximum number of reported refusals. */
const MAX_REFUSALS = 100;

export interface DispatcherListener {
  /** Receives bugs of the store itself. */
  onBug(error: unknown): void;
  /** Receives each unsupported request once. */
  onRefusal(text: string): void;
}

/** Runs requests and encodes their responses; a failure becomes a response with `ok: 0`. */
export class Dispatcher implements Responder {
  private readonly context: Context;
  private readonly listener: DispatcherListener;
  private readonly refused = new Set<string>();

  constructor(context: Context, listener: DispatcherListener) {
    this.context = context;
    this.listener = listener;
  }

  async respond(request: Request): Promise<Buffer> {
    try {
      const pending = parseCommand(request)(this.context);
      const response = pending instanceof Promise ? await pending : pending;
      const failures = (response['writeErrors'] ?? []) as readonly { code: number; errmsg: string }[];
      for (const { code, errmsg } of failures) this.reportRefusal(code, errmsg);
      return encodeObject({ ok: 1, ...response });
    } catch (error) {
      if (error instanceof MongoFailure) this.reportRefusal(error.code, error.message);
      return this.respondWithError(error);
    }
  }

  respondWithError(error: unknown): Buffer {
    if (error instanceof MongoFailure) {
      return encodeObject({ ok: 0, errmsg: error.message, code: error.code });
    }
    this.listener.onBug(error);
    return encodeObject({ ok: 0, errmsg: 'internal error of the embedded store', code: ErrorCode.internal });
  }

  /** Duplicate keys and expired cursors are normal; any other failure indicates an unsupported request. */
  private reportRefusal(code: number, message: string): void {
    if (code === ErrorCode.duplicateKey || code === ErrorCode.cursorNotFound) return;
    const text = `${code}: ${message}`;
    if (this.refused.size >= MAX_REFUSALS || this.refused.has(text)) return;
    this.refused.add(text);
    this.listener.onRefusal(text);
  }
}
