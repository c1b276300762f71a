import { toByteString } from '../bson/value.ts';
import type { KeyField } from '../keys/index-keys.ts';
import { Collection } from './collection.ts';
import { Index, tablePrefix, type IndexSpec } from './index.ts';
import type { Storage } from './storage.ts';
import { Tally, type TallyState } from './tally.ts';

/** Table 0 describes the others. */
const CATALOG = 0;

interface StoredIndex {
  table: number;
  name: string;
  fields: [name: string, direction: 1 | -1][];
  pattern: string;
  unique: boolean;
  sparse: boolean;
  multikey: boolean;
}

interface StoredCollection {
  table: number;
  indexes: StoredIndex[];
}

/** Which collections and indexes exist, kept in the same transactions as the data. */
export class Catalog {
  private readonly storage: Storage;
  private readonly byNs = new Map<string, Collection>();
  private readonly savedMultikey = new WeakMap<Index, boolean>();
  private nextTable = 1;

  constructor(storage: Storage) {
    this.storage = storage;
    this.load(true);
    storage.setHooks({ afterJob: () => this.saveChanges(), afterRollback: () => this.load(false) });
  }

  get(ns: string): Collection | undefined {
    return this.byNs.get(ns);
  }

  all(): Iterable<Collection> {
    return this.byNs.values();
  }

  ofDatabase(db: string): Collection[] {
    return [...this.byNs.values()].filter((collection) => collection.ns.startsWith(`${db}.`));
  }

  /** Only inside a write job. */
  create(ns: string): Collection {
    const collection = new Collection(this.storage, ns, this.newTable(), [], new Tally());
    this.byNs.set(ns, collection);
    this.save(collection);
    return collection;
  }

  /** Only inside a write job: adds the index and its entries. Throws, with nothing kept, when a document refuses it. */
  addIndex(collection: Collection, spec: Omit<IndexSpec, 'table'>): void {
    const index = new Index({ ...spec, table: this.newTable() }, false);
    const prefix = tablePrefix(collection.table);
    for (const { key, value } of this.storage.range(prefix, tablePrefix(collection.table + 1))) {
      collection.addToIndex(index, key.subarray(4), value);
    }
    collection.indexes.push(index);
    this.save(collection);
    this.storage.onCommitted(() => {
      index.isReady = true;
    });
  }

  /** Only inside a write job. */
  dropIndex(collection: Collection, index: Index): void {
    index.isDropped = true;
    collection.indexes.splice(collection.indexes.indexOf(index), 1);
    delete collection.tally.state.indexBytes[String(index.table)];
    this.clearTable(index.table);
    this.save(collection);
  }

  /** Only inside a write job. */
  drop(collection: Collection): void {
    collection.isDropped = true;
    for (const index of collection.indexes) this.clearTable(index.table);
    this.clearTable(collection.table);
    this.byNs.delete(collection.ns);
    this.storage.remove(catalogKey('c', collection.ns));
    this.storage.remove(catalogKey('t', String(collection.table)));
  }

  private newTable(): number {
    const table = this.nextTable++;
    this.storage.put(catalogKey('n', ''), Buffer.from(JSON.stringify(this.nextTable)));
    return table;
  }

  private clearTable(table: number): void {
    for (const { key } of this.storage.range(tablePrefix(table), tablePrefix(table + 1))) this.storage.remove(key);
  }

  private save(collection: Collection): void {
    const stored: StoredCollection = { table: collection.table, indexes: collection.indexes.map(storedIndex) };
    for (const index of collection.indexes) this.savedMultikey.set(index, index.multikey);
    this.storage.put(catalogKey('c', collection.ns), Buffer.from(JSON.stringify(stored)));
    collection.tally.isDirty = true;
  }

  /** What a job's writes have changed besides documents. */
  private saveChanges(): void {
    for (const collection of this.byNs.values()) {
      if (!collection.tally.isDirty) continue;
      if (collection.indexes.some((index) => index.multikey !== this.savedMultikey.get(index))) this.save(collection);
      this.storage.put(catalogKey('t', String(collection.table)), Buffer.from(JSON.stringify(collection.tally.state)));
      collection.tally.isDirty = false;
    }
  }

  private load(isCommitted: boolean): void {
    this.byNs.clear();
    const next = this.storage.get(catalogKey('n', ''));
    if (next !== undefined) this.nextTable = JSON.parse(next.toString()) as number;
    for (const { key, value } of this.storage.range(catalogKey('c', ''), catalogKey('d', ''))) {
      const ns = key.toString('utf8', 5);
      const stored = JSON.parse(value.toString()) as StoredCollection;
      const tally = this.storage.get(catalogKey('t', String(stored.table)));
      const state = tally === undefined ? undefined : (JSON.parse(tally.toString()) as TallyState);
      this.byNs.set(ns, new Collection(this.storage, ns, stored.table, stored.indexes.map((index) => this.loadIndex(index, isCommitted)), new Tally(state)));
    }
  }

  private loadIndex(stored: StoredIndex, isCommitted: boolean): Index {
    const fields = stored.fields.map(([name, direction]) => keyField(toByteString(name), direction === -1));
    const index = new Index({ ...stored, fields, pattern: Buffer.from(stored.pattern, 'base64') }, stored.multikey);
    if (isCommitted) index.isReady = true;
    else this.storage.onCommitted(() => { index.isReady = true; });
    this.savedMultikey.set(index, index.multikey);
    return index;
  }
}

/** `name` is a byte string. */
export function keyField(name: string, descending: boolean): KeyField {
  return { name, path: name.split('.'), descending };
}

function storedIndex(index: Index): StoredIndex {
  return {
    table: index.table,
    name: index.name,
    fields: index.fields.map((field) => [Buffer.from(field.name, 'latin1').toString(), field.descending ? -1 : 1]),
    pattern: index.pattern.toString('base64'),
    unique: index.unique,
    sparse: index.sparse,
    multikey: index.multikey,
  };
}

function catalogKey(kind: string, name: string): Buffer {
  return Buffer.concat([tablePrefix(CATALOG), Buffer.from(kind + name)]);
}
