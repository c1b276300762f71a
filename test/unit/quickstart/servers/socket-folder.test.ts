import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDatabase } from '../../../../deploy/quickstart/servers/database.ts';
import { socketFolder } from '../../../../deploy/quickstart/servers/socket-folder.ts';

const NAME = 'mongo.sock';
let dir = '';
let temporary = '';
let long = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fw-socket-'));
  [temporary, long] = [join(dir, 't'), join(dir, 'd'.repeat(120))];
  mkdirSync(temporary);
});
afterEach(() => rmSync(dir, { recursive: true }));
const folderOf = (dataDir: string) => socketFolder(dataDir, NAME, [temporary]);
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('is in the data directory if the path is short enough, and private even if it existed', () => {
  const run = join(dir, 'data', 'run');
  mkdirSync(run, { recursive: true });
  chmodSync(run, 0o755);
  expect(folderOf(join(dir, 'data'))).toBe(run);
  expect(modeOf(run)).toBe(0o700);
  expect(readdirSync(temporary)).toEqual([]);
});

test('is a private temporary folder if the path is too long, the same one at each start', async () => {
  const folder = folderOf(long);
  expect(folder.startsWith(join(temporary, 'farwatch-'))).toBe(true);
  expect(modeOf(folder)).toBe(0o700);
  expect(folderOf(long)).toBe(folder);
  const server = createServer().listen({ path: join(folder, NAME) });
  await new Promise((listening) => server.once('listening', listening));
  await new Promise((closed) => server.close(closed));
});

test('is a new one if the recorded one is gone, public, a link, or from another data directory', () => {
  const first = folderOf(long);
  chmodSync(first, 0o755);
  const second = folderOf(long);
  expect(second).not.toBe(first);
  rmSync(second, { recursive: true });
  const third = folderOf(long);
  expect(third).not.toBe(second);
  rmSync(third, { recursive: true });
  mkdirSync(join(dir, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(dir, 'elsewhere'), third);
  const fourth = folderOf(long);
  expect(fourth).not.toBe(third);
  const copy = join(dir, 'c'.repeat(120));
  cpSync(long, copy, { recursive: true });
  expect(folderOf(copy)).not.toBe(fourth);
  expect(folderOf(long)).toBe(fourth);
});

test('is rejected if even the temporary folder is too long', () => {
  expect(() => socketFolder(long, NAME, [join(dir, 'x'.repeat(120))])).toThrow('too long for a database socket');
});

test.each(['data', 'd'.repeat(120)])('no database listens on TCP, with %s as data directory', async (name) => {
  const env = { PATH: join(dir, 'bin') };
  const options = { dataDir: join(dir, name), bundles: join(dir, 'bundles'), flags: [], env };
  mkdirSync(join(options.dataDir, 'mongo'), { recursive: true });
  const { spec: embedded } = await prepareDatabase(options);
  const socket = embedded.args[embedded.args.indexOf('--socket') + 1] as string;
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100);
  expect(modeOf(join(socket, '..'))).toBe(0o700);
  rmSync(join(options.dataDir, 'mongo'), { recursive: true });
  mkdirSync(env.PATH);
  cpSync('/bin/true', join(env.PATH, 'mongod'));
  const { spec: mongod } = await prepareDatabase(options);
  const bound = mongod.args[mongod.args.indexOf('--bind_ip') + 1] as string;
  expect(mongod.args).toEqual(['--dbpath', join(options.dataDir, 'mongod'), '--bind_ip', bound, '--nounixsocket']);
  expect(bound).toMatch(/\/mongodb-27017\.sock$/);
  expect(modeOf(join(bound, '..'))).toBe(0o700);
});
