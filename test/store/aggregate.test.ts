import type { Document } from 'mongodb';
import { expect, test } from 'vitest';
import { withMongo } from './with-mongo.ts';

// Expected results by hand from MongoDB's manual: "Aggregation Stages", "$group", "$sum", "$unwind", "$count".
const mongo = withMongo();

const sales = [
  { _id: 1, item: 'abc', price: 10, quantity: 2, at: { y: 2014 }, tags: ['a', 'b'] },
  { _id: 2, item: 'jkl', price: 20, quantity: 1, at: { y: 2014 }, tags: [] },
  { _id: 3, item: 'xyz', price: 5, quantity: 5, at: { y: 2015 }, tags: null },
  { _id: 4, item: 'abc', price: 10, quantity: 10, at: { y: 2015 }, tags: 'c' },
  { _id: 5, item: null, price: 'n/a', at: {} },
];

const cases: [string, Document[], Document[]][] = [
  ['$match, $sort, $skip and $limit', [{ $match: { price: { $gte: 10 } } }, { $sort: { quantity: -1 } }, { $skip: 1 }, { $limit: 1 }], [sales[0]!]],
  ['$match after $limit sees what is left', [{ $sort: { _id: 1 } }, { $limit: 2 }, { $match: { item: 'jkl' } }], [sales[1]!]],
  ['$group by a field; null and missing meet', [{ $group: { _id: '$item', n: { $sum: 1 } } }, { $sort: { _id: 1 } }], [{ _id: null, n: 1 }, { _id: 'abc', n: 2 }, { _id: 'jkl', n: 1 }, { _id: 'xyz', n: 1 }]],
  ['$sum leaves out what is no number', [{ $group: { _id: null, total: { $sum: '$price' }, q: { $sum: '$quantity' }, none: { $sum: '$nothing' } } }], [{ _id: null, total: 45, q: 18, none: 0 }]],
  ['$group by several fields', [{ $match: { item: 'abc' } }, { $group: { _id: { item: '$item', year: '$at.y' }, n: { $sum: 1 } } }, { $sort: { '_id.year': 1 } }], [{ _id: { item: 'abc', year: 2014 }, n: 1 }, { _id: { item: 'abc', year: 2015 }, n: 1 }]],
  ['a missing part is left out of the group', [{ $match: { _id: 5 } }, { $group: { _id: { year: '$at.y', item: '$item' }, n: { $sum: 1 } } }], [{ _id: { item: null }, n: 1 }]],
  ['$group without accumulators', [{ $group: { _id: '$at.y' } }, { $sort: { _id: -1 } }], [{ _id: 2015 }, { _id: 2014 }, { _id: null }]],
  ['$unwind of arrays, scalars, empty and missing ones', [{ $unwind: '$tags' }, { $sort: { _id: 1, tags: 1 } }, { $group: { _id: '$tags', n: { $sum: 1 } } }, { $sort: { _id: 1 } }], [{ _id: 'a', n: 1 }, { _id: 'b', n: 1 }, { _id: 'c', n: 1 }]],
  ['$unwind by document', [{ $match: { _id: 1 } }, { $unwind: { path: '$tags' } }, { $sort: { tags: -1 } }], [{ ...sales[0]!, tags: 'b' }, { ...sales[0]!, tags: 'a' }]],
  ['$count', [{ $match: { price: { $lt: 15 } } }, { $count: 'cheap' }], [{ cheap: 3 }]],
  ['$count of nothing is nothing', [{ $match: { price: 99 } }, { $count: 'n' }], []],
  ['groups can be matched', [{ $group: { _id: '$item', n: { $sum: '$quantity' } } }, { $match: { n: { $gt: 4 } } }, { $sort: { n: 1 } }], [{ _id: 'xyz', n: 5 }, { _id: 'abc', n: 12 }]],
];

test.each(cases)('%s', async (_name, pipeline, expected) => {
  const collection = await mongo.filled(sales);
  expect(await collection.aggregate(pipeline).toArray()).toEqual(expected);
});

test('numbers of all types group together, and sums grow to what they need', async () => {
  const collection = await mongo.filled([{ k: 1, n: 2147483647 }, { k: 1.0, n: 1 }, { k: 1, n: 0.5 }]);
  expect(await collection.aggregate([{ $group: { _id: '$k', n: { $sum: '$n' } } }]).toArray()).toEqual([{ _id: 1, n: 2147483648.5 }]);
});

test('a field path through an array of documents groups by the array of values', async () => {
  const collection = await mongo.filled([{ l: [{ v: 1 }, { w: 2 }, { v: 3 }] }]);
  expect(await collection.aggregate([{ $group: { _id: '$l.v' } }]).toArray()).toEqual([{ _id: [1, 3] }]);
});

test('results come in batches', async () => {
  const collection = await mongo.filled(Array.from({ length: 300 }, (_, _id) => ({ _id, g: _id % 150 })));
  const grouped = await collection.aggregate([{ $group: { _id: '$g', n: { $sum: 1 } } }, { $sort: { _id: 1 } }], { batchSize: 7 }).toArray();
  expect(grouped).toEqual(Array.from({ length: 150 }, (_, _id) => ({ _id, n: 2 })));
  expect(await collection.aggregate([{ $match: { g: 3 } }], { batchSize: 1 }).toArray()).toHaveLength(2);
});
