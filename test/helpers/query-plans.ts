import { serialize, type Document } from 'bson';
import { documentValue } from '../../deploy/embedded/mongo/bson/value.ts';
import { parseFilter } from '../../deploy/embedded/mongo/query/filter.ts';
import { choosePlan } from '../../deploy/embedded/mongo/query/plan.ts';
import { parsePattern } from '../../deploy/embedded/mongo/query/sort.ts';
import { Index } from '../../deploy/embedded/mongo/storage/index.ts';

interface Query {
  collection: string;
  filter: Document;
  sort?: Document;
  hint?: string;
}

/** Records one query of each shape, so that the embedded store's planner can explain it. */
export class QueryPlans {
  readonly #queries = new Map<string, Query>();
  readonly #indexes = new Map<string, Index[]>();

  readonly take = (command: Document): void => {
    if ('createIndexes' in command) this.#createIndexes(command);
    for (const query of queriesOf(command)) {
      const { collection, ...find } = query;
      const shape = `${collection} ${JSON.stringify(shapeOf(find))}`;
      if (!this.#queries.has(shape)) this.#queries.set(shape, query);
    }
  };

  /** Number of shapes so far; a small one proves little. */
  get size(): number {
    return this.#queries.size;
  }

  /** Collections that were queried. */
  get collections(): Set<string> {
    return new Set([...this.#queries.values()].map(({ collection }) => collection));
  }

  /** Shapes that scan a whole collection. */
  collectionScans(): string[] {
    return [...this.#queries].filter(([, query]) => this.#isCollectionScan(query)).map(([shape]) => shape);
  }

  #isCollectionScan({ collection, filter, sort, hint }: Query): boolean {
    const order = sort === undefined ? [] : parsePattern(encoded(sort));
    const indexes = this.#indexes.get(collection) ?? [];
    const plan = choosePlan(indexes, parseFilter(encoded(filter)), order, hint ?? null);
    return plan.index === null && plan.ranges[0]?.from.length === 0;
  }

  #createIndexes({ createIndexes: collection, indexes: specs }: Document): void {
    const indexes = this.#indexes.get(collection) ?? [];
    this.#indexes.set(collection, indexes);
    for (const { name, key, unique = false, sparse = false } of specs as Document[]) {
      if (indexes.some((index) => index.name === name)) continue;
      const fields = parsePattern(encoded(key));
      const index = new Index({ name, fields, unique, sparse }, indexes.length, false);
      index.isReady = true;
      indexes.push(index);
    }
  }
}

const encoded = (document: Document) => documentValue(Buffer.from(serialize(document)));

function queriesOf(command: Document): Query[] {
  const [name = ''] = Object.keys(command);
  const collection = String(command[name]);
  switch (name) {
    case 'find': {
      const { filter, sort, hint } = command;
      return [{ collection, filter: filter ?? {}, ...(sort ? { sort } : {}), ...(hint ? { hint } : {}) }];
    }
    case 'findAndModify': return [{ collection, filter: command['query'] ?? {} }];
    case 'update': return (command['updates'] as Document[]).map(({ q }) => ({ collection, filter: q }));
    case 'delete': return (command['deletes'] as Document[]).map(({ q }) => ({ collection, filter: q }));
    case 'aggregate': return [{ collection, filter: command['pipeline'][0].$match }];
    default: return [];
  }
}

/** The query without its values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 && value.every(isPlain) ? value.map(shapeOf) : ['…'];
  if (value instanceof Map) return Object.fromEntries(value);
  if (!isPlain(value)) return value === null ? null : '…';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
