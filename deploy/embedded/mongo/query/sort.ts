import { BsonType, documentValue, Fields, fromByteString, isNumber, toDouble, type Value } from '../bson/value.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { indexKeys, type KeyField } from '../keys/index-keys.ts';
import { parsePath } from './path.ts';

/** MongoDB's limit on what a sort may hold in memory (internalQueryMaxBlockingSortMemoryUsageBytes). */
const MAX_SORT_BYTES = 100 * 1024 * 1024;

/** Parses a sort or index pattern: fields with 1 or -1. Throws BadValue for anything else. */
export function parsePattern(doc: Value, what: string): KeyField[] {
  const out: KeyField[] = [];
  const fields = new Fields(doc);
  while (fields.advance()) {
    const name = fields.name;
    const value = fields.value();
    const direction = isNumber(value) ? toDouble(value) : 0;
    if (direction !== 1 && direction !== -1) {
      throw badValue(`${what}: the value of '${fromByteString(name)}' must be 1 or -1${value.type === BsonType.string ? '; special index types are not served' : ''}`);
    }
    out.push({ name, path: name === '$natural' ? [name] : parsePath(name), descending: direction === -1 });
  }
  return out;
}

interface Sortable {
  readonly key: Buffer;
  readonly doc: Buffer;
}

/** Sorts documents by a pattern as far as `limit` asks for (0: all). Stable, bounded in memory. */
export class Sorter {
  private readonly fields: readonly KeyField[];
  private readonly limit: number;
  private rows: Sortable[] = [];
  private bytes = 0;

  constructor(fields: readonly KeyField[], limit: number) {
    this.fields = fields;
    this.limit = limit;
  }

  add(doc: Buffer): void {
    this.rows.push({ key: sortKey(doc, this.fields), doc });
    this.bytes += doc.length;
    if (this.limit > 0 && this.rows.length >= 2 * this.limit + 1000) this.trim();
    if (this.bytes > MAX_SORT_BYTES) {
      throw new MongoFailure(ErrorCode.memoryLimit, 'Sort exceeded memory limit of 104857600 bytes; the embedded store has no external sort');
    }
  }

  finish(): Buffer[] {
    this.trim();
    return this.rows.map((row) => row.doc);
  }

  private trim(): void {
    this.rows.sort((a, b) => Buffer.compare(a.key, b.key));
    if (this.limit > 0 && this.rows.length > this.limit) this.rows.length = this.limit;
    this.bytes = this.rows.reduce((sum, row) => sum + row.doc.length, 0);
  }
}

/** The encoded key a document sorts by: of an array's elements the smallest, or the largest when descending. */
function sortKey(doc: Buffer, fields: readonly KeyField[]): Buffer {
  const { keys } = indexKeys(documentValue(doc), fields, false);
  return keys.length === 1 ? (keys[0] as Buffer) : keys.reduce((least, key) => (Buffer.compare(key, least) < 0 ? key : least));
}
