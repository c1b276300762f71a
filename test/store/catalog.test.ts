import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize, type Document } from 'bson';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keyField } from '../../deploy/embedded/mongo/keys/index-keys.ts';
import { Catalog } from '../../deploy/embedded/mongo/storage/catalog.ts';
import { openEngine } from '../../deploy/embedded/mongo/storage/engine.ts';
import { Storage } from '../../deploy/embedded/mongo/storage/storage.ts';

let dir: string;
let storage: Storage;
let catalog: Catalog;

async function open(): Promise<void> {
  storage = new Storage(await openEngine(dir), (error) => expect.unreachable(String(error)));
  catalog = new Catalog(storage);
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fw-catalog-'));
  await open();
  await storage.write(() => {
    catalog.addIndex(catalog.ensure('x.c'), index('a'));
  });
});
afterEach(async () => {
  await storage.close();
  rmSync(dir, { recursive: true, force: true });
});

const index = (name: string) => ({ name, fields: [keyField(name)], unique: false, sparse: false });
const insert = (doc: Document): void => catalog.ensure('x.c').insert(Buffer.from(serialize(doc)));
const indexesOf = (ns: string) =>
  catalog.get(ns)?.indexes.map(({ name, multikey, isReady }) => [name, multikey, isReady]);

test('collections, indexes and their arrays survive a restart', async () => {
  await storage.write(() => insert({ _id: 1, a: [1, 2] }));
  await storage.close();
  await open();
  expect(indexesOf('x.c')).toEqual([['a', true, true]]);
});

test('a job that throws creates no collection, index or array', async () => {
  const failing = storage.write(() => {
    insert({ _id: 1, a: [1, 2] });
    catalog.addIndex(catalog.ensure('x.c'), index('b'));
    catalog.ensure('x.new');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(indexesOf('x.c')).toEqual([['a', false, true]]);
  expect(catalog.get('x.new')).toBeUndefined();
});

test('a job that throws leaves indexes usable for reads during its commit', async () => {
  const failing = storage.write(() => {
    throw new Error('no');
  });
  const next = storage.write(() => indexesOf('x.c'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toEqual([['a', false, true]]);
});

test('a new index is used only after its commit', async () => {
  const during = storage.write(() => {
    catalog.addIndex(catalog.ensure('x.c'), index('b'));
    return indexesOf('x.c');
  });
  expect(await during).toEqual([['a', false, true], ['b', false, false]]);
  expect(indexesOf('x.c')).toEqual([['a', false, true], ['b', false, true]]);
});
