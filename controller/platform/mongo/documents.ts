import type {
  Collection, Db, Filter, FindCursor, IndexDescription, OptionalUnlessRequiredId, UpdateFilter,
} from 'mongodb';
import { ensureIndexes } from './indexes.ts';
import { unlessTaken } from './mongo-errors.ts';

/** Documents removed at once; more than are added between two removals. */
const BATCH_SIZE = 1000;

/** The nullable fields of T. The compiler reports those missing from a list, except optional ones. */
type NullsOf<T> = { [K in keyof T as null extends T[K] ? K : never]: null };

type Within<T> = { readonly [K in keyof T]?: (value: NonNullable<T[K]>) => void };

/** Sets missing nullable fields of a stored value to null. Returns the value. */
type Restore<T> = (value: T) => T;

/**
 * Some databases drop fields written as null. `nulls` lists the nullable fields; `within` restores nested
 * values with nullable fields.
 */
export function restoring<T extends object>(nulls: NullsOf<T>, within: Within<T> = {}): Restore<T> {
  const names = Object.keys(nulls) as (keyof T)[];
  const inner = Object.entries(within) as [keyof T, (value: unknown) => void][];
  return (value) => {
    for (const name of names) if (value[name] === undefined) value[name] = null as T[keyof T];
    for (const [name, restore] of inner) if (typeof value[name] === 'object' && value[name]) restore(value[name]);
    return value;
  };
}

/** Restores each element of an array, or each value of a record. */
export function each<T>(restore: Restore<T>): (values: readonly T[] | Readonly<Record<string, T>>) => void {
  return (values) => {
    for (const value of Object.values(values)) restore(value);
  };
}

/** Base of stores of single documents. */
export abstract class Documents<Doc extends { _id: string }> {
  protected readonly all: Collection<Doc>;
  readonly #indexes: IndexDescription[];
  readonly #restore: Restore<Doc>;

  /** `restore` is for documents with fields that may be null. */
  constructor(
    db: Db, collection: string, indexes: IndexDescription[] = [], restore: Restore<Doc> = (doc) => doc,
  ) {
    this.all = db.collection<Doc>(collection);
    this.#indexes = indexes;
    this.#restore = restore;
  }

  async ensureIndexes(): Promise<void> {
    if (this.#indexes.length > 0) await ensureIndexes(this.all, this.#indexes);
  }

  async insert(doc: Doc): Promise<void> {
    await this.all.insertOne(doc as OptionalUnlessRequiredId<Doc>);
  }

  /** False if a unique index already holds one of its keys. */
  insertIfFree(doc: Doc): Promise<boolean> {
    return unlessTaken(this.insert(doc));
  }

  protected async findOne(filter: Filter<Doc>): Promise<Doc | null> {
    return this.#restored(await this.all.findOne(filter) as Doc | null);
  }

  /** Reads whole documents: `restore` would set fields that a projection omits to null. */
  protected select(filter: Filter<Doc>): FindCursor<Doc> {
    return this.all.find(filter).map((doc) => this.#restore(doc as Doc));
  }

  protected count(filter: Filter<Doc>): Promise<number> {
    return this.all.countDocuments(filter);
  }

  /** The updated document; null if none matches. */
  protected async change(filter: Filter<Doc>, update: UpdateFilter<Doc>): Promise<Doc | null> {
    const changed = await this.all.findOneAndUpdate(filter, update, { returnDocument: 'after' });
    return this.#restored(changed as Doc | null);
  }

  /** False if no document matches. */
  protected async update(filter: Filter<Doc>, update: UpdateFilter<Doc>): Promise<boolean> {
    return (await this.all.updateOne(filter, update)).matchedCount === 1;
  }

  /** False if no document matches. */
  protected async remove(filter: Filter<Doc>): Promise<boolean> {
    return (await this.all.deleteOne(filter)).deletedCount === 1;
  }

  #restored(doc: Doc | null): Doc | null {
    return doc && this.#restore(doc);
  }
}

/** Documents found by id alone, whoever owns them: callers must check the owner. */
export abstract class DocumentsById<Doc extends { _id: string }> extends Documents<Doc> {
  find(id: string): Promise<Doc | null> {
    return this.findOne({ _id: id } as Filter<Doc>);
  }

  async findMany(ids: string[]): Promise<Doc[]> {
    if (ids.length === 0) return [];
    return this.select({ _id: { $in: ids } } as Filter<Doc>).toArray();
  }

  /** False if it no longer exists. */
  delete(id: string): Promise<boolean> {
    return this.remove({ _id: id } as Filter<Doc>);
  }
}

/**
 * Removes up to `limit` documents whose `field`, by default the time of their creation, is before `before`
 * (Unix ms), oldest first; returns how many.
 */
export async function removeOlder<Doc extends { _id: string }>(
  of: Collection<Doc>, before: number, limit: number, field = 'created_at',
): Promise<number> {
  const aged = of.find({ [field]: { $lt: before } } as Filter<Doc>).sort({ [field]: 1 }).limit(limit);
  const ids = (await aged.project<{ _id: string }>({ _id: 1 }).toArray()).map((doc) => doc._id);
  if (ids.length > 0) await of.deleteMany({ _id: { $in: ids } } as Filter<Doc>);
  return ids.length;
}

/** Removes all but the newest `max` of the documents that match. */
export async function removeSurplus<Doc extends { _id: string; at: number }>(
  of: Collection<Doc>, filter: Filter<Doc>, max: number,
): Promise<void> {
  const surplus = of.find(filter).sort({ at: -1, _id: -1 }).skip(max).limit(BATCH_SIZE);
  const ids = (await surplus.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id);
  if (ids.length > 0) await of.deleteMany({ _id: { $in: ids } } as Filter<Doc>);
}
