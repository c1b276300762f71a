import { type Collection, type Db, MongoBulkWriteError, MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import {
  duplicatesOnly, isDatabaseUnavailable, isDuplicateKey, isPermanentlyRefused, unlessTaken,
} from '../../controller/platform/mongo/mongo-errors.ts';
import type { MongoOptions } from '../../controller/platform/mongo/mongo.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { ReplicaSet } from '../helpers/replica-set.ts';
import { until } from '../helpers/until.ts';

interface Doc {
  _id: number;
  content?: unknown;
}

interface Parts {
  set: ReplicaSet;
  db: Db;
  docs: Collection<Doc>;
  /** Resolves once the database responds. */
  responds(): Promise<unknown>;
  close(): Promise<void>;
}

/** Runs `act` with the product's connection to a replica set of its own. */
async function withSet<T>(act: (parts: Parts) => Promise<T>, options: MongoOptions & { query?: string } = {}): Promise<T> {
  const { query = '', ...rest } = options;
  const set = await ReplicaSet.start();
  const { db, ping, close } = checkedMongo(set.url + query, undefined, rest);
  const responds = () => until(() => ping().then(() => true), { what: 'the database responds' });
  try {
    await responds();
    return await act({ set, db, docs: db.collection<Doc>('docs'), responds, close });
  } finally {
    await close();
    await set.stop();
  }
}

const errorOf = (operation: Promise<unknown>): Promise<unknown> =>
  operation.then(() => 'no error', (error: unknown) => error);

/** Commands of every kind that can fail, by what they do. */
const COMMANDS: [RegExp, (docs: Collection<Doc>) => Promise<unknown>][] = [
  [/^insert/, (docs) => docs.insertOne({ _id: 1 })],
  [/^insert/, (docs) => docs.insertMany([{ _id: 2 }, { _id: 3 }], { ordered: false })],
  [/^update/, (docs) => docs.updateOne({ _id: 1 }, { $set: { content: 1 } })],
  [/^delete/, (docs) => docs.deleteMany({ _id: 9 })],
  [/^findandmodify/, (docs) => docs.findOneAndUpdate({ _id: 1 }, { $set: { content: 2 } })],
  [/^createindexes/, (docs) => docs.createIndexes([{ key: { content: 1 }, name: 'content' }])],
];

describe.concurrent('the database is unavailable', () => {
  test.each([
    43, 50, 64, 91, 112, 175, 189, 202, 237, 262, 9001, 10107, 11600, 11602, 13435, 13436,
  ])('if it responds with error %i', async (code) => {
    await withSet(async ({ set, docs, responds }) => {
      const sent: typeof COMMANDS = [...fewOrAll(COMMANDS.slice(1, 2), COMMANDS), [/^find docs/, () => docs.findOne({})]];
      for (const [commands, send] of sent) {
        await responds();
        set.fail(commands, { code });
        const error = await errorOf(send(docs));
        expect(error).toMatchObject({ code });
        expect(isDatabaseUnavailable(error)).toBe(true);
        expect(isPermanentlyRefused(error)).toBe(false);
      }
      await responds();
      expect(await docs.countDocuments({})).toBe(0);
    });
  });

  test.each([64, 91, 11600])('if the write concern of an applied write fails with error %i', async (writeConcernCode) => {
    await withSet(async ({ set, docs, responds }) => {
      for (const [commands, send] of COMMANDS) {
        await responds();
        set.fail(commands, { writeConcernCode });
        const error = await errorOf(send(docs));
        expect(isDatabaseUnavailable(error)).toBe(true);
        expect(isDuplicateKey(error)).toBe(false);
      }
      await responds();
      expect(await docs.find({}).toArray()).toEqual([{ _id: 1, content: 2 }, { _id: 2 }, { _id: 3 }]);
      // Also if some of the documents exist already.
      set.fail(/^insert/, { writeConcernCode });
      const error = await errorOf(docs.insertMany([{ _id: 1 }, { _id: 4 }], { ordered: false }));
      expect([isDatabaseUnavailable(error), duplicatesOnly(error)]).toEqual([true, null]);
    });
  });

  /** Occupies the only connection of the pool, and queues an insert behind it. */
  const queued = async ({ set, docs }: Parts): Promise<unknown> => {
    set.fail(/^insert/, { connection: 'silent' });
    const silent = errorOf(docs.insertOne({ _id: 1 }));
    await until(() => set.pendingFaults === 0, { what: 'the connection is occupied' });
    const waiting = errorOf(docs.insertOne({ _id: 2 }));
    void silent;
    return waiting;
  };

  test.each<[string, (parts: Parts) => Promise<unknown>, Parameters<typeof withSet>[1]?]>([
    ['MongoServerSelectionError', async ({ set, docs }) => {
      set.stepDown();
      // The driver may notice by the first one.
      await errorOf(docs.insertOne({ _id: 1 }));
      return errorOf(docs.insertOne({ _id: 2 }));
    }],
    ['MongoNetworkError', ({ set, docs }) => {
      set.fail(/^insert/, { connection: 'reset' });
      return errorOf(docs.insertOne({ _id: 1 }));
    }],
    ['MongoBulkWriteError', ({ set, docs }) => {
      set.fail(/^insert/, { connection: 'reset' });
      return errorOf(docs.insertMany([{ _id: 1 }, { _id: 2 }]));
    }],
    ['MongoNetworkTimeoutError', ({ set, docs }) => {
      set.fail(/^insert/, { connection: 'silent' });
      return errorOf(docs.insertOne({ _id: 1 }));
    }],
    ['MongoWaitQueueTimeoutError', queued, { maxPoolSize: 1 }],
    ['MongoPoolClearedError', async (parts) => {
      const waiting = queued(parts);
      await until(() => parts.set.pendingFaults === 0);
      parts.set.primary?.reset();
      return waiting;
    }, { maxPoolSize: 1 }],
    ['PoolClearedOnNetworkError', async ({ set, docs }) => {
      set.fail(/^insert/, { connection: 'silent' });
      const waiting = errorOf(docs.insertOne({ _id: 1 }));
      for (const member of set.members) member.isSilent = true;
      return waiting;
    }, { query: '&heartbeatFrequencyMS=500' }],
    ['MongoPoolClosedError', async (parts) => {
      const waiting = queued(parts);
      await until(() => parts.set.pendingFaults === 0);
      parts.set.removePrimary();
      return waiting;
    }, { maxPoolSize: 1 }],
    ['MongoTopologyClosedError', async ({ set, docs, close }) => {
      for (const member of set.members) {
        member.isSilent = true;
        member.reset();
      }
      await until(async () => (await errorOf(docs.insertOne({ _id: 1 })) as Error).name === 'MongoServerSelectionError');
      const waiting = errorOf(docs.insertOne({ _id: 2 }));
      await close();
      return waiting;
    }],
    ['MongoClientClosedError', async ({ set, docs, close }) => {
      set.fail(/^insert/, { connection: 'silent' });
      const waiting = errorOf(docs.insertOne({ _id: 1 }));
      await until(() => set.pendingFaults === 0);
      await close();
      return waiting;
    }],
    ['MongoExpiredSessionError', async ({ docs, close }) => {
      const waiting = errorOf(docs.insertOne({ _id: 1 }));
      await close();
      return waiting;
    }],
    ['MongoNotConnectedError', async ({ docs, close }) => {
      await close();
      return errorOf(docs.insertOne({ _id: 1 }));
    }],
    ['MongoServerClosedError', ({ db, docs }) => {
      // The driver selects a server shortly before it closes it.
      const { client } = db as unknown as { client: { topology: { s: { servers: Map<string, { close(): void }> } } } };
      for (const server of client.topology.s.servers.values()) server.close();
      return errorOf(docs.insertOne({ _id: 1 }));
    }],
    ['Error', async ({ set, docs }) => {
      // Written to a socket whose other end is gone, before the driver notices.
      set.primary?.reset();
      return errorOf(docs.insertOne({ _id: 1 }));
    }],
  ])('if the driver reports %s', async (name, provoke, options) => {
    const error = await withSet(provoke, options);
    expect(error).toMatchObject({ name });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test('if a cursor is gone', async () => {
    await withSet(async ({ set, docs }) => {
      await docs.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const cursor = docs.find({}, { batchSize: 1 });
      await cursor.next();
      set.primary?.killCursors();
      const error = await errorOf(cursor.next());
      expect(error).toMatchObject({ code: 43 });
      expect(isDatabaseUnavailable(error)).toBe(true);
    });
  });
});

describe.concurrent('a write is permanently refused', () => {
  test.each([2, 9, 14, 121, 10334, 17280, 17419, 17420, 51091])('with error %i', async (code) => {
    await withSet(async ({ set, docs }) => {
      for (const [commands, send] of COMMANDS) {
        const isStatement = /insert|update|delete/.test(commands.source);
        set.fail(commands, isStatement ? { statementCode: code } : { code });
        const error = await errorOf(send(docs));
        expect(error).toMatchObject({ code });
        expect([isPermanentlyRefused(error), isDatabaseUnavailable(error)]).toEqual([true, false]);
      }
    });
  });

  const circular: { self?: unknown } = {};
  circular.self = circular;
  test.each<[string, (docs: Collection<Doc>) => Promise<unknown>]>([
    ['BSONError', (docs) => docs.insertOne({ _id: 1, content: circular })],
    ['RangeError', (docs) => docs.insertOne({ _id: 1, content: Buffer.alloc(20_000_000) })],
    ['MongoInvalidArgumentError', (docs) => docs.insertMany([{ _id: 1, content: Buffer.alloc(17_000_000) }])],
  ])('by the driver with %s', async (name, insert) => {
    // Such commands cannot be recorded.
    const error = await withSet(async ({ set }) => {
      const client = await MongoClient.connect(set.url);
      const caught = await errorOf(insert(client.db().collection<Doc>('docs')));
      await client.close();
      return caught;
    });
    expect(error).toMatchObject({ name });
    expect([isPermanentlyRefused(error), isDatabaseUnavailable(error)]).toEqual([true, false]);
  });
});

test('a duplicate key is neither', async () => {
  await withSet(async ({ docs }) => {
    await docs.insertOne({ _id: 2 });
    const [one, many] = [
      await errorOf(docs.insertOne({ _id: 2 })),
      await errorOf(docs.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }], { ordered: false })),
    ];
    for (const error of [one, many]) {
      expect([isDatabaseUnavailable(error), isPermanentlyRefused(error), isDuplicateKey(error)]).toEqual([false, false, true]);
    }
    expect(many).toBeInstanceOf(MongoBulkWriteError);
    expect([duplicatesOnly(one), duplicatesOnly(many)]).toEqual([null, [1]]);
    expect(await unlessTaken(docs.insertOne({ _id: 2 }))).toBe(false);
  });
});
