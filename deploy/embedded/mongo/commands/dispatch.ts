import { encodeObject } from '../bson/write.ts';
import type { CommandName } from '../closed-list.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import type { Request } from '../wire/message.ts';
import { Args } from './args.ts';
import type { Action, Command, Context, Reply } from './command.ts';
import { countDocuments } from './count.ts';
import { findAndModify } from './find-and-modify.ts';
import { find } from './find.ts';
import { createIndexes } from './indexes.ts';
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
};

/** Parses a request. Throws MongoFailure for everything outside the closed list. */
export function parseCommand(request: Request): Action {
  const args = new Args(request);
  return COMMANDS[args.name](args);
}

/** Receives what a store could not do as asked. */
export interface Complaints {
  /** A fault of the store itself. */
  onBug(error: unknown): void;
  /** The store does not support what was asked for. */
  onRefusal(text: string): void;
}

/** Runs one request and encodes its reply; a failure becomes a reply with `ok: 0`. */
export async function answer(context: Context, request: Request, complaints: Complaints): Promise<Buffer> {
  try {
    const pending = parseCommand(request)(context);
    const reply = pending instanceof Promise ? await pending : pending;
    for (const { code, errmsg } of writeErrorsOf(reply)) reportRefusal(code, errmsg, complaints);
    return encodeObject({ ok: 1, ...reply });
  } catch (error) {
    if (error instanceof MongoFailure) reportRefusal(error.code, error.message, complaints);
    return encodeFailure(error, complaints);
  }
}

/** The reply for a failure; anything but a MongoFailure is a fault of the store. */
export function encodeFailure(error: unknown, { onBug }: Complaints): Buffer {
  if (error instanceof MongoFailure) return encodeObject({ ok: 0, errmsg: error.message, code: error.code });
  onBug(error);
  return encodeObject({ ok: 0, errmsg: 'internal error of the embedded store', code: ErrorCode.internal });
}

function writeErrorsOf(reply: Reply): readonly { code: number; errmsg: string }[] {
  return (reply['writeErrors'] ?? []) as { code: number; errmsg: string }[];
}

/** A duplicate key or an expired cursor is ordinary; any other failure is an unsupported request. */
function reportRefusal(code: number, text: string, { onRefusal }: Complaints): void {
  if (code !== ErrorCode.duplicateKey && code !== ErrorCode.cursorNotFound) onRefusal(`${code}: ${text}`);
}
