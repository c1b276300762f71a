import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize, type Document } from 'bson';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentValue, type Value } from '../../deploy/embedded/mongo/bson/value.ts';
import { keyField } from '../../deploy/embedded/mongo/keys/index-keys.ts';
import { parseFilter } from '../../deploy/embedded/mongo/query/filter.ts';
import { findHits } from '../../deploy/embedded/mongo/query/hits.ts';
import { matcherOf } from '../../deploy/embedded/mongo/query/matcher.ts';
import { choosePlan } from '../../deploy/embedded/mongo/query/plan.ts';
import { Scan } from '../../deploy/embedded/mongo/query/scan.ts';
import { parsePattern } from '../../deploy/embedded/mongo/query/sort.ts';
import { Catalog } from '../../deploy/embedded/mongo/storage/catalog.ts';
import type { Collection } from '../../deploy/embedded/mongo/storage/collection.ts';
import { openEngine } from '../../deploy/embedded/mongo/storage/engine.ts';
import { Storage } from '../../deploy/embedded/mongo/storage/storage.ts';

// The planner of the embedded store, and how many documents a scan reads.
const people = Array.from({ length: 400 }, (_, i) => ({
  _id: `p${String(i).padStart(3, '0')}`,
  org: i % 8,
  at: 400 - i,
  mail: `m${i}@x`,
  tags: [`t${i % 10}`, `u${i % 7}`],
  ...(i % 50 === 0 ? { mark: i } : {}),
  o: { k: i % 3 },
  tier: i % 4,
  place: `r${i % 4 === 1 ? i % 8 : i % 3}`,
}));

const indexes = [
  { name: 'org_at', fields: [keyField('org'), keyField('at', true)], unique: false, sparse: false },
  { name: 'mail', fields: [keyField('mail')], unique: true, sparse: false },
  { name: 'mark', fields: [keyField('mark')], unique: false, sparse: true },
  { name: 'tags', fields: [keyField('tags')], unique: false, sparse: false },
  { name: 'tier_place', fields: [keyField('tier'), keyField('place', true)], unique: false, sparse: false },
  { name: 'ok', fields: [keyField('o.k'), keyField('at')], unique: false, sparse: false },
];

