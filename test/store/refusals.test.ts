import { BSONRegExp, Code, Decimal128, Long, MaxKey, MinKey, Timestamp, type Document } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { isEmbedded, withMongo } from './with-mongo.ts';

const mongo = withMongo();

async function refusal(command: Document): Promise<{ code: number; message: string }> {
  try {
    const reply = await mongo.db.command(command);
    const [first] = (reply['writeErrors'] ?? []) as { code: number; errmsg: string }[];
    if (first !== undefined) return { code: first.code, message: first.errmsg };
  } catch (error) {
    return error as { code: number; message: string };
  }
  throw new Error(`served: ${JSON.stringify(command)}`);
}

type Case = [name: string, command: Document, code: number];

const find = (filter: Document, more: Document = {}): Document => ({ find: 'c', filter, ...more });
const update = (u: Document | Document[], more: Document = {}): Document =>
  ({ update: 'c', updates: [{ q: { _id: 1 }, u, ...more }] });
const upsert = (q: Document): Document =>
  ({ update: 'c', updates: [{ q, u: { $set: { y: 1 } }, upsert: true }] });
const aggregate = (...pipeline: Document[]): Document => ({ aggregate: 'c', pipeline, cursor: {} });
const index = (key: Document, more: Document = {}): Document =>
  ({ createIndexes: 'c', indexes: [{ key, name: 'x', ...more }] });

const BAD_VALUE = 2;
const FAILED_TO_PARSE = 9;
const WRONG_TYPE = 14;
const NO_COMMAND = 59;
const BAD_INDEX = 67;
const BAD_INDEX_OPTION = 197;
const UNKNOWN_FIELD = 40415;

const COUNT = { $group: { _id: 1, n: { $sum: 1 } } };
const COMMANDS = [
  'mapReduce', 'renameCollection', 'collMod', 'validate', 'compact', 'convertToCapped', 'currentOp',
  'serverStatus',
  'getParameter', 'bulkWrite', 'startSession', 'abortTransaction', 'saslStart', 'createUser', 'eval',
  'shutdown',
  'replSetGetStatus', 'geoNear', 'group', 'getLog', 'top', 'createSearchIndexes', 'count', 'distinct',
  'explain',
  'collStats', 'dbStats', 'listDatabases', 'listIndexes', 'dropIndexes', 'drop',
  'dropDatabase',
  'create', 'buildInfo', 'constructor',
];
const TOP_LEVEL =
  ['$and', '$nor', '$where', '$expr', '$text', '$comment', '$jsonSchema', '$sampleRate', '$unknown'];
const OPERATORS = [
  '$eq', '$not', '$options', '$elemMatch', '$all', '$size', '$type', '$mod', '$near', '$geoWithin',
  '$bitsAllSet',
  '$ref', '$unknown', '$GT',
];
const PATTERNS = ['a.b', 'a*', '(a)', 'a|b', '[ab]', 'a{2}', 'a$', '^a', '\\d', '\\bword', '\\'];
const UPDATE_OPERATORS = ['$mul', '$rename', '$currentDate', '$pop', '$pullAll', '$bit', '$unknown'];

