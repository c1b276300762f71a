import { MongoBulkWriteError, MongoServerError, type BulkWriteResult, type Db, type WriteError } from 'mongodb';
import { matches } from '../store/model/match.ts';
import { updated } from '../store/model/update.ts';
import { compare, MISSING, reach, type Doc } from '../store/model/values.ts';
import type { Line } from './wire.ts';

type Docs = Map<string, Doc>;
type Update = { filter: Doc; update: Doc; upsert?: boolean };

const DUPLICATE = { message: 'duplicate key', code: 11_000 };

/** Documents by collection, then by id. */
export class SimulatedMongo {
  readonly #collections = new Map<string, Docs>();

  /** The connection of a process, for the product's own stores. Each call is one command on its wire. */
  db(wire: Line): Db {
    return { collection: (name: string) => new SimulatedCollection(this.#docs(name), wire) } as unknown as Db;
  }

  #docs(name: string): Docs {
    const docs = this.#collections.get(name) ?? new Map<string, Doc>();
    this.#collections.set(name, docs);
    return docs;
  }
}

/** Projections have no effect. */
class SimulatedCursor {
  readonly #read: (order: Doc, max: number) => Promise<Doc[]>;
  #order: Doc = {};
  #max = Infinity;
  #view = (doc: Doc): unknown => doc;

  constructor(read: (order: Doc, max: number) => Promise<Doc[]>) {
    this.#read = read;
  }

  sort(order: Doc): this {
    this.#order = order;
    return this;
  }

  limit(max: number): this {
    this.#max = max;
    return this;
  }

  project(): this {
    return this;
  }

  map(view: (doc: Doc) => unknown): this {
    this.#view = view;
    return this;
  }

  async toArray(): Promise<unknown[]> {
    return (await this.#read(this.#order, this.#max)).map((doc) => this.#view(doc));
  }
}

/** The commands that the stores of alerts use. */
class SimulatedCollection {
  readonly #docs: Docs;
  readonly #wire: Line;

  constructor(docs: Docs, wire: Line) {
    this.#docs = docs;
    this.#wire = wire;
  }

  find(filter: Doc): SimulatedCursor {
    return new SimulatedCursor((order, max) => (
      this.#wire.read(() => copy(sorted(this.#matching(filter), order).slice(0, max)))
    ));
  }

  findOne(filter: Doc, { sort = {} }: { sort?: Doc } = {}): Promise<Doc | null> {
    return this.#wire.read(() => copy(sorted(this.#matching(filter), sort)[0] ?? null));
  }

  async insertOne(doc: Doc): Promise<void> {
    if ((await this.#insert([doc])).length > 0) throw new MongoServerError(DUPLICATE);
  }

  async insertMany(docs: Doc[]): Promise<void> {
    const writeErrors = (await this.#insert(docs)).map((index) => ({ ...DUPLICATE, index }) as unknown as WriteError);
    if (writeErrors.length === 0) return;
    const result = { getWriteConcernError: () => undefined } as unknown as BulkWriteResult;
    throw new MongoBulkWriteError({ ...DUPLICATE, writeErrors }, result);
  }

  updateOne(filter: Doc, update: Doc): Promise<{ matchedCount: number }> {
    return this.#update(filter, update, 1);
  }

  updateMany(filter: Doc, update: Doc): Promise<{ matchedCount: number }> {
    return this.#update(filter, update, Infinity);
  }

  bulkWrite(writes: { updateOne: Update }[]): Promise<void> {
    return this.#wire.write(copy(writes).map(({ updateOne: { filter, update, upsert } }) => () => {
      const [found] = this.#matching(filter);
      if (found) this.#change(found, update);
      else if (upsert) this.#docs.set(idOf(filter), updated(filter, update, true) ?? filter);
    }), () => undefined);
  }

  findOneAndUpdate(
    filter: Doc, update: Doc, { returnDocument }: { returnDocument: 'before' | 'after' },
  ): Promise<Doc | null> {
    const change = copy(update);
    let result: Doc | null = null;
    return this.#wire.write([() => {
      const [before] = this.#matching(filter);
      const after = before ? this.#change(before, change) : null;
      result = copy((returnDocument === 'before' ? before : after) ?? null);
    }], () => result);
  }

  deleteOne(filter: Doc): Promise<{ deletedCount: number }> {
    return this.#delete(filter, 1);
  }

  deleteMany(filter: Doc): Promise<{ deletedCount: number }> {
    return this.#delete(filter, Infinity);
  }

  /** Returns the indexes of those whose ids are taken. */
  #insert(docs: Doc[]): Promise<number[]> {
    const taken: number[] = [];
    return this.#wire.write(copy(docs).map((doc, index) => () => {
      if (this.#docs.has(idOf(doc))) taken.push(index);
      else this.#docs.set(idOf(doc), doc);
    }), () => taken);
  }

  #update(filter: Doc, update: Doc, max: number): Promise<{ matchedCount: number }> {
    const change = copy(update);
    let matchedCount = 0;
    return this.#wire.write([() => {
      const found = this.#matching(filter).slice(0, max);
      matchedCount = found.length;
      for (const doc of found) this.#change(doc, change);
    }], () => ({ matchedCount }));
  }

  #delete(filter: Doc, max: number): Promise<{ deletedCount: number }> {
    let deletedCount = 0;
    return this.#wire.write([() => {
      const found = this.#matching(filter).slice(0, max);
      deletedCount = found.length;
      for (const doc of found) this.#docs.delete(idOf(doc));
    }], () => ({ deletedCount }));
  }

  #change(doc: Doc, update: Doc): Doc {
    const after = updated(doc, update, false);
    if (after === null) throw new Error(`refused update ${JSON.stringify(update)}`);
    this.#docs.set(idOf(doc), after);
    return after;
  }

  /** In the order of their insertion. */
  #matching(filter: Doc): Doc[] {
    const { _id: id } = filter;
    const one = typeof id === 'string' ? this.#docs.get(id) : undefined;
    const candidates = typeof id !== 'string' ? [...this.#docs.values()] : one ? [one] : [];
    return candidates.filter((doc) => matches(doc, filter));
  }
}

function idOf({ _id }: Doc): string {
  return _id as string;
}

/** As the driver writes it: without undefined fields. */
function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function sorted(docs: Doc[], order: Doc): Doc[] {
  const by = Object.entries(order) as [string, 1 | -1][];
  if (by.length === 0) return docs;
  const valueOf = (doc: Doc, path: string) => reach(doc, path.split('.'))[0] ?? MISSING;
  return docs.sort((one, other) => {
    for (const [path, direction] of by) {
      const found = compare(valueOf(one, path), valueOf(other, path)) * direction;
      if (found !== 0) return found;
    }
    return 0;
  });
}
