import { isDeepStrictEqual } from 'node:util';
import { MongoServerError, type Collection } from 'mongodb';

export interface ScratchDoc {
  _id: string;
  /** Of one run of the doctor. */
  run: string;
  n?: number;
  text?: string;
  /** Unique. */
  key?: string;
  list?: number[];
  nested?: { n: number };
}

interface Operation {
  name: string;
  /** Whether it has the result that MongoDB's manual promises. Rejects if the database refuses it. */
  isRight(scratch: Collection<ScratchDoc>, run: string): Promise<boolean>;
}

const DUPLICATE_KEY = 11000;
const equals = (actual: unknown, expected: unknown) => isDeepStrictEqual(actual, expected);
const numbersOf = (docs: readonly ScratchDoc[]) => docs.map(({ n }) => n);
const one = (run: string) => `${run}-1`;

/**
 * What Farwatch does with a database (docs/adr/0003-portable-mongodb-dialect.md), in an order in which each
 * finds the documents that it needs: five with n from 1 to 5.
 */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'createIndexes',
    isRight: async (scratch) => {
      const names = await scratch.createIndexes([
        { key: { run: 1, n: -1 }, name: 'by_run' }, { key: { key: 1 }, name: 'by_key', unique: true, sparse: true },
      ]);
      return names.length === 2;
    },
  },
  {
    name: 'insert',
    isRight: async (scratch, run) => {
      const docs = [1, 2, 3, 4, 5].map((n) => ({ _id: `${run}-${n}`, run, n, text: `text ${n}`, nested: { n } }));
      return (await scratch.insertMany(docs)).insertedCount === 5;
    },
  },
  {
    name: 'unique _id',
    isRight: (scratch, run) => isDuplicate(scratch.insertOne({ _id: one(run), run })),
  },
  {
    name: 'unique index',
    isRight: async (scratch, run) => {
      await scratch.updateOne({ _id: one(run) }, { $set: { key: run } });
      return isDuplicate(scratch.updateOne({ _id: `${run}-2` }, { $set: { key: run } }));
    },
  },
  {
    name: 'unordered insert',
    isRight: async (scratch, run) => {
      const docs = [one(run), `${run}-6`].map((_id) => ({ _id, run }));
      const wasRefused = await isDuplicate(scratch.insertMany(docs, { ordered: false }));
      return wasRefused && (await scratch.deleteOne({ _id: `${run}-6` })).deletedCount === 1;
    },
  },
  {
    name: 'find with comparisons',
    isRight: async (scratch, run) => {
      const find = async (n: object) => numbersOf(await scratch.find({ run, n }).sort({ n: 1 }).toArray());
      const ranges = [await find({ $gt: 1, $lt: 4 }), await find({ $gte: 4, $lte: 9 })];
      const lists = [await find({ $in: [2, 7] }), await find({ $nin: [1, 2], $ne: 3 })];
      return equals([...ranges, ...lists], [[2, 3], [4, 5], [2], [4, 5]]);
    },
  },
  {
    name: 'find with $or, $exists and $regex',
    isRight: async (scratch, run) => {
      const either = await scratch.find({ run, $or: [{ key: { $exists: true } }, { text: { $regex: 'xt 3' } }] }).sort({ n: 1 }).toArray();
      return equals(numbersOf(either), [1, 3]);
    },
  },
  {
    name: 'sort, skip, limit, projection and hint',
    isRight: async (scratch, run) => {
      const docs = await scratch.find({ run }).hint('by_run').sort({ n: -1 }).skip(1).limit(2).project({ nested: 1 }).toArray();
      return equals(docs, [4, 3].map((n) => ({ _id: `${run}-${n}`, nested: { n } })));
    },
  },
  {
    name: 'cursors',
    isRight: async (scratch, run) => {
      const all = await scratch.find({ run }).batchSize(2).toArray();
      const closed = scratch.find({ run }).batchSize(2);
      await closed.next();
      await closed.close();
      return all.length === 5;
    },
  },
  { name: 'count', isRight: async (scratch, run) => await scratch.countDocuments({ run, n: { $gt: 2 } }) === 3 },
  {
    name: 'count by field',
    isRight: async (scratch, run) => {
      const groups = await scratch.aggregate<{ n: number }>([{ $match: { run } }, { $group: { _id: '$text', n: { $sum: 1 } } }]).toArray();
      return groups.length === 5 && groups.every(({ n }) => n === 1);
    },
  },
  {
    name: 'update of fields',
    isRight: async (scratch, run) => {
      await scratch.updateOne({ _id: one(run) }, { $set: { 'nested.n': 7 }, $inc: { n: 10 }, $unset: { text: 1 } });
      await scratch.updateOne({ _id: one(run) }, { $min: { n: 3 }, $max: { 'nested.n': 9 } });
      const updated = await scratch.findOne({ _id: one(run) });
      return equals(updated, { _id: one(run), run, n: 3, nested: { n: 9 }, key: run });
    },
  },
  {
    name: 'update of lists',
    isRight: async (scratch, run) => {
      const filter = { _id: one(run) };
      await scratch.updateOne(filter, { $push: { list: { $each: [1, 2] } } });
      await scratch.updateOne(filter, { $addToSet: { list: 2 } });
      await scratch.updateOne(filter, { $pull: { list: 1 } });
      return equals((await scratch.findOne(filter))?.list, [2]);
    },
  },
  {
    name: 'upsert',
    isRight: async (scratch, run) => {
      const upsert = () => scratch.updateOne({ _id: `${run}-7` }, { $set: { n: 7 }, $setOnInsert: { run, text: 'new' } }, { upsert: true });
      const [first, second] = [await upsert(), await upsert()];
      return first.upsertedCount === 1 && second.upsertedCount === 0 && second.matchedCount === 1;
    },
  },
  {
    name: 'update of many',
    isRight: async (scratch, run) => (await scratch.updateMany({ run, n: { $gt: 3 } }, { $set: { text: 'many' } })).matchedCount === 3,
  },
  {
    name: 'claims',
    isRight: async (scratch, run) => {
      const claim = (text: string) => scratch.updateOne({ _id: `${run}-7`, text: 'many' }, { $set: { text } });
      const claims = await Promise.all(['a', 'b', 'c'].map(claim));
      return claims.filter(({ matchedCount }) => matchedCount === 1).length === 1;
    },
  },
  {
    name: 'findAndModify',
    isRight: async (scratch, run) => {
      const filter = { _id: `${run}-7` };
      const after = await scratch.findOneAndUpdate(filter, { $inc: { n: 1 } }, { returnDocument: 'after' });
      const removed = await scratch.findOneAndDelete(filter);
      return after?.n === 8 && removed?.n === 8 && await scratch.findOne(filter) === null;
    },
  },
  {
    name: 'bulk write',
    isRight: async (scratch, run) => {
      const { matchedCount } = await scratch.bulkWrite([
        { updateOne: { filter: { _id: one(run) }, update: { $set: { text: 'bulk' } } } },
        { replaceOne: { filter: { _id: `${run}-2` }, replacement: { run, n: 2 } } },
      ], { ordered: false });
      return matchedCount === 2;
    },
  },
  { name: 'delete', isRight: async (scratch, run) => (await scratch.deleteMany({ run })).deletedCount === 5 },
];

async function isDuplicate(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return false;
  } catch (error) {
    // A bulk write's error has the code of its first failure.
    if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return true;
    throw error;
  }
}
