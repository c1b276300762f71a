import { matches } from './match.ts';
import { updated } from './update.ts';
import { compare, compareIndexed, indexed, MISSING, type Doc } from './values.ts';

export interface ModelIndex {
  readonly name: string;
  readonly paths: readonly string[];
  readonly unique: boolean;
  readonly sparse: boolean;
}

export type Outcome = 'ok' | 'error';

/** A collection as the manual describes it, in an array: the oracle of the random tests. */
export class ModelCollection {
  docs: Doc[] = [];
  indexes: ModelIndex[] = [];

  copy(): ModelCollection {
    const twin = new ModelCollection();
    twin.docs = [...this.docs];
    twin.indexes = [...this.indexes];
    return twin;
  }

  find(filter: Doc): Doc[] {
    return this.docs.filter((doc) => matches(doc, filter));
  }

  sorted(docs: readonly Doc[], sort: readonly (readonly [string, 1 | -1])[]): Doc[] {
    return [...docs].sort((a, b) => {
      for (const [path, direction] of sort) {
        const order =
          compareIndexed(sortValue(a, path, direction), sortValue(b, path, direction)) * direction;
        if (order !== 0) return order;
      }
      return 0;
    });
  }

  insert(doc: Doc): Outcome {
    if (this.isRefused(doc, undefined)) return 'error';
    this.docs.push(doc);
    return 'ok';
  }

  /** The document after the update, or an error with nothing changed. */
  update(doc: Doc, update: Doc): Doc | 'error' {
    const after = updated(doc, update, false);
    if (after === null || compare(after['_id'], doc['_id']) !== 0 || this.isRefused(after, doc)) {
      return 'error';
    }
    this.docs[this.docs.indexOf(doc)] = after;
    return after;
  }

  remove(doc: Doc): void {
    this.docs.splice(this.docs.indexOf(doc), 1);
  }

  createIndex(index: ModelIndex): Outcome {
    const others: Doc[] = [];
    for (const doc of this.docs) {
      if (clashes(index, doc, others)) return 'error';
      others.push(doc);
    }
    this.indexes.push(index);
    return 'ok';
  }

  private isRefused(doc: Doc, self: Doc | undefined): boolean {
    const others = this.docs.filter((other) => other !== self);
    if (others.some((other) => compare(other['_id'], doc['_id']) === 0)) return true;
    return this.indexes.some((index) => clashes(index, doc, others));
  }
}

function sortValue(doc: Doc, path: string, direction: 1 | -1): unknown {
  return indexed(doc, path.split('.')).reduce(
    (best, value) => (compareIndexed(value, best) * direction < 0 ? value : best),
  );
}

function clashes(index: ModelIndex, doc: Doc, others: readonly Doc[]): boolean {
  const own = keysOf(index, doc);
  if (own === null) return true;
  if (!index.unique) return false;
  return others.some((other) => keysOf(index, other)?.some(
    (key) => own.some((mine) => key.every((part, i) => compareIndexed(part, mine[i]) === 0)),
  ) ?? false);
}

/** Null when two arrays meet in one index, which is an error. */
function keysOf(index: ModelIndex, doc: Doc): unknown[][] | null {
  const lists = index.paths.map((path) => indexed(doc, path.split('.')));
  const arrays = new Set(
    index.paths.map((path) => arrayPlace(doc, path.split('.'), '')).filter((place) => place !== null),
  );
  if (arrays.size > 1) return null;
  if (index.sparse && lists.every((list) => list.every((value) => value === MISSING))) return [];
  return lists.reduce<unknown[][]>(
    (keys, list) => keys.flatMap((key) => list.map((value) => [...key, value])), [[]],
  );
}

/** The path to the first array along `path`; null when there is none. */
function arrayPlace(value: unknown, path: readonly string[], place: string): string | null {
  if (Array.isArray(value)) return place;
  const [part, ...rest] = path;
  if (part === undefined || typeof value !== 'object' || value === null) return null;
  return arrayPlace((value as Doc)[part], rest, `${place}.${part}`);
}
