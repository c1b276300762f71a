import { BsonType, documentValue, fieldOf, type Value } from '../bson/value.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import { duplicateKey } from '../keys/duplicate-key.ts';
import { encodeKey } from '../keys/key-writer.ts';
import { type Index, tablePrefix } from './index.ts';
import { MAX_KEY_BYTES, type Storage } from './storage.ts';
import type { Tally } from './tally.ts';

/** Stored documents may not be larger (MongoDB's maxBsonObjectSize). */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

interface EntryChange {
  readonly index: Index;
  readonly key: Buffer;
  readonly isAdded: boolean;
}

/** Documents of one collection, in the order of their `_id`, and their index entries. */
export class Collection {
  readonly ns: string;
  readonly table: number;
  readonly indexes: Index[];
  readonly tally: Tally;
  isDropped = false;
  private readonly storage: Storage;
  private readonly prefix: Buffer;

  constructor(storage: Storage, ns: string, table: number, indexes: Index[], tally: Tally) {
    this.storage = storage;
    this.ns = ns;
    this.table = table;
    this.indexes = indexes;
    this.tally = tally;
    this.prefix = tablePrefix(table);
  }

  /** The document with that encoded `_id`. */
  get(idKey: Buffer): Buffer | undefined {
    if (idKey.length + 4 > MAX_KEY_BYTES) return undefined;
    return this.storage.get(this.keyOf(idKey));
  }

  keyOf(idKey: Buffer): Buffer {
    return Buffer.concat([this.prefix, idKey]);
  }

  /** Throws DuplicateKey, before anything is written, when the `_id` or a unique index is taken. */
  insert(doc: Buffer): void {
    const idKey = this.checkedIdKey(doc);
    if (this.storage.has(this.keyOf(idKey))) {
      throw duplicateKey(this.ns, { name: '_id_', fields: [{ name: '_id', path: ['_id'], descending: false }] }, documentValue(doc), idKey);
    }
    this.replace(idKey, undefined, doc);
  }

  /** Writes `after` where `before` was (undefined: was nothing). Both have the `_id` that `idKey` encodes. */
  replace(idKey: Buffer, before: Buffer | undefined, after: Buffer): void {
    if (after.length > MAX_DOCUMENT_BYTES) {
      throw new MongoFailure(ErrorCode.tooLarge, `object to insert too large. size in bytes: ${after.length}, max size: ${MAX_DOCUMENT_BYTES}`);
    }
    const changes: EntryChange[] = [];
    for (const index of this.indexes) this.compareKeys(index, idKey, before, after, changes);
    this.apply(idKey, changes);
    this.storage.put(this.keyOf(idKey), after);
    this.tally.change(before, after, idKey.length + 4);
  }

  remove(idKey: Buffer, before: Buffer): void {
    const changes: EntryChange[] = [];
    for (const index of this.indexes) for (const key of index.keysOf(before).keys) changes.push({ index, key, isAdded: false });
    this.apply(idKey, changes);
    this.storage.remove(this.keyOf(idKey));
    this.tally.change(before, undefined, idKey.length + 4);
  }

  /** Writes the entries of `index` for a document that is there already. */
  addToIndex(index: Index, idKey: Buffer, doc: Buffer): void {
    const changes: EntryChange[] = [];
    this.compareKeys(index, idKey, undefined, doc, changes);
    this.apply(idKey, changes);
  }

  private checkedIdKey(doc: Buffer): Buffer {
    const id = fieldOf(documentValue(doc), '_id');
    const idKey = encodeId(id);
    if (idKey.length + 4 > MAX_KEY_BYTES) throw tooLong('_id_', idKey.length);
    return idKey;
  }

  private compareKeys(index: Index, idKey: Buffer, before: Buffer | undefined, after: Buffer, changes: EntryChange[]): void {
    const { keys, multikey } = index.keysOf(after);
    if (multikey) index.multikey = true;
    const old = before === undefined ? [] : index.keysOf(before).keys;
    for (const key of old) if (!keys.some((other) => other.equals(key))) changes.push({ index, key, isAdded: false });
    for (const key of keys) {
      if (old.some((other) => other.equals(key))) continue;
      this.checkKey(index, key, idKey, after);
      changes.push({ index, key, isAdded: true });
    }
  }

  private checkKey(index: Index, key: Buffer, idKey: Buffer, doc: Buffer): void {
    const entryKey = index.entryKey(key, idKey);
    if (entryKey.length > MAX_KEY_BYTES) throw tooLong(index.name, entryKey.length);
    if (index.unique && this.storage.has(entryKey)) throw duplicateKey(this.ns, index, documentValue(doc), key);
  }

  private apply(idKey: Buffer, changes: readonly EntryChange[]): void {
    for (const { index, key, isAdded } of changes) {
      const entryKey = index.entryKey(key, idKey);
      if (!isAdded) this.storage.remove(entryKey);
      else this.storage.put(entryKey, index.entryValue(key, idKey));
      this.tally.indexChange(index.table, entryKey.length + (index.unique ? idKey.length : 2), isAdded);
    }
  }
}

function tooLong(index: string, bytes: number): MongoFailure {
  return new MongoFailure(ErrorCode.keyTooLong, `the key for index ${index} is ${bytes} bytes long; the embedded store takes ${MAX_KEY_BYTES}`);
}

/** The encoded `_id`. Throws InvalidIdField for a missing one and for types that MongoDB does not take. */
export function encodeId(id: Value | undefined): Buffer {
  if (id === undefined) throw new MongoFailure(ErrorCode.invalidId, "document must have an '_id'");
  if (id.type === BsonType.array || id.type === BsonType.regex) {
    const name = id.type === BsonType.array ? 'array' : 'regex';
    throw new MongoFailure(ErrorCode.invalidId, `The '_id' value cannot be of type ${name}`);
  }
  return encodeKey(id);
}
