import { BsonType, documentValue, fieldOf } from '../bson/value.ts';
import { ErrorCode, MongoFailure } from '../errors.ts';
import { encodeKey } from '../keys/key-writer.ts';
import { type Index, tablePrefix } from './index.ts';
import { MAX_KEY_BYTES } from './engine.ts';
import type { Storage } from './storage.ts';

/** Limit for stored documents (MongoDB's maxBsonObjectSize). */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

interface EntryChange {
  readonly index: Index;
  readonly key: Buffer;
  readonly isAdded: boolean;
}

/** The documents of one collection, in the order of their `_id`, and their index entries. */
export class Collection {
  readonly ns: string;
  readonly table: number;
  readonly indexes: Index[] = [];
  private readonly storage: Storage;
  private readonly prefix: Buffer;
  private readonly onMultikey: (index: Index) => void;

  /** `onMultikey` is called inside the write job when an index first contains an array. */
  constructor(storage: Storage, ns: string, table: number, onMultikey: (index: Index) => void) {
    this.storage = storage;
    this.ns = ns;
    this.table = table;
    this.prefix = tablePrefix(table);
    this.onMultikey = onMultikey;
  }

  /** All documents, in the order of their `_id`. */
  *documents(): Generator<Buffer> {
    for (const { value } of this.storage.range(this.prefix, tablePrefix(this.table + 1))) yield value;
  }

  /** The document with that encoded `_id`. */
  get(idKey: Buffer): Buffer | undefined {
    if (idKey.length + 4 > MAX_KEY_BYTES) return undefined;
    return this.storage.get(this.keyOf(idKey));
  }

  /** Throws DuplicateKey, before anything is written, if the `_id` or a key of a unique index exists. */
  insert(doc: Buffer): void {
    const idKey = encodeId(doc);
    if (this.storage.has(this.keyOf(idKey))) throw this.duplicateKey('_id_');
    this.replace(idKey, undefined, doc);
  }

  /** Replaces `before` (undefined: none) with `after`. `idKey` is the encoded `_id` of both. */
  replace(idKey: Buffer, before: Buffer | undefined, after: Buffer): void {
    if (after.length > MAX_DOCUMENT_BYTES) {
      const message = `a document of ${after.length} bytes is larger than ${MAX_DOCUMENT_BYTES}`;
      throw new MongoFailure(ErrorCode.tooLarge, message);
    }
    const changes: EntryChange[] = [];
    for (const index of this.indexes) this.compareKeys(index, idKey, before, after, changes);
    this.apply(idKey, changes);
    this.storage.put(this.keyOf(idKey), after);
  }

  remove(idKey: Buffer, before: Buffer): void {
    for (const index of this.indexes) {
      for (const key of index.keysOf(before).keys) this.storage.remove(index.entryKey(key, idKey));
    }
    this.storage.remove(this.keyOf(idKey));
  }

  /** Adds an index and writes its entries for all documents. Only inside a write job. */
  addIndex(index: Index): void {
    const changes: EntryChange[] = [];
    for (const { key, value } of this.storage.range(this.prefix, tablePrefix(this.table + 1))) {
      const idKey = key.subarray(4);
      changes.length = 0;
      this.compareKeys(index, idKey, undefined, value, changes);
      this.apply(idKey, changes);
    }
    this.indexes.push(index);
  }

  private keyOf(idKey: Buffer): Buffer {
    return Buffer.concat([this.prefix, idKey]);
  }

  private compareKeys(
    index: Index, idKey: Buffer, before: Buffer | undefined, after: Buffer, changes: EntryChange[],
  ): void {
    const { keys, multikey } = index.keysOf(after);
    if (multikey && !index.multikey) this.onMultikey(index);
    const old = before === undefined ? [] : index.keysOf(before).keys;
    for (const key of old) {
      if (!keys.some((other) => other.equals(key))) changes.push({ index, key, isAdded: false });
    }
    for (const key of keys) {
      if (old.some((other) => other.equals(key))) continue;
      this.checkKey(index, key, idKey);
      changes.push({ index, key, isAdded: true });
    }
  }

  private checkKey(index: Index, key: Buffer, idKey: Buffer): void {
    const entryKey = index.entryKey(key, idKey);
    if (entryKey.length > MAX_KEY_BYTES) throw keyTooLong(index.name, entryKey.length);
    if (index.unique && this.storage.has(entryKey)) throw this.duplicateKey(index.name);
  }

  private duplicateKey(index: string): MongoFailure {
    const message = `E11000 duplicate key error collection: ${this.ns} index: ${index}`;
    return new MongoFailure(ErrorCode.duplicateKey, message);
  }

  private apply(idKey: Buffer, changes: readonly EntryChange[]): void {
    for (const { index, key, isAdded } of changes) {
      const entryKey = index.entryKey(key, idKey);
      if (isAdded) this.storage.put(entryKey, index.entryValue(key, idKey));
      else this.storage.remove(entryKey);
    }
  }
}

function keyTooLong(index: string, bytes: number): MongoFailure {
  const message = `the key for index ${index} has ${bytes} bytes; the embedded store allows ${MAX_KEY_BYTES}`;
  return new MongoFailure(ErrorCode.keyTooLong, message);
}

/** The encoded `_id`. Throws if it is missing, an array or too long. */
function encodeId(doc: Buffer): Buffer {
  const id = fieldOf(documentValue(doc), '_id');
  if (id === undefined) throw new MongoFailure(ErrorCode.invalidId, "document must have an '_id'");
  if (id.type === BsonType.array) throw new MongoFailure(ErrorCode.invalidId, "'_id' cannot be an array");
  const idKey = encodeKey(id);
  if (idKey.length + 4 > MAX_KEY_BYTES) throw keyTooLong('_id_', idKey.length);
  return idKey;
}
