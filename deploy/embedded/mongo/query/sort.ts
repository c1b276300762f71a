import { Fields, fromByteString, isNumber, toDouble, type Value } from '../bson/value.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { indexKeys, type KeyField } from '../keys/index-keys.ts';
import { parsePath } from './path.ts';

/** MongoDB's limit for a sort in memory (internalQueryMaxBlockingSortMemoryUsageBytes). */
const MAX_SORT_BYTES = 100 * 1024 * 1024;

/** Parses a sort or index pattern: fields with 1 or -1. Throws BadValue for anything else. */
export function parsePattern(doc: Value): KeyField[] {
  const out: KeyField[] = [];
  const fields = new Fields(doc);
  while (fields.advance()) {
    const { name } = fields;
    const value = fields.value();
    const direction = isNumber(value) ? toDouble(value) : 0;
    if (direction !== 1 && direction !== -1) throw badValue(`'${fromByteString(name)}' must be 1 or -1`);
    out.push({ name, path: parsePath(name), descending: direction === -1 });
  }
  return out;
}

/** Sorts documents by a pattern and keeps the first `limit` (0: all). Stable, with bounded memory. */
export class Sorter {
  private readonly fields: readonly KeyField[];
  private readonly limit: number;
  private rows: { readonly key: Buffer; readonly doc: Buffer }[] = [];
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
      throw new MongoFailure(ErrorCode.memoryLimit, `the sort takes more than ${MAX_SORT_BYTES} bytes`);
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

/** The encoded sort key: an array counts as its smallest element, or its largest if descending. */
function sortKey(doc: Buffer, fields: readonly KeyField[]): Buffer {
  const { keys } = indexKeys(doc, fields, false);
  return keys.reduce((smallest, key) => (Buffer.compare(key, smallest) < 0 ? key : smallest));
}
