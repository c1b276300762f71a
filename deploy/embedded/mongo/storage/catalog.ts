import { fromByteString, toByteString } from '../bson/value.ts';
import { keyField } from '../keys/index-keys.ts';
import { Collection } from './collection.ts';
import { Index, tablePrefix, type IndexSpec } from './index.ts';
import type { Storage } from './storage.ts';

/** The table that describes the others. */
const CATALOG = 0;

interface StoredIndex {
  table: number;
  name: string;
  fields: [name: string, direction: 1 | -1][];
  unique: boolean;
  sparse: boolean;
  multikey: boolean;
}

interface StoredCollection {
  table: number;
  indexes: StoredIndex[];
}

/** Tracks collections and indexes, and stores them in the same transactions as their data. */
export class Catalog {
  private readonly storage: Storage;
  private readonly byNs = new Map<string, Collection>();
  private nextTable = 1;

  constructor(storage: Storage) {
    this.storage = storage;
    const next = storage.get(catalogKey('n', ''));
    if (next !== undefined) this.nextTable = JSON.parse(next.toString()) as number;
    for (const { key, value } of storage.range(catalogKey('c', ''), catalogKey('d', ''))) {
      const stored = JSON.parse(value.toString()) as StoredCollection;
      const collection = this.newCollection(key.toString('utf8', 5), stored.table);
      collection.indexes.push(...stored.indexes.map(loadIndex));
    }
  }

  get(ns: string): Collection | undefined {
    return this.byNs.get(ns);
  }

  /** The collections of a database, by name. */
  *collectionsOf(database: string): Generator<[name: string, collection: Collection]> {
    const prefix = `${database}.`;
    for (const [ns, collection] of this.byNs) {
      if (ns.startsWith(prefix)) yield [ns.slice(prefix.length), collection];
    }
  }

  /** The collection, created if missing. Only inside a write job. */
  ensure(ns: string): Collection {
    const existing = this.byNs.get(ns);
    if (existing !== undefined) return existing;
    const collection = this.newCollection(ns, this.newTable());
    this.storage.onRolledBack(() => this.byNs.delete(ns));
    this.save(collection);
    return collection;
  }

  /** Adds an index and its entries. Throws if a document doesn't fit it. Only inside a write job. */
  addIndex(collection: Collection, spec: IndexSpec): void {
    const index = new Index(spec, this.newTable(), false);
    collection.addIndex(index);
    this.storage.onRolledBack(() => collection.indexes.pop());
    this.storage.onCommitted(() => {
      index.isReady = true;
    });
    this.save(collection);
  }

  private newCollection(ns: string, table: number): Collection {
    const collection = new Collection(this.storage, ns, table, (index) => {
      index.multikey = true;
      this.storage.onRolledBack(() => {
        index.multikey = false;
      });
      this.save(collection);
    });
    this.byNs.set(ns, collection);
    return collection;
  }

  private newTable(): number {
    const table = this.nextTable++;
    this.storage.put(catalogKey('n', ''), Buffer.from(JSON.stringify(this.nextTable)));
    return table;
  }

  private save(collection: Collection): void {
    const { ns, table, indexes } = collection;
    const stored: StoredCollection = { table, indexes: indexes.map(storedIndex) };
    this.storage.put(catalogKey('c', ns), Buffer.from(JSON.stringify(stored)));
  }
}

function loadIndex(stored: StoredIndex): Index {
  const fields = stored.fields.map(([name, direction]) => keyField(toByteString(name), direction === -1));
  const index = new Index({ ...stored, fields }, stored.table, stored.multikey);
  index.isReady = true;
  return index;
}

function storedIndex({ table, name, fields, unique, sparse, multikey }: Index): StoredIndex {
  return {
    table,
    name,
    fields: fields.map((field) => [fromByteString(field.name), field.descending ? -1 : 1]),
    unique,
    sparse,
    multikey,
  };
}

function catalogKey(kind: string, name: string): Buffer {
  return Buffer.concat([tablePrefix(CATALOG), Buffer.from(kind + name)]);
}
