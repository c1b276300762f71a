import type { Db, Document } from 'mongodb';

interface Query {
  collection: string;
  find: Document;
}

/** Remembers one of each shape of query that is sent, to ask the embedded store later how it would find its answer. */
export class QueryPlans {
  readonly #queries = new Map<string, Query>();

  readonly take = (command: Document): void => {
    for (const query of queriesOf(command)) {
      const shape = `${query.collection} ${JSON.stringify(shapeOf(query.find))}`;
      if (!this.#queries.has(shape)) this.#queries.set(shape, query);
    }
  };

  /** Shapes seen so far: few of them prove little. */
  get size(): number {
    return this.#queries.size;
  }

  /** Collections that were asked. */
  get collections(): Set<string> {
    return new Set([...this.#queries.values()].map(({ collection }) => collection));
  }

  /** Shapes that read a whole collection. */
  async collectionScans(db: Db): Promise<string[]> {
    const scans: string[] = [];
    for (const [shape, { collection, find }] of this.#queries) {
      const { queryPlanner } = await db.command({ explain: { find: collection, ...find }, verbosity: 'queryPlanner' });
      let stage = queryPlanner.winningPlan as Document | undefined;
      for (; stage !== undefined; stage = stage['inputStage'] as Document | undefined) if (stage['stage'] === 'COLLSCAN') scans.push(shape);
    }
    return scans;
  }
}

function queriesOf(command: Document): Query[] {
  const [name = ''] = Object.keys(command);
  const collection = String(command[name]);
  const of = (filter: Document | undefined, more: Document = {}): Query => ({ collection, find: { filter: filter ?? {}, ...more } });
  const { sort, hint } = command;
  const order = { ...(sort ? { sort } : {}), ...(hint ? { hint } : {}) };
  switch (name) {
    case 'find': return [of(command['filter'], order)];
    case 'count': return [of(command['query'], order)];
    case 'findAndModify': return [of(command['query'], order)];
    case 'update': return (command['updates'] as Document[]).map(({ q }) => of(q as Document));
    case 'delete': return (command['deletes'] as Document[]).map(({ q }) => of(q as Document));
    case 'aggregate': {
      const [first, second] = command['pipeline'] as Document[];
      const match = first?.['$match'] as Document | undefined;
      return [of(match, { ...(second?.['$sort'] ? { sort: second['$sort'] } : {}), ...(hint ? { hint } : {}) })];
    }
    default: return [];
  }
}

/** The same without its values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => isPlain(one)) ? value.map(shapeOf) : ['…'];
  if (value instanceof Map) return Object.fromEntries(value);
  if (!isPlain(value)) return value === null ? null : '…';
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