const queries: Case[] = [
  ...COMMANDS.map((name): Case => [`the command ${name}`, { [name]: 'c' }, NO_COMMAND]),
  ...TOP_LEVEL.map((name): Case => [`top-level ${name}`, find({ [name]: [{ a: 1 }] }), BAD_VALUE]),
  ...OPERATORS.map((name): Case => [`the operator ${name}`, find({ a: { [name]: 1 } }), BAD_VALUE]),
  ...PATTERNS.map((pattern): Case => [`the pattern ${pattern}`, find({ a: { $regex: pattern } }), BAD_VALUE]),
  ['an operator followed by a field', find({ a: { $gt: 1, b: 2 } }), BAD_VALUE],
  ['an empty $or', find({ $or: [] }), BAD_VALUE],
  ['$or without an array', find({ $or: { a: 1 } }), BAD_VALUE],
  ['$or of a value', find({ $or: [1] }), BAD_VALUE],
  ['$in without an array', find({ a: { $in: 1 } }), BAD_VALUE],
  ['an operator inside $in', find({ a: { $in: [{ $gt: 1 }] } }), BAD_VALUE],
  ['a number as a pattern', find({ a: { $regex: 1 } }), BAD_VALUE],
  ['an array position', find({ 'l.0': 5 }), BAD_VALUE],
  ['a path with an empty part', find({ 'a..b': 1 }), FAILED_TO_PARSE],
  ['a path that starts with a dot', find({ '.a': 1 }), FAILED_TO_PARSE],
  ['a positional path', find({ 'a.$.b': 1 }), BAD_VALUE],
  ['collation', find({}, { collation: { locale: 'en' } }), UNKNOWN_FIELD],
  ['let', find({}, { let: { a: 1 } }), UNKNOWN_FIELD],
  ['min and max', find({}, { min: { a: 1 } }), UNKNOWN_FIELD],
  ['a tailable cursor', find({}, { tailable: true }), UNKNOWN_FIELD],
  ['returnKey', find({}, { returnKey: true }), UNKNOWN_FIELD],
  ['an unknown field', find({}, { filters: {} }), UNKNOWN_FIELD],
  ['maxTimeMS', find({}, { maxTimeMS: 1 }), UNKNOWN_FIELD],
  ['a negative skip', find({}, { skip: -1 }), BAD_VALUE],
  ['a fractional limit', find({}, { limit: 1.5 }), BAD_VALUE],
  ['a hint by key', find({}, { hint: { a: 1 } }), WRONG_TYPE],
  ['a hint to a missing index', find({}, { hint: 'nope' }), BAD_VALUE],
  ['a filter that is not a document', { find: 'c', filter: 5 }, WRONG_TYPE],
  ['sort by meta', find({}, { sort: { score: { $meta: 'textScore' } } }), BAD_VALUE],
  ['sort by 2', find({}, { sort: { a: 2 } }), BAD_VALUE],
  ['a computed projection', find({}, { projection: { a: '$b' } }), BAD_VALUE],
  ['$slice in a projection', find({}, { projection: { l: { $slice: 1 } } }), BAD_VALUE],
  ['a positional projection', find({}, { projection: { 'l.$': 1 } }), BAD_VALUE],
  ['a dotted projection', find({}, { projection: { 'a.b': 1 } }), BAD_VALUE],
  ['a mixed projection', find({}, { projection: { a: 1, b: 0 } }), BAD_VALUE],
  ['a read concern', find({}, { readConcern: { level: 'local' } }), UNKNOWN_FIELD],
  [
    'a transaction', find({}, { txnNumber: Long.ONE, startTransaction: true, autocommit: false }),
    UNKNOWN_FIELD,
  ],
  ['an API version', find({}, { apiVersion: '1' }), UNKNOWN_FIELD],
  ['a collection name with $', { find: 'a$b' }, 73],
  ['a collection name of another type', { find: 1 }, WRONG_TYPE],
];

