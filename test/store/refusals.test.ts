import { Code, Decimal128, Long, MaxKey, MinKey, Timestamp, type Document } from 'mongodb';
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

const find = (filter: Document, more: Document = {}): Document => ({ find: 'c', filter, ...more });
const update = (u: Document | Document[], more: Document = {}): Document => ({ update: 'c', updates: [{ q: { _id: 1 }, u, ...more }] });
const aggregate = (...pipeline: Document[]): Document => ({ aggregate: 'c', pipeline, cursor: {} });
const index = (key: Document, more: Document = {}): Document => ({ createIndexes: 'c', indexes: [{ key, name: 'x', ...more }] });

const BAD_VALUE = 2;
const FAILED_TO_PARSE = 9;
const UNKNOWN_FIELD = 40415;
const UNKNOWN_STAGE = 40324;

const refused: [string, Document, number][] = [
  ...['mapReduce', 'renameCollection', 'collMod', 'validate', 'compact', 'convertToCapped', 'currentOp', 'serverStatus', 'getParameter', 'bulkWrite', 'startSession', 'abortTransaction', 'saslStart', 'createUser', 'eval', 'shutdown', 'replSetGetStatus', 'geoNear', 'group', 'getLog', 'top', 'createSearchIndexes'].map(
    (name): [string, Document, number] => [`the command ${name}`, { [name]: 'c' }, 59],
  ),
  ...['$where', '$expr', '$text', '$nor', '$comment', '$jsonSchema', '$sampleRate', '$alwaysTrue', '$unknown'].map((name): [string, Document, number] => [`top level ${name}`, find({ [name]: [{ a: 1 }] }), BAD_VALUE]),
  ...['$elemMatch', '$all', '$size', '$type', '$mod', '$near', '$geoWithin', '$bitsAllSet', '$ref', '$unknown', '$EQ'].map((name): [string, Document, number] => [`the operator ${name}`, find({ a: { [name]: 1 } }), BAD_VALUE]),
  ['an operator after a field', find({ a: { $gt: 1, b: 2 } }), BAD_VALUE],
  ['an unknown operator inside $not', find({ a: { $not: { $size: 1 } } }), BAD_VALUE],
  ['$not of a value', find({ a: { $not: 1 } }), BAD_VALUE],
  ['$not of nothing', find({ a: { $not: {} } }), BAD_VALUE],
  ['$and of nothing', find({ $and: [] }), BAD_VALUE],
  ['$or of no array', find({ $or: { a: 1 } }), BAD_VALUE],
  ['$in of no array', find({ a: { $in: 1 } }), BAD_VALUE],
  ['an operator inside $in', find({ a: { $in: [{ $gt: 1 }] } }), BAD_VALUE],
  ['a regular expression inside $in', find({ a: { $in: [/a/] } }), BAD_VALUE],
  ['a regular expression to $ne', find({ a: { $ne: /a/ } }), BAD_VALUE],
  ...['a.b', 'a*', '(a)', 'a|b', '[ab]', 'a{2}', 'a$', 'x^a', '\\d', '\\bword'].map((pattern): [string, Document, number] => [`the regular expression ${pattern}`, find({ a: { $regex: pattern } }), BAD_VALUE]),
  ['regular expression options', find({ a: { $regex: 'a', $options: 'm' } }), BAD_VALUE],
  ['$options alone', find({ a: { $options: 'i' } }), BAD_VALUE],
  ['a place in an array', find({ 'l.0': 5 }), BAD_VALUE],
  ['a path with an empty part', find({ 'a..b': 1 }), FAILED_TO_PARSE],
  ['a path that starts with a dot', find({ '.a': 1 }), FAILED_TO_PARSE],
  ['a positional path', find({ 'a.$.b': 1 }), BAD_VALUE],
  ['collation', find({}, { collation: { locale: 'en' } }), UNKNOWN_FIELD],
  ['let', find({}, { let: { a: 1 } }), UNKNOWN_FIELD],
  ['min and max', find({}, { min: { a: 1 } }), UNKNOWN_FIELD],
  ['tailable cursors', find({}, { tailable: true }), UNKNOWN_FIELD],
  ['returnKey', find({}, { returnKey: true }), UNKNOWN_FIELD],
  ['an unknown field', find({}, { filters: {} }), UNKNOWN_FIELD],
  ['a negative skip', find({}, { skip: -1 }), BAD_VALUE],
  ['a fractional limit', find({}, { limit: 1.5 }), BAD_VALUE],
  ['a filter that is no document', { find: 'c', filter: 5 }, 14],
  ['sort by meta', find({}, { sort: { score: { $meta: 'textScore' } } }), BAD_VALUE],
  ['sort by 2', find({}, { sort: { a: 2 } }), BAD_VALUE],
  ['a computed projection', find({}, { projection: { a: '$b' } }), BAD_VALUE],
  ['$slice in a projection', find({}, { projection: { l: { $slice: 1 } } }), BAD_VALUE],
  ['a positional projection', find({}, { projection: { 'l.$': 1 } }), BAD_VALUE],
  ['a mixed projection', find({}, { projection: { a: 1, b: 0 } }), 31254],
  ['a mixed projection the other way', find({}, { projection: { a: 0, b: 1 } }), 31253],
  ['a projection of a path and its parent', find({}, { projection: { a: 1, 'a.b': 1 } }), 31249],
  ['read concern snapshot', find({}, { readConcern: { level: 'snapshot' } }), 72],
  ['write concern 2', { insert: 'c', documents: [{}], writeConcern: { w: 2 } }, BAD_VALUE],
  ['a transaction', find({}, { lsid: { id: 1 }, txnNumber: Long.ONE, startTransaction: true, autocommit: false }), 20],
  ['a retried write', { insert: 'c', documents: [{}], txnNumber: Long.ONE }, 20],
  ['an API version', find({}, { apiVersion: '1' }), UNKNOWN_FIELD],
  ...['$mul', '$rename', '$currentDate', '$pop', '$pullAll', '$bit', '$unknown'].map((name): [string, Document, number] => [`the update operator ${name}`, update({ [name]: { a: 1 } }), FAILED_TO_PARSE]),
  ['an operator mixed with fields', update({ $set: { a: 1 }, b: 1 }), FAILED_TO_PARSE],
  ['a replacement with an operator', update({ b: 1, $set: { a: 1 } }), 52],
  ['a pipeline update', update([{ $set: { a: 1 } }]), FAILED_TO_PARSE],
  ['arrayFilters', update({ $set: { 'l.$[x]': 1 } }, { arrayFilters: [{ x: 1 }] }), UNKNOWN_FIELD],
  ['collation of an update', update({ $set: { a: 1 } }, { collation: { locale: 'en' } }), UNKNOWN_FIELD],
  ['a positional update', update({ $set: { 'l.$': 1 } }), BAD_VALUE],
  ['a positional update of all', update({ $inc: { 'l.$[]': 1 } }), BAD_VALUE],
  ['an update at a place in an array', update({ $set: { 'l.0': 1 } }), 28],
  ['$unset at a place in an array', update({ $unset: { 'l.0': 1 } }), BAD_VALUE],
  ...['$slice', '$sort', '$position'].map((name): [string, Document, number] => [`$push with ${name}`, update({ $push: { l: { $each: [1], [name]: 1 } } }), BAD_VALUE]),
  ['$each of no array', update({ $push: { l: { $each: 1 } } }), BAD_VALUE],
  ['$pull by condition', update({ $pull: { l: { $gt: 1 } } }), BAD_VALUE],
  ['$pull by a document', update({ $pull: { l: { a: 1 } } }), BAD_VALUE],
  ['a multi replacement', update({ a: 1 }, { multi: true }), FAILED_TO_PARSE],
  ['an operator without a document', update({ $set: 5 }), FAILED_TO_PARSE],
  ['two equalities of one field in an upsert', { update: 'c', updates: [{ q: { $and: [{ z: 1 }, { z: 2 }] }, u: { $set: { y: 1 } }, upsert: true }] }, 54],
  ['a delete of two', { delete: 'c', deletes: [{ q: {}, limit: 2 }] }, FAILED_TO_PARSE],
  ['no documents', { insert: 'c', documents: [] }, 72],
  ['findAndModify of both kinds', { findAndModify: 'c', query: {}, remove: true, update: { a: 1 } }, FAILED_TO_PARSE],
  ['findAndModify of neither kind', { findAndModify: 'c', query: {} }, FAILED_TO_PARSE],
  ['findAndModify with arrayFilters', { findAndModify: 'c', query: {}, update: { $set: { a: 1 } }, arrayFilters: [] }, UNKNOWN_FIELD],
  ...['$lookup', '$facet', '$merge', '$out', '$project', '$addFields', '$set', '$unset', '$replaceRoot', '$bucket', '$sample', '$sortByCount', '$graphLookup', '$unionWith', '$geoNear', '$changeStream', '$collStats', '$indexStats', '$setWindowFields', '$densify', '$redact', '$search', '$Match'].map(
    (name): [string, Document, number] => [`the stage ${name}`, aggregate({ [name]: {} }), UNKNOWN_STAGE],
  ),
  ...['$avg', '$min', '$max', '$first', '$last', '$push', '$addToSet', '$count', '$top', '$stdDevPop', '$accumulator', '$mergeObjects'].map((name): [string, Document, number] => [`the accumulator ${name}`, aggregate({ $group: { _id: null, x: { [name]: '$a' } } }), 15952]),
  ['a $sum of an expression', aggregate({ $group: { _id: null, x: { $sum: { $multiply: ['$a', 2] } } } }), BAD_VALUE],
  ['a $sum of several', aggregate({ $group: { _id: null, x: { $sum: ['$a', '$b'] } } }), BAD_VALUE],
  ['a group by an expression', aggregate({ $group: { _id: { $toUpper: '$a' } } }), 238],
  ['a group by a variable', aggregate({ $group: { _id: '$$ROOT' } }), BAD_VALUE],
  ['a group without _id', aggregate({ $group: { x: { $sum: 1 } } }), 15955],
  ['$unwind with options', aggregate({ $unwind: { path: '$l', preserveNullAndEmptyArrays: true } }), BAD_VALUE],
  ['$unwind without $', aggregate({ $unwind: 'l' }), 28818],
  ['$expr in $match', aggregate({ $match: { $expr: { $eq: ['$a', 1] } } }), BAD_VALUE],
  ['two stages in one', aggregate({ $match: {}, $limit: 1 }), 40323],
  ['$limit 0', aggregate({ $limit: 0 }), 15958],
  ['an aggregation without cursor', { aggregate: 'c', pipeline: [] }, FAILED_TO_PARSE],
  ['allowDiskUse', { ...aggregate({ $match: {} }), allowDiskUse: true }, UNKNOWN_FIELD],
  ['explain of an aggregation', { explain: aggregate({ $match: {} }) }, 59],
  ['a TTL index', index({ a: 1 }, { expireAfterSeconds: 5 }), 197],
  ['a partial index', index({ a: 1 }, { partialFilterExpression: { a: 1 } }), 197],
  ['an index with a collation', index({ a: 1 }, { collation: { locale: 'en' } }), 197],
  ['a hidden index', index({ a: 1 }, { hidden: true }), 197],
  ['a text index', index({ a: 'text' }), 67],
  ['a hashed index', index({ a: 'hashed' }), 67],
  ['a geo index', index({ a: '2dsphere' }), 67],
  ['a wildcard index', index({ '$**': 1 }), 67],
  ['an index of direction 2', index({ a: 2 }), 67],
  ['an index of a place in an array', index({ 'l.0': 1 }), 67],
  ['an index of nothing', index({}), 67],
  ['a capped collection', { create: 'd', capped: true, size: 1000 }, UNKNOWN_FIELD],
  ['a time-series collection', { create: 'd', timeseries: { timeField: 't' } }, UNKNOWN_FIELD],
  ['a validator', { create: 'd', validator: {} }, UNKNOWN_FIELD],
  ['a collection name with $', { find: 'a$b' }, 73],
  ['an empty collection name', { insert: '', documents: [{}] }, 73],
  ['a collection name of another type', { find: 1 }, 14],
  ...[new Decimal128('1.5'), new MinKey(), new MaxKey(), new Timestamp({ t: 1, i: 1 }), new Code('x')].flatMap((value): [string, Document, number][] => [
    [`a stored ${value._bsontype}`, { insert: 'c', documents: [{ v: value }] }, BAD_VALUE],
    [`a ${value._bsontype} to compare with`, find({ a: { $gt: value } }), BAD_VALUE],
  ]),
];

