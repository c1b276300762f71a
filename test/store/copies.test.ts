import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BSON, Binary, Double, Int32, Long, MongoClient, type Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupFile } from '../../deploy/data/backup-file.ts';
import { copyDocuments } from '../../deploy/data/copy-documents.ts';
import type { Batch, Documents } from '../../deploy/data/documents.ts';
import { openEmbeddedDocuments } from '../../deploy/data/embedded-documents.ts';
import { restore } from '../../deploy/data/restore.ts';
import { writeBackupFile } from '../../deploy/data/write-backup-file.ts';
import { startEmbeddedMongo, type EmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { DEFAULT_DATABASE } from '../../shared/database.ts';
import { ReplicaSet } from '../helpers/replica-set.ts';

type Doc = { _id: string } & Record<string, unknown>;

/** Several batches. */
const MONITORS: Doc[] = Array.from({ length: 3 }, (_, at) => ({
  _id: `monitor-${String(at).padStart(2, '0')}`, name: `M${at}`, at: new Date(at), tags: ['a', 'b'], nothing: null,
  int: new Int32(at), long: Long.fromString('9007199254740993'), double: new Double(at),
  bytes: new Binary(Buffer.alloc(600_000, at)),
}));
const USERS: Doc[] = [{ _id: 'one', mail: 'one@example.com' }, { _id: 'two', mail: 'two@example.com' }];

let dir = '';
let source: EmbeddedMongo;
let client: MongoClient;
let file = '';
const servers: EmbeddedMongo[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-copies-'));
  source = await startEmbeddedMongo({ dir: join(dir, 'source'), port: 0 });
  client = await MongoClient.connect(source.url);
  const db = client.db(DEFAULT_DATABASE);
  await db.collection('users').createIndexes([{ key: { mail: 1 }, name: 'mail', unique: true, sparse: true }]);
  await db.collection('monitors').createIndexes([{ key: { name: 1, at: -1 }, name: 'by_name' }]);
  await db.collection('empty').createIndexes([{ key: { a: 1 }, name: 'a' }]);
  await db.collection<Doc>('monitors').insertMany(MONITORS);
  await db.collection<Doc>('users').insertMany(USERS);
  file = join(dir, 'backup');
  const documents = await openEmbeddedDocuments(join(dir, 'source'));
  // After the moment that the backup shows.
  await db.collection<Doc>('users').insertOne({ _id: 'three' });
  await db.collection<Doc>('monitors').deleteMany({ _id: { $gte: 'monitor-01' } });
  await writeBackupFile(file, documents, { version: '1.2.3', at: documents.at });
  await documents.close();
});
afterAll(async () => {
  await client?.close();
  for (const server of [source, ...servers]) await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const digestOf = (doc: Doc) => createHash('sha256').update(BSON.serialize(doc)).digest('hex');

/** An empty database. */
async function target(): Promise<{ url: string; db: Db; close(): Promise<void> }> {
  const server = await startEmbeddedMongo({ dir: join(dir, `target-${servers.length}`), port: 0 });
  servers.push(server);
  const ofTarget = await MongoClient.connect(server.url);
  return { url: server.url, db: ofTarget.db(DEFAULT_DATABASE), close: () => ofTarget.close() };
}

/** A source that fails after some batches. */
function failing(documents: Documents, batches: number): Documents {
  return {
    collections: documents.collections,
    async *batches(): AsyncGenerator<Batch> {
      let left = batches;
      for await (const batch of documents.batches()) {
        if (left-- === 0) throw new Error('the source is gone');
        yield batch;
      }
    },
  };
}

test('a backup has what the store had when it was opened, with types and indexes', async () => {
  const backup = await BackupFile.open(file);
  expect(backup.header).toMatchObject({ format: 1, version: '1.2.3' });
  const counts = await backup.verify();
  expect(Object.fromEntries(counts)).toEqual({ monitors: 3, users: 2, empty: 0 });
  const { url: mongoUrl, db, close } = await target();
  const restored = await restore({ dataDir: join(dir, 'unused'), mongoUrl }, file, '1.2.3');
  expect(restored).toEqual({ at: backup.header.at, counts });
  expect(existsSync(join(dir, 'unused'))).toBe(false);
  const copied = await db.collection<Doc>('monitors').find({}, { promoteValues: false }).sort({ _id: 1 }).toArray();
  expect(copied.map(digestOf)).toEqual(MONITORS.map(digestOf));
  expect(await db.collection<Doc>('users').find({}).toArray()).toEqual(USERS);
  await expect(db.collection('users').insertOne({ mail: 'one@example.com' })).rejects.toMatchObject({ code: 11000 });
  expect(await db.collection('monitors').find({}, { hint: 'by_name', limit: 1 }).toArray()).toHaveLength(1);
  expect(await db.collection('settings').countDocuments({})).toBe(0);
  await close();
});

test('a restore continues after an election, and refuses a sharded cluster', async () => {
  const set = await ReplicaSet.start();
  const elected = set.stepDownDuring(/^insert monitors/).then(() => set.elect(1));
  await restore({ dataDir: join(dir, 'unused'), mongoUrl: set.url }, file, '1.2.3');
  await elected;
  const copied = await MongoClient.connect(set.url);
  expect(await copied.db().collection('monitors').countDocuments({})).toBe(MONITORS.length);
  await copied.close();
  for (const member of set.members) member.isRouter = true;
  const mongoUrl = `mongodb://${set.members[0]?.address}/other`;
  await expect(restore({ dataDir: join(dir, 'unused'), mongoUrl }, file, '1.2.3')).rejects.toThrow(/sharded cluster/);
  await set.stop();
});

test('a flipped bit or a missing end is noticed, wherever it is', async () => {
  const bytes = readFileSync(file);
  const path = join(dir, 'changed');
  const positions = new Set(Array.from({ length: 24 }, (_, at) => [at, bytes.length - 1 - at]).flat());
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 50)) positions.add(at);
  const refusal = expect.objectContaining({ name: 'Refusal', message: expect.stringContaining(path) as string }) as Error;
  const verify = async () => (await BackupFile.open(path)).verify();
  for (const at of positions) {
    const changed = Buffer.from(bytes);
    changed[at] = (bytes[at] as number) ^ (1 << (at % 8));
    writeFileSync(path, changed);
    await expect(verify(), `byte ${at}`).rejects.toEqual(refusal);
    writeFileSync(path, bytes.subarray(0, at));
    await expect(verify(), `the first ${at} bytes`).rejects.toEqual(refusal);
  }
  writeFileSync(path, Buffer.concat([bytes, Buffer.from([0])]));
  await expect(verify()).rejects.toEqual(refusal);
});

