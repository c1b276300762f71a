import type { Writable } from '../bson/write.ts';
import type { Catalog } from '../storage/catalog.ts';
import type { Storage } from '../storage/storage.ts';
import type { Args } from './args.ts';
import type { Cursors } from './cursors.ts';

/** The fields of a response, without its `ok`. */
export type CommandResponse = { readonly [name: string]: Writable };

export interface Context {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly cursors: Cursors;
}

/** A parsed command, ready to run. */
export type Action = (context: Context) => CommandResponse | Promise<CommandResponse>;

/** Parses a command. Throws MongoFailure for everything outside the closed list. */
export type Command = (args: Args) => Action;