describe.runIf(isEmbedded)('outside the closed list', () => {
  test.each(refused)('%s is refused', async (_name, command, code) => {
    await mongo.db.collection<{ _id: number } & Document>('c').replaceOne({ _id: 1 }, { a: 1, l: [5, 6] }, { upsert: true });
    const { code: actual, message } = await refusal(command);
    expect({ code: actual, message }).toMatchObject({ code });
    expect(message.length).toBeGreaterThan(10);
    expect(await mongo.db.collection('c').find().toArray(), 'nothing changed').toEqual([{ _id: 1, a: 1, l: [5, 6] }]);
  });

  test('a document larger than 16 MiB is refused', async () => {
    // The driver checks first by what the server says, so the server is asked by two halves that an update joins.
    const half = 'x'.repeat(9 * 1024 * 1024);
    const big = mongo.db.collection<{ _id: number } & Document>('big');
    await big.insertOne({ _id: 1, a: half });
    await expect(big.updateOne({ _id: 1 }, { $set: { b: half } })).rejects.toMatchObject({ code: 10334 });
    expect(Object.keys((await big.findOne({ _id: 1 }))!)).toEqual(['_id', 'a']);
  });

  test('a key too long for an index is refused, and nothing of the document is kept', async () => {
    const collection = await mongo.filled([]);
    await collection.createIndex({ s: 1 }, { name: 's' });
    await expect(collection.insertOne({ s: 'x'.repeat(5000) })).rejects.toMatchObject({ code: 17280 });
    expect(await collection.countDocuments()).toBe(0);
    expect(await collection.find({ s: 'y'.repeat(5000) }).toArray()).toEqual([]);
    expect(await collection.find({ s: { $gt: 'y'.repeat(5000) } }).toArray()).toEqual([]);
    expect(await collection.find({ _id: 'y'.repeat(5000) as never }).toArray()).toEqual([]);
  });

  test('maxTimeMS ends a long search', async () => {
    const collection = await mongo.filled(Array.from({ length: 20_000 }, (_, _id) => ({ _id, s: 'x'.repeat(50) })));
    await expect(collection.find({ s: { $regex: 'y', $options: 'i' } }, { maxTimeMS: 1 }).toArray()).rejects.toMatchObject({ code: 50 });
  });

  test('a cursor that is gone is named so', async () => {
    await expect(mongo.db.command({ getMore: Long.fromNumber(12345), collection: 'c' })).rejects.toMatchObject({ code: 43 });
  });
});
