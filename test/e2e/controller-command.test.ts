import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedMongo, type EmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { DEFAULT_DATABASE, UNFINISHED_COPY } from '../../shared/database.ts';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { ReplicaSet } from '../helpers/replica-set.ts';
import { until } from '../helpers/until.ts';

const START = join(resolve(import.meta.dirname, '../..'), 'deploy/command/farwatch.mjs');

let dir = '';
let nats: TestNats;
let store: EmbeddedMongo | null = null;
let child: ChildProcess;
let output = '';
let ended: Promise<number | null>;

async function startStore(port: number): Promise<EmbeddedMongo> {
  mkdirSync(join(dir, 'mongo'), { recursive: true });
  return startEmbeddedMongo({ dir: join(dir, 'mongo'), port });
}

function command(env: Record<string, string>): void {
  output = '';
  child = spawn(
    process.execPath, [START, 'controller'],
    { env: cleanEnvironment({ DATA_DIR: join(dir, 'data'), PORT: '0', ...env }) },
  );
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  ended = new Promise((done) => child.once('close', done));
}

const logged = (msg: string): boolean => output.includes(`"msg":"${msg}"`);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-command-'));
  nats = await startNats();
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await store?.stop();
  await nats?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('a controller waits for its database and then NATS, logs one line for each, and starts when both are up', async () => {
  const port = await freePort();
  await nats.kill9();
  command({
    MONGODB_URL: `mongodb://127.0.0.1:${port}/farwatch`, NATS_URL: nats.url, NATS_CREDS: nats.controllerCreds,
    NATS_USERS_FILE: nats.usersFile, NATS_PID_FILE: nats.pidFile,
  });
  await until(() => logged('waiting for MongoDB'), { what: 'it waits for the database' });
  store = await startStore(port);
  await until(() => logged('waiting for NATS'), { what: 'it waits for the bus' });
  expect(output).not.toMatch(/\n\s+at |Error:/);
  await nats.restart();
  await until(() => logged('listening'), { what: 'it listens' });
  await until(() => output.includes('SECRETS_KEY is not set'), { what: 'it warns' });
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('a controller refuses to start without the SECRETS_KEY of the secrets in the database', async () => {
  store ??= await startStore(await freePort());
  const { url } = store;
  const client = await MongoClient.connect(url);
  const keys = client.db(DEFAULT_DATABASE).collection<{ _id: string }>('data_keys');
  await keys.deleteMany({});
  await keys.insertOne({ _id: 'secrets', sealed: 'AAAA', sealed_by: 'SECRETS_KEY' } as never);
  command({ MONGODB_URL: url, NATS_URL: nats.url, NATS_CREDS: nats.controllerCreds });
  expect(await ended).toBe(2);
  expect(output).toMatch(/^Farwatch cannot start: SECRETS_KEY must be set, .* To replace a key, set SECRETS_KEY to /);
  await keys.deleteMany({});
  await client.close();
});

test('a controller refuses a database that is only partly copied', async () => {
  store ??= await startStore(await freePort());
  const { url } = store;
  const client = await MongoClient.connect(url);
  const mark = { _id: UNFINISHED_COPY.id } as never;
  await client.db(DEFAULT_DATABASE).collection(UNFINISHED_COPY.collection).insertOne(mark);
  command({ MONGODB_URL: url, NATS_URL: nats.url });
  expect(await ended).toBe(2);
  expect(output).toBe(
    'The database farwatch is incomplete: farwatch restore or farwatch move was interrupted. Run it again.\n',
  );
  await client.close();
});

test('a controller refuses a sharded cluster', async () => {
  const set = await ReplicaSet.start();
  for (const member of set.members) member.isRouter = true;
  command({ MONGODB_URL: `mongodb://${set.members[0]?.address}/farwatch`, NATS_URL: nats.url });
  expect(await ended).toBe(2);
  expect(output).toBe(
    'The database is a sharded cluster, behind a mongos, which Farwatch does not support. '
    + 'Use a replica set that is not sharded.\n',
  );
  await set.stop();
});

test('a controller warns once about each listener that exposes traffic to eavesdropping', async () => {
  const env = { HOST: '0.0.0.0', NATS_LISTEN: '0.0.0.0:4222' };
  command({ MONGODB_URL: `mongodb://127.0.0.1:${await freePort()}/farwatch`, NATS_URL: nats.url, ...env });
  await until(() => logged('waiting for MongoDB'), { what: 'it waits for the database' });
  const warnings = output.split('\n').filter((line) => /plain HTTP|without TLS/.test(line));
  expect(warnings).toEqual([expect.stringContaining('HOST=0.0.0.0'), expect.stringContaining('NATS_LISTEN=0.0.0.0:4222')]);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('a waiting controller can be stopped', async () => {
  command({ MONGODB_URL: `mongodb://127.0.0.1:${await freePort()}/farwatch`, NATS_URL: nats.url });
  await until(() => logged('waiting for MongoDB'), { what: 'it waits for the database' });
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
