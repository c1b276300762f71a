import type { Writable } from '../bson/write.ts';

/** The fields of a reply, less its `ok`. */
export type Reply = { readonly [name: string]: Writable };