const writes: Case[] = [
  ...UPDATE_OPERATORS.map(
    (name): Case => [`the update operator ${name}`, update({ [name]: { a: 1 } }), FAILED_TO_PARSE],
  ),
  ['an operator mixed with fields', update({ $set: { a: 1 }, b: 1 }), FAILED_TO_PARSE],
  ['a replacement with an operator', update({ b: 1, $set: { a: 1 } }), 52],
  ['a pipeline update', update([{ $set: { a: 1 } }]), FAILED_TO_PARSE],
  ['arrayFilters', update({ $set: { 'l.$[x]': 1 } }, { arrayFilters: [{ x: 1 }] }), UNKNOWN_FIELD],
  ['collation of an update', update({ $set: { a: 1 } }, { collation: { locale: 'en' } }), UNKNOWN_FIELD],
  ['a positional update', update({ $set: { 'l.$': 1 } }), BAD_VALUE],
  ['a positional update of all elements', update({ $inc: { 'l.$[]': 1 } }), BAD_VALUE],
  ['an update at an array position', update({ $set: { 'l.0': 1 } }), 28],
  ['$unset at an array position', update({ $unset: { 'l.0': 1 } }), BAD_VALUE],
  ...['$slice', '$sort', '$position'].map((name): Case => [
    `$push with ${name}`, update({ $push: { l: { $each: [1], [name]: 1 } } }), BAD_VALUE,
  ]),
  ['$push without $each', update({ $push: { l: 1 } }), BAD_VALUE],
  ['$each without an array', update({ $push: { l: { $each: 1 } } }), BAD_VALUE],
  ['$addToSet with $each', update({ $addToSet: { l: { $each: [1] } } }), BAD_VALUE],
  ['$pull by condition', update({ $pull: { l: { $gt: 1 } } }), BAD_VALUE],
  ['$pull by a document', update({ $pull: { l: { a: 1 } } }), BAD_VALUE],
  ['a replacement of several documents', update({ a: 1 }, { multi: true }), FAILED_TO_PARSE],
  ['an operator without a document', update({ $set: 5 }), FAILED_TO_PARSE],
  ['an upsert with a dotted path', upsert({ _id: 2, 'z.a': 1 }), BAD_VALUE],
  ['an upsert with two values of one field', upsert({ z: { $in: [1] }, $or: [{ z: 2 }] }), 53],
  ['an upsert without an _id', upsert({ z: 1 }), 53],
  ['a delete of two', { delete: 'c', deletes: [{ q: {}, limit: 2 }] }, FAILED_TO_PARSE],
  ['an empty insert', { insert: 'c', documents: [] }, 72],
  ['write concern 2', { insert: 'c', documents: [{}], writeConcern: { w: 2 } }, BAD_VALUE],
  ['a retried write', { insert: 'c', documents: [{}], txnNumber: Long.ONE }, UNKNOWN_FIELD],
  ['an empty collection name', { insert: '', documents: [{}] }, 73],
  [
    'both update and remove', { findAndModify: 'c', query: {}, remove: true, update: { a: 1 } },
    FAILED_TO_PARSE,
  ],
  ['neither update nor remove', { findAndModify: 'c', query: {} }, FAILED_TO_PARSE],
  [
    'findAndModify with a sort', { findAndModify: 'c', query: {}, remove: true, sort: { a: 1 } },
    UNKNOWN_FIELD,
  ],
  ['an aggregation without a cursor', { aggregate: 'c', pipeline: [{ $match: {} }, COUNT] }, BAD_VALUE],
  ['an empty pipeline', aggregate(), BAD_VALUE],
  ['a match alone', aggregate({ $match: {} }), BAD_VALUE],
  ['a count without a match', aggregate(COUNT), BAD_VALUE],
  ['a count with a limit of 0', aggregate({ $match: {} }, { $limit: 0 }, COUNT), BAD_VALUE],
  ['a count with half a limit', aggregate({ $match: {} }, { $limit: 0.5 }, COUNT), BAD_VALUE],
  ['a count with two limits', aggregate({ $match: {} }, { $limit: 5 }, { $limit: 5 }, COUNT), BAD_VALUE],
  ['a count after skipped documents', aggregate({ $match: {} }, { $skip: 5 }, COUNT), BAD_VALUE],
  ['a limited group by a field', aggregate({ $match: {} }, { $limit: 5 }, { $group: { _id: '$a', n: { $sum: 1 } } }), BAD_VALUE],
  ['a group by a path', aggregate({ $match: {} }, { $group: { _id: '$a.b', n: { $sum: 1 } } }), BAD_VALUE],
  ['another sum', aggregate({ $match: {} }, { $group: { _id: '$a', n: { $sum: '$b' } } }), BAD_VALUE],
  ['a stage after the count', aggregate({ $match: {} }, COUNT, { $sort: { n: 1 } }), BAD_VALUE],
  ['allowDiskUse', { ...aggregate({ $match: {} }, COUNT), allowDiskUse: true }, UNKNOWN_FIELD],
];

