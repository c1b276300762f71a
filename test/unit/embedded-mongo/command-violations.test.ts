import { Binary, Long, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { commandViolations } from '../../helpers/command-violations.ts';

const envelope = { lsid: { id: new Binary(Buffer.alloc(16), 4) }, $db: 'x', writeConcern: { w: 'majority', j: true } };

const served: [string, Record<string, unknown>][] = [
  ['find', { find: 'c', filter: { $or: [{ a: { $gte: 1, $lt: 5 } }, { 'b.c': { $not: { $in: [1] } } }], d: /a\.b/i }, sort: { a: -1 }, projection: { a: 1, _id: 0 }, hint: 'x', ...envelope }],
  ['values that are objects', { find: 'c', filter: { _id: new ObjectId(), n: Long.fromNumber(1), o: { plain: 1 } } }],
  ['sort as a map', { find: 'c', sort: new Map([['a', 1]]) }],
  ['update', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { 'a.b': 1 }, $push: { l: { $each: [1] } } }, upsert: true, multi: false }], ordered: false }],
  ['replacement', { update: 'c', updates: [{ q: { _id: 1, position: { $lt: 3 } }, u: { a: { b: 1 } } }] }],
  ['delete', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }],
  ['findAndModify', { findAndModify: 'c', query: { a: 1 }, update: { $inc: { n: 1 } }, new: true, upsert: true, sort: { a: 1 }, fields: { a: 1 } }],
  ['aggregate', { aggregate: 'c', pipeline: [{ $match: { a: 1 } }, { $unwind: '$l' }, { $group: { _id: { a: '$a' }, n: { $sum: 1 }, t: { $sum: '$t' } } }, { $sort: { n: -1 } }, { $limit: 3 }], cursor: {} }],
  ['createIndexes', { createIndexes: 'c', indexes: [{ key: { a: 1, 'b.c': -1 }, name: 'x', unique: true, sparse: true }] }],
  ['hello', { hello: 1, helloOk: true }],
];

test.each(served)('%s within the list is no violation', (_name, command) => {
  expect(commandViolations(command)).toEqual([]);
});

const refused: [string, Record<string, unknown>, string][] = [
  ['an unknown command', { mapReduce: 'c' }, 'the command is not in the list'],
  ['collation', { find: 'c', collation: { locale: 'en' } }, 'the field collation'],
  ['a transaction', { insert: 'c', documents: [], txnNumber: Long.ONE, startTransaction: true }, 'the field txnNumber'],
  ['$elemMatch', { find: 'c', filter: { a: { $elemMatch: { b: 1 } } } }, 'the query operator $elemMatch'],
  ['$expr deep in $or', { find: 'c', filter: { $or: [{ $and: [{ $expr: {} }] }] } }, 'the query operator $expr'],
  ['$where in a delete', { delete: 'c', deletes: [{ q: { $where: '1' }, limit: 1 }] }, 'the query operator $where'],
  ['a real regular expression', { find: 'c', filter: { a: /a.*b/ } }, 'only literal search'],
  ['a regular expression under $not', { find: 'c', filter: { a: { $not: /^a+/ } } }, 'only literal search'],
  ['an update operator', { update: 'c', updates: [{ q: {}, u: { $mul: { a: 2 } } }] }, 'the update operator $mul'],
  ['$push with $slice', { update: 'c', updates: [{ q: {}, u: { $push: { a: { $each: [], $slice: 3 } } } }] }, '$push with $slice'],
  ['$pull by condition', { update: 'c', updates: [{ q: {}, u: { $pull: { a: { b: 1 } } } }] }, '$pull by condition'],
  ['positional updates', { update: 'c', updates: [{ q: {}, u: { $set: { 'a.$.b': 1 } } }] }, 'the path a.$.b'],
  ['arrayFilters', { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, arrayFilters: [] }] }, 'updates: arrayFilters'],
  ['a pipeline update', { findAndModify: 'c', update: [{ $set: { a: 1 } }] }, 'a pipeline update'],
  ['$lookup', { aggregate: 'c', pipeline: [{ $lookup: {} }] }, 'the stage $lookup'],
  ['$avg', { aggregate: 'c', pipeline: [{ $group: { _id: null, a: { $avg: '$a' } } }] }, 'the accumulator $avg'],
  ['an expression to group by', { aggregate: 'c', pipeline: [{ $group: { _id: { $year: '$a' } } }] }, 'the expression $year'],
  ['an expression to sum', { aggregate: 'c', pipeline: [{ $group: { _id: null, a: { $sum: { $size: '$a' } } } }] }, 'an expression in $sum'],
  ['a TTL index', { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', expireAfterSeconds: 3 }] }, 'index option: expireAfterSeconds'],
  ['a text index', { createIndexes: 'c', indexes: [{ key: { a: 'text' }, name: 'a' }] }, 'index by a: text'],
  ['$slice in a projection', { find: 'c', projection: { a: { $slice: 1 } } }, 'the path $slice'],
  ['a computed projection', { find: 'c', projection: { a: '$b' } }, 'the projection of a'],
  ['an explained command outside the list', { explain: { aggregate: 'c', pipeline: [{ $facet: {} }] } }, 'the stage $facet'],
];

test.each(refused)('%s is a violation', (_name, command, text) => {
  expect(commandViolations(command).join('\n')).toContain(text);
});
