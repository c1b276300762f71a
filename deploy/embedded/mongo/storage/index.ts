import { indexKeys, type IndexKeys, type KeyField } from '../keys/index-keys.ts';

export interface IndexSpec {
  readonly name: string;
  readonly fields: readonly KeyField[];
  readonly unique: boolean;
  readonly sparse: boolean;
}

/**
 * A secondary index. An entry's key is the table, the encoded fields and, unless the index is unique or they
 * end with it, the document's key. Its value is that key (unique) or the length of the fields before it.
 */
export class Index implements IndexSpec {
  readonly table: number;
  readonly name: string;
  readonly fields: readonly KeyField[];
  readonly unique: boolean;
  readonly sparse: boolean;
  /** True once any document has had an array in an indexed field. */
  multikey: boolean;
  /** False until its entries are committed: reads must not use it before. */
  isReady = false;
  private readonly prefix: Buffer;
  private readonly endsWithId: boolean;

  constructor(spec: IndexSpec, table: number, multikey: boolean) {
    this.table = table;
    this.name = spec.name;
    this.fields = spec.fields;
    this.unique = spec.unique;
    this.sparse = spec.sparse;
    this.multikey = multikey;
    this.prefix = tablePrefix(table);
    const last = this.fields.at(-1);
    this.endsWithId = last?.name === '_id' && !last.descending;
  }

  keysOf(doc: Buffer): IndexKeys {
    return indexKeys(doc, this.fields, this.sparse);
  }

  entryKey(key: Buffer, idKey: Buffer): Buffer {
    const parts = this.unique || this.endsWithId ? [this.prefix, key] : [this.prefix, key, idKey];
    return Buffer.concat(parts);
  }

  entryValue(key: Buffer, idKey: Buffer): Buffer {
    if (this.unique) return idKey;
    const value = Buffer.allocUnsafeSlow(2);
    value.writeUInt16BE(this.endsWithId ? key.length - idKey.length : key.length);
    return value;
  }

  /** The key of the document referenced by an entry. */
  idKeyOf(entryKey: Buffer, entryValue: Buffer): Buffer {
    return this.unique ? entryValue : entryKey.subarray(4 + entryValue.readUInt16BE(0));
  }
}

export function tablePrefix(table: number): Buffer {
  const prefix = Buffer.allocUnsafeSlow(4);
  prefix.writeUInt32BE(table);
  return prefix;
}