const indexes: Case[] = [
  ['a TTL index', index({ a: 1 }, { expireAfterSeconds: 5 }), BAD_INDEX_OPTION],
  ['a partial index', index({ a: 1 }, { partialFilterExpression: { a: 1 } }), BAD_INDEX_OPTION],
  ['an index with a collation', index({ a: 1 }, { collation: { locale: 'en' } }), BAD_INDEX_OPTION],
  ['a hidden index', index({ a: 1 }, { hidden: true }), BAD_INDEX_OPTION],
  ['a text index', index({ a: 'text' }), BAD_INDEX],
  ['a hashed index', index({ a: 'hashed' }), BAD_INDEX],
  ['a wildcard index', index({ '$**': 1 }), BAD_INDEX],
  ['an index of direction 2', index({ a: 2 }), BAD_INDEX],
  ['an index of an array position', index({ 'l.0': 1 }), BAD_INDEX],
  ['an index without fields', index({}), BAD_INDEX],
];

const REFUSED_VALUES = [
  new Decimal128('1.5'), new MinKey(), new MaxKey(), new Timestamp({ t: 1, i: 1 }), new Code('x'),
  new BSONRegExp('x'),
];
const values = REFUSED_VALUES.flatMap((value): Case[] => [
  [`a stored ${value._bsontype}`, { insert: 'c', documents: [{ v: value }] }, BAD_VALUE],
  [`a ${value._bsontype} in a filter`, find({ a: { $gt: value } }), BAD_VALUE],
]);

describe.runIf(isEmbedded)('outside the closed list', () => {
  test.each([...queries, ...writes, ...indexes, ...values])('%s is rejected', async (_name, command, code) => {
    const rows = mongo.db.collection<{ _id: number } & Document>('c');
    await rows.replaceOne({ _id: 1 }, { a: 1, l: [5, 6] }, { upsert: true });
    const { code: actual, message } = await refusal(command);
    expect({ code: actual, message }).toMatchObject({ code });
    expect(message.length).toBeGreaterThan(10);
    expect(await rows.find().toArray(), 'nothing changed').toEqual([{ _id: 1, a: 1, l: [5, 6] }]);
  });

  test('a document larger than 16 MiB is rejected', async () => {
    // The driver checks documents by the limit that the server reports, so an update joins two halves.
    const half = 'x'.repeat(9 * 1024 * 1024);
    const big = mongo.db.collection<{ _id: number } & Document>('big');
    await big.insertOne({ _id: 1, a: half });
    await expect(big.updateOne({ _id: 1 }, { $set: { b: half } })).rejects.toMatchObject({ code: 10334 });
    expect(Object.keys((await big.findOne({ _id: 1 }))!)).toEqual(['_id', 'a']);
  });

  test('a key too long for an index is rejected, and no part of the document is stored', async () => {
    const collection = await mongo.filled([]);
    await collection.createIndex({ s: 1 }, { name: 's' });
    await expect(collection.insertOne({ s: 'x'.repeat(5000) })).rejects.toMatchObject({ code: 17280 });
    expect(await collection.countDocuments()).toBe(0);
    expect(await collection.find({ s: 'y'.repeat(5000) }).toArray()).toEqual([]);
    expect(await collection.find({ s: { $gt: 'y'.repeat(5000) } }).toArray()).toEqual([]);
    expect(await collection.find({ _id: 'y'.repeat(5000) as never }).toArray()).toEqual([]);
  });

  test('an expired cursor has its own error', async () => {
    const gone = mongo.db.command({ getMore: Long.fromNumber(12345), collection: 'c' });
    await expect(gone).rejects.toMatchObject({ code: 43 });
  });
});
