import { inspect } from 'node:util';
import fc from 'fast-check';
import { MongoServerError, type Collection, type Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import {
  change, changeOfUnique, document, filter, id, index, replacement, sort,
} from './model/arbitraries.ts';
import { ModelCollection } from './model/collection.ts';
import { updated } from './model/update.ts';
import { compare, type Doc } from './model/values.ts';
import { withMongo } from './with-mongo.ts';

const RUNS = Number(process.env['STORE_RANDOM_RUNS'] ?? 20);
/** The embedded store holds up to 1,024 collections and indexes, and never removes one. */
const MAX_RUNS_PER_STORE = 200;
const runsPerStore = Array.from(
  { length: Math.ceil(RUNS / MAX_RUNS_PER_STORE) }, (_, at) => Math.min(MAX_RUNS_PER_STORE, RUNS - at * MAX_RUNS_PER_STORE),
);

interface World {
  readonly real: Collection<Document>;
  readonly model: ModelCollection;
}

type Step = (world: World) => Promise<void>;

/** A step that prints its input when a sequence fails. */
function step<T>(name: string, input: fc.Arbitrary<T>, make: (value: T) => Step): fc.Arbitrary<Step> {
  return input.map((value) => Object.assign(
    (world: World) => make(value)(world),
    { [fc.toStringMethod]: () => `${name}(${inspect(value, { depth: 9 })})` },
  ));
}

const byId = (docs: readonly Doc[]): Doc[] => [...docs].sort((a, b) => compare(a['_id'], b['_id']));

async function outcome(action: Promise<unknown>): Promise<'ok' | 'error'> {
  try {
    await action;
    return 'ok';
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    return 'error';
  }
}

const insertMany = step('insertMany', fc.array(
  document, { minLength: 1, maxLength: 5 },
), (docs) => async ({ real, model }) => {
  const failures = docs.map((doc) => model.insert({ ...doc })).filter((result) => result === 'error').length;
  const inserted = await real.insertMany(docs, { ordered: false }).catch(
    (error: unknown) => error as { insertedCount?: number; result?: { insertedCount: number } },
  );
  expect(inserted.insertedCount, 'inserted').toBe(docs.length - failures);
});

const findAll = step('findAll', filter, (wanted) => async ({ real, model }) => {
  expect(byId(await real.find(wanted, { batchSize: 3 }).toArray())).toEqual(byId(model.find(wanted)));
  expect(await real.countDocuments(wanted)).toBe(model.find(wanted).length);
});

const findSorted = step('findSorted', fc.tuple(
  filter, sort, fc.nat(3), fc.nat(4),
), ([wanted, order, skip, limit]) => async ({ real, model }) => {
  const full = [...order, ['_id', 1] as [string, 1 | -1]];
  const found =
    await real.find(wanted, { sort: Object.fromEntries(full), skip, limit, batchSize: 2 }).toArray();
  expect(found).toEqual(
    model.sorted(model.find(wanted), full).slice(skip, limit === 0 ? undefined : skip + limit),
  );
});

const findHinted = step('findHinted', fc.tuple(
  filter, fc.nat(10),
), ([wanted, pick]) => async ({ real, model }) => {
  const usable = model.indexes.filter((candidate) => !candidate.sparse);
  const hint = usable[pick % Math.max(1, usable.length)]?.name;
  if (hint === undefined) return;
  const viaIndex = byId(await real.find(wanted, { hint }).toArray());
  expect(viaIndex, `hint ${hint}`).toEqual(byId(model.find(wanted)));
});

const updateById = step('updateById', fc.tuple(
  id, fc.oneof(change, changeOfUnique), fc.boolean(),
), ([_id, how, upsert]) => async ({ real, model }) => {
  const before = model.find({ _id })[0];
  const expected =
    before === undefined ? (upsert ? upsertInModel(model, { _id }, how) : null) : model.update(before, how);
  const result =
    await real.updateOne({ _id: _id as never }, how, { upsert }).catch((error: unknown) => error);
  if (expected === 'error') return expect(result).toBeInstanceOf(MongoServerError);
  const isModified = before !== undefined && expected !== null && !isSame(before, expected);
  expect(result).toMatchObject({
    matchedCount: before === undefined ? 0 : 1, modifiedCount: isModified ? 1 : 0,
    upsertedCount: before === undefined && upsert ? 1 : 0,
  });
});

function upsertInModel(model: ModelCollection, base: Doc, how: Doc): Doc | 'error' {
  const doc = updated(base, how, true);
  return doc === null || model.insert(doc) === 'error' ? 'error' : doc;
}

function isSame(a: unknown, b: unknown): boolean {
  try {
    expect(a).toStrictEqual(b);
    return true;
  } catch {
    return false;
  }
}

const updateMany = step('updateMany', fc.tuple(
  filter, change,
), ([wanted, how]) => async ({ real, model }) => {
  const hits = model.find(wanted);
  // With an error in the middle, the order of the scan decides which documents have changed.
  if (hits.some((doc) => model.copy().update(doc, how) === 'error')) return;
  for (const doc of hits) model.update(doc, how);
  expect(await real.updateMany(wanted, how)).toMatchObject({ matchedCount: hits.length });
});

const replaceOne = step('replaceOne', fc.tuple(
  id, replacement, fc.boolean(),
), ([_id, doc, upsert]) => async ({ real, model }) => {
  const before = model.find({ _id })[0];
  const expected =
    before === undefined ? (upsert ? model.insert({ _id, ...doc }) : 'ok') : model.update(before, doc);
  expect(await outcome(real.replaceOne({ _id: _id as never }, doc, { upsert }))).toBe(
    expected === 'error' ? 'error' : 'ok',
  );
});

const deleteMany = step('deleteMany', filter, (wanted) => async ({ real, model }) => {
  const hits = model.find(wanted);
  for (const doc of hits) model.remove(doc);
  expect((await real.deleteMany(wanted)).deletedCount).toBe(hits.length);
});

const findOneAnd = step('findOneAnd', fc.tuple(id, filter, change, fc.boolean(), fc.boolean()), (
  [_id, rest, how, isNew, isDelete],
) => async ({ real, model }) => {
  const wanted = { ...rest, _id: _id as never };
  const before = model.find(wanted)[0];
  if (isDelete) {
    if (before !== undefined) model.remove(before);
    return expect(await real.findOneAndDelete(wanted)).toEqual(before ?? null);
  }
  const after = before === undefined ? null : model.update(before, how);
  const action = real.findOneAndUpdate(wanted, how, { returnDocument: isNew ? 'after' : 'before' });
  if (after === 'error') return expect(await outcome(action)).toBe('error');
  expect(await action).toEqual(isNew ? after : (before ?? null));
});

const createIndex = step('createIndex', index, (wanted) => async ({ real, model }) => {
  if (model.indexes.some((other) => other.paths.join() === wanted.paths.join())) return;
  const keys = Object.fromEntries(wanted.paths.map((path, i) => [path, wanted.directions[i]!]));
  const result = await outcome(
    real.createIndex(keys, { name: wanted.name, unique: wanted.unique, sparse: wanted.sparse }),
  );
  expect(result).toBe(model.createIndex(wanted));
});

const steps = fc.oneof(
  { weight: 4, arbitrary: insertMany },
  { weight: 4, arbitrary: findAll },
  { weight: 4, arbitrary: findSorted },
  { weight: 3, arbitrary: findHinted },
  { weight: 3, arbitrary: updateById },
  { weight: 2, arbitrary: updateMany },
  { weight: 2, arbitrary: replaceOne },
  { weight: 1, arbitrary: deleteMany },
  { weight: 2, arbitrary: findOneAnd },
  { weight: 3, arbitrary: createIndex },
);

describe.each(runsPerStore)('%i random sequences of operations', (runs) => {
  const mongo = withMongo();

  test('return and leave the documents that the manual specifies', { timeout: 600_000 + runs * 1_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (sequence) => {
        const world: World = { real: await mongo.filled([]), model: new ModelCollection() };
        for (const [at, run] of sequence.entries()) {
          await run(world).catch((error: unknown) => {
            throw new Error(`step ${at}: ${(error as Error).message}`, { cause: error });
          });
          expect(byId(await world.real.find().toArray()), `contents after step ${at}`).toEqual(
            byId(world.model.docs),
          );
        }
        await world.real.deleteMany({});
      }),
      { numRuns: runs },
    );
  });
});
