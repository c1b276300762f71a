import { DirectoryInUse, lockDirectory } from '../../shared/directory-lock.ts';
import { fromByteString } from '../embedded/mongo/bson/value.ts';
import { Catalog } from '../embedded/mongo/storage/catalog.ts';
import type { Index } from '../embedded/mongo/storage/index.ts';
import { openFrozenEngine, type Engine } from '../embedded/mongo/storage/engine.ts';
import { Storage } from '../embedded/mongo/storage/storage.ts';
import { DEFAULT_DATABASE } from '../../shared/database.ts';
import { inBatches, type Batch, type Documents } from './documents.ts';

export interface EmbeddedDocuments extends Documents {
  /** Unix ms. Everything that the store had acknowledged by then is included. */
  readonly at: number;
  close(): Promise<void>;
}

/** The documents in the directory of an embedded store, whether or not a store is running on it. */
export async function openEmbeddedDocuments(dir: string): Promise<EmbeddedDocuments> {
  const at = Date.now();
  const engine = await freeze(dir);
  const storage = new Storage(engine, () => undefined);
  const collections = [...new Catalog(storage).collectionsOf(DEFAULT_DATABASE)];
  return {
    at,
    collections: collections.map(([name, { indexes }]) => ({ name, indexes: indexes.map(describe) })),
    async *batches(): AsyncGenerator<Batch> {
      for (const [name, collection] of collections) yield* inBatches(name, collection.documents());
    },
    close: () => storage.close(),
  };
}

/** The directory is locked only while it is opened, so that a store can start afterwards. */
async function freeze(dir: string): Promise<Engine> {
  let unlock: (() => Promise<void>) | null = null;
  try {
    unlock = await lockDirectory(dir);
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
  }
  try {
    return await openFrozenEngine(dir, unlock === null);
  } finally {
    await unlock?.();
  }
}

function describe({ name, fields, unique, sparse }: Index) {
  const key = Object.fromEntries(
    fields.map((field) => [fromByteString(field.name), field.descending ? -1 : 1]),
  ) as Record<string, 1 | -1>;
  return { name, key, ...(unique ? { unique } : {}), ...(sparse ? { sparse } : {}) };
}