test.each([
  ['text', 'hello', 'is not a backup'],
  ['nothing', '', 'is not a backup'],
])('a file of %s is refused', async (_title, content, reason) => {
  const path = join(dir, 'other');
  writeFileSync(path, content);
  await expect(BackupFile.open(path)).rejects.toThrow(reason);
});

test('a backup by a newer version, or in a newer format, is refused', async () => {
  const data = { dataDir: join(dir, 'restored'), mongoUrl: null };
  await expect(restore(data, file, '1.2.2')).rejects.toThrow('was made by Farwatch 1.2.3, which is newer than this one, 1.2.2');
  const path = join(dir, 'newer');
  writeFileSync(path, readFileSync(file).toString('latin1').replace('{"format":1,', '{"format":2,'), 'latin1');
  await expect(BackupFile.open(path)).rejects.toThrow('has format 2, which this version of Farwatch does not know');
});

test('a database that has anything is not a target, and keeps what it has', async () => {
  const { url, db, close } = await target();
  await db.collection<Doc>('else').insertOne({ _id: 'mine' });
  await expect(copyDocuments(await BackupFile.open(file), url)).rejects.toThrow('is not empty: it has documents in else');
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  expect(names).toEqual(['else']);
  await close();
});

test('a copy that was interrupted starts again, and leaves nothing of the first attempt', async () => {
  const { url, db, close } = await target();
  const backup = await BackupFile.open(file);
  await expect(copyDocuments(failing(backup, 1), url)).rejects.toThrow('the source is gone');
  await db.collection<Doc>('monitors').insertOne({ _id: 'only in the first attempt' });
  expect(await db.collection('settings').findOne({})).toMatchObject({ _id: 'unfinished_copy' });
  const counts = await copyDocuments(backup, url);
  expect(await db.collection('monitors').countDocuments({})).toBe(counts.get('monitors'));
  expect(await db.collection('settings').countDocuments({})).toBe(0);
  await close();
});

test.runIf(process.geteuid?.() === 0)('a data directory of another user is refused', async () => {
  const dataDir = join(dir, 'foreign');
  mkdirSync(dataDir);
  chownSync(dataDir, 65_532, 65_532);
  await expect(restore({ dataDir, mongoUrl: null }, file, '1.2.3')).rejects.toThrow('belongs to the user with id 65532');
});

test('a backup never replaces a file', async () => {
  const documents = await openEmbeddedDocuments(join(dir, 'source'));
  const before = readFileSync(file);
  await expect(writeBackupFile(file, documents, { version: '1.2.3', at: 0 })).rejects.toThrow('exists already');
  await documents.close();
  expect(readFileSync(file).equals(before)).toBe(true);
});
