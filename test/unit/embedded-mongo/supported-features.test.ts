import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Binary, Long, ObjectId, Timestamp } from 'mongodb';
import { expect, test } from 'vitest';
import {
  COMMANDS, LOGICAL_OPERATORS, QUERY_OPERATORS, UPDATE_OPERATORS, type CommandName,
} from '../../../deploy/embedded/mongo/supported-features.ts';
import { commandViolations } from '../../helpers/command-violations.ts';

/** What uses a database. */
const FOLDERS = ['controller', 'deploy/data'].map((folder) => resolve(import.meta.dirname, '../../..', folder));
const sources = FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8')))
  .join('\n');

const OPERATORS = [...QUERY_OPERATORS, ...LOGICAL_OPERATORS, ...UPDATE_OPERATORS];

test.each(OPERATORS)('the product uses the operator %s', (name) => {
  expect(sources).toContain(`${name}: `);
});

/** Commands that the driver sends on its own. */
const OF_THE_DRIVER = ['hello', 'ismaster', 'endsessions', 'getmore', 'killcursors'];
const CALLS: Partial<Record<CommandName, RegExp>> = {
  ping: /command\(\{ ping: 1 \}\)/,
  find: /\.find\(/,
  aggregate: /\.aggregate<[^]*\$group: \{ _id: '\$[a-z]+', n: \{ \$sum: 1 \} \}/,
  insert: /\.insertMany\(/,
  update: /\.updateOne\(/,
  delete: /\.deleteMany\(/,
  findandmodify: /\.findOneAndUpdate\(/,
  createindexes: /\.createIndexes\(/,
  listcollections: /\.listCollections\(\{\}, \{ nameOnly: true \}\)/,
};

test.each(
  Object.keys(COMMANDS).filter((name) => !OF_THE_DRIVER.includes(name)),
)('the product sends %s', (name) => {
  expect(sources).toMatch(CALLS[name as CommandName] as RegExp);
});

const envelope = {
  lsid: { id: new Binary(Buffer.alloc(16), 4) },
  $db: 'x',
  writeConcern: { w: 'majority', j: true },
  $clusterTime: { clusterTime: new Timestamp({ t: 1, i: 1 }) },
};
const COUNT = { $group: { _id: 1, n: { $sum: 1 } } };

const served: Record<string, unknown>[] = [
  {
    find: 'c', filter: { $or: [{ a: { $gte: 1, $lt: 5 } }, { 'b.c': { $nin: [1] } }] }, sort: { a: -1 },
    hint: 'x',
  },
  {
    find: 'c', filter: { _id: new ObjectId(), n: Long.fromNumber(1), o: { plain: 1 } }, projection: { a: 1 },
  },
  { find: 'c', sort: new Map([['a', 1]]) },
  {
    update: 'c', updates: [{ q: {}, u: { $set: { 'a.b': 1 }, $push: { l: { $each: [1] } } }, upsert: true }],
  },
  {
    update: 'c', updates: [{ q: { _id: 1, position: { $lt: 3 } }, u: { a: { b: 1 } }, multi: false }],
    ordered: false,
  },
  { delete: 'c', deletes: [{ q: {}, limit: 0 }] },
  { findAndModify: 'c', query: { a: 1 }, update: { $inc: { n: 1 } }, remove: false, new: true, upsert: true },
  { aggregate: 'c', pipeline: [{ $match: { a: 1 } }, COUNT], cursor: {} },
  { aggregate: 'c', pipeline: [{ $match: { a: 1 } }, { $group: { _id: '$b', n: { $sum: 1 } } }], cursor: {} },
  { createIndexes: 'c', indexes: [{ key: { a: 1, 'b.c': -1 }, name: 'x', unique: true, sparse: true }] },
  { listCollections: 1, filter: {}, cursor: {}, nameOnly: true },
];

test.each(served)('a command within the list is not a violation: %j', (command) => {
  expect(commandViolations({ ...command, ...envelope })).toEqual([]);
});

const refused: [Record<string, unknown>, string][] = [
  [{ mapReduce: 'c' }, 'no such command'],
  [{ find: 'c', filter: { $or: [{ a: { $expr: {} } }] } }, '$expr'],
  [{ find: 'c', filter: { a: /text/ } }, 'regular expression'],
  [{ delete: 'c', deletes: [{ q: { $where: '1' }, limit: 1 }] }, '$where'],
  [{ update: 'c', updates: [{ q: {}, u: { $mul: { a: 2 } } }] }, '$mul'],
  [{ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, arrayFilters: [] }] }, 'arrayFilters'],
  [{ findAndModify: 'c', update: [{ $set: { a: 1 } }] }, 'pipeline'],
  [{ aggregate: 'c', pipeline: [{ $lookup: {} }], cursor: {} }, 'countDocuments'],
  [
    { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', expireAfterSeconds: 3 }] },
    'expireAfterSeconds',
  ],
  [{ listCollections: 1, filter: { name: 'c' }, nameOnly: true }, 'filter must be empty'],
  [{ listCollections: 1, filter: {} }, 'nameOnly must be true'],
];

test.each(refused)('a command outside the list is a violation: %j', (command, text) => {
  expect(commandViolations({ ...command, ...envelope }).join('\n')).toContain(text);
});

test.each<[title: string, command: Record<string, unknown>, reason: string]>([
  ['an insert', { insert: 'c', documents: [{ a: { b: [{ c: [[1]] }] } }] }, 'a.b.0.c'],
  ['a replacement', { update: 'c', updates: [{ q: {}, u: { a: [1, []] } }] }, 'a'],
  ['an update', { findAndModify: 'c', query: {}, update: { $set: { 'a.b': [[]] } } }, '$set.a.b'],
])('an array directly in an array is a violation in %s', (_title, command, path) => {
  expect(commandViolations({ ...command, ...envelope })).toEqual([`an array directly in the array ${path}`]);
});

test('an empty array set on insert is a violation', () => {
  const update = { $setOnInsert: { list: [], other: [1] } };
  expect(commandViolations({ update: 'c', updates: [{ q: {}, u: update, upsert: true }], ...envelope }))
    .toEqual(['$setOnInsert of an empty array: list']);
});
