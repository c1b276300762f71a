import type { Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { isEmbedded, withMongo } from './with-mongo.ts';

const mongo = withMongo();

interface Explained {
  /** Stages from the top, as `SORT > FETCH > IXSCAN a`. */
  readonly plan: string;
  readonly keys: number;
  readonly docs: number;
  readonly returned: number;
}

async function explain(collection: string, find: Document): Promise<Explained> {
  const reply = await mongo.db.command({ explain: { find: collection, ...find }, verbosity: 'executionStats' });
  const stages: string[] = [];
  for (let stage = reply['queryPlanner'].winningPlan as Document | undefined; stage !== undefined; stage = stage['inputStage'] as Document | undefined) {
    stages.push([stage['stage'], stage['indexName'], stage['direction'] === 'backward' ? 'backward' : undefined].filter((part) => part !== undefined).join(' '));
  }
  const { totalKeysExamined: keys, totalDocsExamined: docs, nReturned: returned } = reply['executionStats'];
  return { plan: stages.join(' > '), keys, docs, returned };
}

describe.runIf(isEmbedded)('the planner', () => {
  const people = Array.from({ length: 400 }, (_, i) => ({
    _id: `p${String(i).padStart(3, '0')}`,
    org: i % 8,
    at: 400 - i,
    mail: `m${i}@x`,
    tags: [`t${i % 10}`, `u${i % 7}`],
    ...(i % 50 === 0 ? { mark: i } : {}),
    o: { k: i % 3 },
  }));

  async function filled(): Promise<string> {
    const collection = await mongo.filled(people);
    await collection.createIndexes([
      { key: { org: 1, at: -1 }, name: 'org_at' },
      { key: { mail: 1 }, name: 'mail', unique: true },
      { key: { mark: 1 }, name: 'mark', sparse: true },
      { key: { tags: 1 }, name: 'tags' },
      { key: { 'o.k': 1, at: 1 }, name: 'ok' },
    ]);
    return collection.collectionName;
  }

  test('uses an index for what it can narrow or order, and reads no more than it must', async () => {
    const name = await filled();
    const cases: [Document, Partial<Explained>][] = [
      [{ filter: { _id: 'p001' } }, { plan: 'IDHACK', returned: 1 }],
      [{ filter: { _id: { $gte: 'p010', $lt: 'p020' } } }, { plan: 'FETCH > IXSCAN _id_', docs: 10, returned: 10 }],
      [{ filter: { _id: { $in: ['p010', 'p020', 'nobody'] } } }, { plan: 'FETCH > IXSCAN _id_', docs: 2, returned: 2 }],
      // However many fields of another index are given too, as those of a tenant always are.
      [{ filter: { 'o.k': 1, at: { $gt: 0 }, _id: { $in: ['p010', 'p013', 'nobody'] } } }, { plan: 'FETCH > IXSCAN _id_', docs: 2, returned: 2 }],
      [{ filter: { 'o.k': 1, at: { $in: [390, 387] }, mail: { $in: ['m10@x', 'm13@x'] } } }, { plan: 'FETCH > IXSCAN mail', docs: 2, returned: 2 }],
      [{ filter: { _id: { $regex: '^p01' } } }, { plan: 'FETCH > IXSCAN _id_', docs: 10, returned: 10 }],
      [{ filter: { _id: { $gt: 'p390' } }, sort: { _id: -1 } }, { plan: 'FETCH > IXSCAN _id_ backward', docs: 9 }],
      [{ filter: { org: 3 } }, { plan: 'FETCH > IXSCAN org_at', docs: 50, returned: 50 }],
      [{ filter: { org: 3 }, sort: { at: -1 } }, { plan: 'FETCH > IXSCAN org_at', docs: 50 }],
      [{ filter: { org: 3 }, sort: { at: 1 } }, { plan: 'FETCH > IXSCAN org_at backward', docs: 50 }],
      [{ filter: { org: 3 }, sort: { at: -1 }, skip: 45 }, { plan: 'FETCH > IXSCAN org_at', keys: 5, docs: 5, returned: 5 }],
      [{ filter: { org: 3 }, sort: { at: 1 }, skip: 48 }, { plan: 'FETCH > IXSCAN org_at backward', keys: 2, docs: 2, returned: 2 }],
      [{ filter: { org: 3 }, sort: { at: 1 }, skip: 60 }, { docs: 0, returned: 0 }],
      [{ filter: { org: 3, mail: { $gt: 'm2' } }, sort: { at: -1 }, skip: 5 }, { docs: 50 }],
      [{ filter: { tags: 't3' }, skip: 5 }, { docs: 40, returned: 35 }],
      [{ filter: { org: 3, at: { $gt: 100, $lte: 200 } } }, { plan: 'FETCH > IXSCAN org_at', docs: 13, returned: 13 }],
      [{ filter: { org: { $in: [1, 2] }, at: { $gt: 350 } } }, { plan: 'FETCH > IXSCAN org_at', docs: 13, returned: 13 }],
      [{ filter: { org: { $in: [1, 2] } }, sort: { at: -1 } }, { plan: 'SORT > FETCH > IXSCAN org_at', docs: 100 }],
      [{ filter: { org: { $gte: 6 } }, sort: { org: 1, at: -1 } }, { plan: 'FETCH > IXSCAN org_at', docs: 100 }],
      [{ filter: { mail: 'm7@x', org: 7 } }, { plan: 'FETCH > IXSCAN mail', keys: 1, docs: 1, returned: 1 }],
      [{ filter: { mark: { $exists: true } } }, { plan: 'FETCH > IXSCAN mark', docs: 8, returned: 8 }],
      [{ filter: { mark: 50 } }, { plan: 'FETCH > IXSCAN mark', docs: 1, returned: 1 }],
      [{ filter: { mark: null } }, { plan: 'COLLSCAN', returned: 392 }],
      [{ filter: { tags: 't3' } }, { plan: 'FETCH > IXSCAN tags', docs: 40, returned: 40 }],
      [{ filter: { 'o.k': 1, at: { $lt: 30 } }, sort: { at: 1 } }, { plan: 'FETCH > IXSCAN ok', docs: 9, returned: 9 }],
      [{ filter: { $and: [{ org: 3 }, { at: 1 }] } }, { plan: 'FETCH > IXSCAN org_at' }],
      [{ filter: { at: 5 } }, { plan: 'COLLSCAN', docs: 400, returned: 1 }],
      [{ filter: {}, sort: { org: 1, at: -1 } }, { plan: 'FETCH > IXSCAN org_at', docs: 400 }],
      [{ filter: {}, sort: { at: 1 } }, { plan: 'SORT > COLLSCAN', docs: 400 }],
      [{ filter: { org: 3 }, hint: { $natural: 1 } }, { plan: 'COLLSCAN', returned: 50 }],
      [{ filter: { org: 3 }, hint: 'mail' }, { plan: 'FETCH > IXSCAN mail', returned: 50 }],
      [{ filter: { org: 3 }, hint: { org: 1, at: -1 } }, { plan: 'FETCH > IXSCAN org_at', returned: 50 }],
    ];
    for (const [find, expected] of cases) expect(await explain(name, find), JSON.stringify(find)).toMatchObject(expected);
  });

  test('an order over an array is not read from its index', async () => {
    const name = await filled();
    expect(await explain(name, { filter: {}, sort: { tags: 1 } })).toMatchObject({ plan: 'SORT > COLLSCAN' });
  });

  test('both ends of a range over an array are not joined: different elements may meet them', async () => {
    const collection = await mongo.filled([{ _id: 1, t: [1, 9] }, { _id: 2, t: [5] }, { _id: 3, t: [9] }]);
    await collection.createIndex({ t: 1 }, { name: 't' });
    const found = await collection.find({ t: { $gt: 4, $lt: 6 } }, { hint: 't', sort: { _id: 1 } }).toArray();
    expect(found.map((doc) => doc._id)).toEqual([1, 2]);
  });

  test('two fields under one array are not narrowed together: different elements may meet them', async () => {
    const collection = await mongo.filled([{ _id: 1, l: [{ x: 1, y: 2 }, { x: 3, y: 4 }] }]);
    await collection.createIndex({ 'l.x': 1, 'l.y': 1 }, { name: 'xy' });
    expect(await collection.find({ 'l.x': 1, 'l.y': 4 }, { hint: 'xy' }).toArray()).toHaveLength(1);
  });

  test('a hint to an index that is not there is refused', async () => {
    const name = await filled();
    await expect(mongo.db.collection(name).find({}, { hint: 'nope' }).toArray()).rejects.toMatchObject({ code: 2 });
    await expect(mongo.db.collection(name).find({}, { hint: { at: 1 } }).toArray()).rejects.toMatchObject({ code: 2 });
  });

  test('a sparse index with a hint returns what it holds', async () => {
    const name = await filled();
    expect(await mongo.db.collection(name).find({}, { hint: 'mark' }).toArray()).toHaveLength(8);
  });
});
