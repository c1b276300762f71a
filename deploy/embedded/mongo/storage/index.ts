import { Value, BsonType } from '../bson/value.ts';
import { indexKeys, type IndexKeys, type KeyField } from '../keys/index-keys.ts';

export interface IndexSpec {
  /** Number of the table that holds its entries. */
  readonly table: number;
  readonly name: string;
  readonly fields: readonly KeyField[];
  /** The key document as it was given. */
  readonly pattern: Buffer;
  readonly unique: boolean;
  readonly sparse: boolean;
}

/**
 * One secondary index. An entry's key is table, encoded fields and, unless the index is unique, the document's key;
 * its value is the document's key (unique) or the length of the fields' part.
 */
export class Index implements IndexSpec {
  readonly table: number;
  readonly name: string;
  readonly fields: readonly KeyField[];
  readonly pattern: Buffer;
  readonly unique: boolean;
  readonly sparse: boolean;
  /** Whether any document ever had an array under it. Never goes back. */
  multikey: boolean;
  /** False until its entries are committed: reads must not use it before. */
  isReady = false;
  isDropped = false;
  private readonly prefix: Buffer;

  constructor(spec: IndexSpec, multikey: boolean) {
    this.table = spec.table;
    this.name = spec.name;
    this.fields = spec.fields;
    this.pattern = spec.pattern;
    this.unique = spec.unique;
    this.sparse = spec.sparse;
    this.multikey = multikey;
    this.prefix = tablePrefix(spec.table);
  }

  keysOf(doc: Buffer): IndexKeys {
    return indexKeys(new Value(BsonType.object, doc, 0, doc.length), this.fields, this.sparse);
  }

  entryKey(key: Buffer, idKey: Buffer): Buffer {
    return this.unique ? Buffer.concat([this.prefix, key]) : Buffer.concat([this.prefix, key, idKey]);
  }

  entryValue(key: Buffer, idKey: Buffer): Buffer {
    if (this.unique) return idKey;
    const value = Buffer.allocUnsafeSlow(2);
    value.writeUInt16BE(key.length);
    return value;
  }

  /** The document's key from an entry. */
  idKeyOf(entryKey: Buffer, entryValue: Buffer): Buffer {
    return this.unique ? entryValue : entryKey.subarray(4 + entryValue.readUInt16BE(0));
  }

  /** The encoded fields from an entry. */
  fieldsOf(entryKey: Buffer, entryValue: Buffer): Buffer {
    return this.unique ? entryKey.subarray(4) : entryKey.subarray(4, 4 + entryValue.readUInt16BE(0));
  }
}

export function tablePrefix(table: number): Buffer {
  const prefix = Buffer.allocUnsafeSlow(4);
  prefix.writeUInt32BE(table);
  return prefix;
}