let dir: string;
let storage: Storage;
let collection: Collection;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-plan-'));
  storage = new Storage(await openEngine(dir), (error) => expect.unreachable(String(error)));
  const catalog = new Catalog(storage);
  collection = await storage.write(() => {
    const created = catalog.ensure('x.people');
    for (const person of people) created.insert(Buffer.from(serialize(person)));
    for (const index of indexes) catalog.addIndex(created, index);
    return created;
  });
});
afterAll(async () => {
  await storage.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Find {
  filter: Document;
  sort?: Document;
  hint?: string;
  skip?: number;
}

interface Explained {
  /** The index, `_id`, or `all` for the whole collection; then `backward` and `sort` where they apply. */
  plan: string;
  docs: number;
  returned: number;
}

const encoded = (doc: Document): Value => documentValue(Buffer.from(serialize(doc)));

function explain({ filter, sort, hint, skip = 0 }: Find): Explained {
  const parsed = parseFilter(encoded(filter));
  const order = sort === undefined ? [] : parsePattern(encoded(sort));
  const plan = choosePlan(collection.indexes, parsed, order, hint ?? null);
  const name = plan.index?.name ?? (plan.ranges[0]?.from.length === 0 ? 'all' : '_id');
  const words = [name, plan.reverse ? 'backward' : '', plan.isSorted ? '' : 'sort'];
  const matches = matcherOf(parsed);
  let docs = 0;
  const scan = new Scan(storage, collection, plan, (doc) => {
    docs++;
    return matches(doc);
  });
  let returned = plan.isSorted && skip > 0 && scan.skip(skip) ? 0 : -skip;
  while (scan.next() !== undefined) returned++;
  return { plan: words.filter((word) => word !== '').join(' '), docs, returned: Math.max(0, returned) };
}

const cases: [Find, Partial<Explained>][] = [
  [{ filter: { _id: { $gte: 'p010', $lt: 'p020' } } }, { plan: '_id', docs: 10, returned: 10 }],
  [{ filter: { _id: { $in: ['p010', 'p020', 'nobody'] } } }, { plan: '_id', docs: 2, returned: 2 }],
  // Even if more fields of another index are fixed too, as a tenant's fields always are.
  [
    { filter: { 'o.k': 1, at: { $gt: 0 }, _id: { $in: ['p010', 'p013', 'nobody'] } } },
    { plan: '_id', docs: 2, returned: 2 },
  ],
  [
    { filter: { 'o.k': 1, at: { $in: [390, 387] }, mail: { $in: ['m10@x', 'm13@x'] } } },
    { plan: 'mail', docs: 2, returned: 2 },
  ],
  [{ filter: { _id: { $gt: 'p390' } }, sort: { _id: -1 } }, { plan: '_id backward', docs: 9 }],
  [{ filter: { org: 3 } }, { plan: 'org_at', docs: 50, returned: 50 }],
  [{ filter: { org: 3 }, sort: { at: -1 } }, { plan: 'org_at', docs: 50 }],
  [{ filter: { org: 3 }, sort: { at: 1 } }, { plan: 'org_at backward', docs: 50 }],
  [{ filter: { org: 3 }, sort: { at: -1 }, skip: 45 }, { plan: 'org_at', docs: 5, returned: 5 }],
  [{ filter: { org: 3 }, sort: { at: 1 }, skip: 48 }, { plan: 'org_at backward', docs: 2, returned: 2 }],
  [{ filter: { org: 3 }, sort: { at: 1 }, skip: 60 }, { docs: 0, returned: 0 }],
  [{ filter: { org: 3, mail: { $gt: 'm2' } }, sort: { at: -1 }, skip: 5 }, { docs: 50 }],
  [{ filter: { tags: 't3' }, skip: 5 }, { docs: 40, returned: 35 }],
  [{ filter: { org: 3, at: { $gt: 100, $lte: 200 } } }, { plan: 'org_at', docs: 13, returned: 13 }],
  [{ filter: { org: { $in: [1, 2] }, at: { $gt: 350 } } }, { plan: 'org_at', docs: 13, returned: 13 }],
  [{ filter: { org: { $in: [1, 2] } }, sort: { at: -1 } }, { plan: 'org_at sort', docs: 100 }],
  [{ filter: { org: { $gte: 6 } }, sort: { org: 1, at: -1 } }, { plan: 'org_at', docs: 100 }],
  [{ filter: { mail: 'm7@x', org: 7 } }, { plan: 'mail', docs: 1, returned: 1 }],
  [{ filter: { mark: { $exists: true } } }, { plan: 'mark', docs: 8, returned: 8 }],
  [{ filter: { mark: 50 } }, { plan: 'mark', docs: 1, returned: 1 }],
  [{ filter: { mark: null } }, { plan: 'all', returned: 392 }],
  [{ filter: { tags: 't3' } }, { plan: 'tags', docs: 40, returned: 40 }],
  [{ filter: { 'o.k': 1, at: { $lt: 30 } }, sort: { at: 1 } }, { plan: 'ok', docs: 9, returned: 9 }],
  [{ filter: { at: 5 } }, { plan: 'all', docs: 400, returned: 1 }],
  [{ filter: {}, sort: { org: 1, at: -1 } }, { plan: 'org_at', docs: 400 }],
  [{ filter: {}, sort: { at: 1 } }, { plan: 'all sort', docs: 400 }],
  [{ filter: {}, sort: { tags: 1 } }, { plan: 'all sort' }],
  [{ filter: { org: 3 }, hint: 'mail' }, { plan: 'mail', returned: 50 }],
  [{ filter: {}, hint: 'mark' }, { plan: 'mark', returned: 8 }],
];

test.each(cases)('the planner picks the index that reads fewest documents: %j', (find, expected) => {
  expect(explain(find)).toMatchObject(expected);
});

test('a long list of ids reads only the documents it names', () => {
  const ids = Array.from({ length: 5000 }, (_, at) => (at < 9 ? `p01${at}` : `nobody${at}`));
  expect(explain({ filter: { _id: { $in: ids } } })).toEqual({ plan: '_id', docs: 9, returned: 9 });
  const mails = ids.map((_, at) => `m${at + 393}@x`);
  expect(explain({ filter: { org: 1, mail: { $in: mails } } })).toMatchObject({ plan: 'mail', docs: 7 });
});

test('lists of several fields are combined up to a limit', () => {
  const [few, many] = [[0, 1], Array.from({ length: 5000 }, (_, at) => at)];
  expect(explain({ filter: { 'o.k': 2, at: { $in: many } } })).toMatchObject({ plan: 'ok', docs: 133 });
  expect(explain({ filter: { 'o.k': { $in: few }, at: { $in: many } } })).toMatchObject({ docs: 267, returned: 267 });
});

test.each<[Document, number, number]>([
  [{}, 400, 0],
  [{ org: 3 }, 50, 0],
  [{ org: { $in: [3, 4, 9] } }, 100, 0],
  [{ org: 3, at: 397 }, 1, 0],
  [{ org: 3, at: null }, 0, 0],
  [{ org: 3, at: { $gt: 200 } }, 25, 25],
  [{ mail: { $gte: 'm2', $lt: 'm3' } }, 111, 0],
  [{ org: 3, 'o.k': 1 }, 16, 50],
  [{ mail: { $in: ['m7@x', 'nobody'] } }, 1, 1],
  [{ _id: { $in: ['p010', 'nobody'] } }, 1, 1],
  [{ tags: 't3' }, 40, 40],
  [{ mark: 50 }, 1, 1],
])('counts the matches of %j, from index keys alone where they suffice', (filter, count, docs) => {
  const parsed = parseFilter(encoded(filter));
  const matches = matcherOf(parsed);
  let read = 0;
  const scan = new Scan(storage, collection, choosePlan(collection.indexes, parsed, [], null), (doc) => {
    read++;
    return matches(doc);
  });
  expect([scan.count(Infinity), read]).toEqual([count, docs]);
});

test.each<[Document, string, number, number]>([
  [{ tier: 1 }, 'place', 2, 2],
  [{ tier: { $in: [0, 1] }, place: { $gt: '' } }, 'place', 5, 5],
  [{ tier: 1, org: 5 }, 'place', 50, 50],
  [{ org: 3 }, 'place', 50, 50],
  [{ mail: 'm7@x' }, 'place', 1, 1],
])('groups the matches of %j by %s, reading one document per group where index keys suffice', (filter, by, groups, docs) => {
  let read = 0;
  const counted = Object.assign(Object.create(collection) as Collection, {
    get: (idKey: Buffer) => {
      read++;
      return collection.get(idKey);
    },
  });
  const found = [...findHits(storage, counted, parseFilter(encoded(filter))).groups(by)];
  expect([found.length, read]).toEqual([groups, docs]);
});

test('a hint to a missing index is rejected', () => {
  expect(() => explain({ filter: {}, hint: 'nope' })).toThrow('there is no index nope');
});
