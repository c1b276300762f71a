import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedMongo } from '../../deploy/embedded/mongo/server.ts';
import { openEngine, type Engine } from '../../deploy/embedded/mongo/storage/engine.ts';

/** What the embedded store has read from its files. */
export interface Reads {
  /** Keys looked up, nearly all of them of documents. */
  lookups: number;
  /** Entries iterated in key order. */
  entries: number;
  /** Entries skipped or counted by key. */
  keys: number;
  /** Bytes of keys and values looked up or iterated. */
  bytes: number;
}

export interface CountedMongo {
  url: string;
  reads: Reads;
  stop(): Promise<void>;
}

/** An embedded store in this process that counts its reads. */
export async function countedMongo(): Promise<CountedMongo> {
  const dir = mkdtempSync(join(tmpdir(), 'fw-counted-'));
  const reads: Reads = { lookups: 0, entries: 0, keys: 0, bytes: 0 };
  const engine = async (path: string) => counted(await openEngine(path), reads);
  const server = await startEmbeddedMongo({ dir, socketPath: join(dir, 'm.sock'), engine });
  return {
    url: server.url, reads,
    stop: async () => {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function counted(engine: Engine, reads: Reads): Engine {
  return {
    getBinary: (key) => {
      const value = engine.getBinary(key);
      reads.lookups += 1;
      reads.bytes += key.length + (value?.length ?? 0);
      return value;
    },
    getRange: (options) => {
      reads.keys += options.offset ?? 0;
      return each(engine.getRange(options), ({ key, value }) => {
        reads.entries += 1;
        reads.bytes += key.length + value.length;
      });
    },
    getKeysCount: (options) => {
      const count = engine.getKeysCount(options);
      reads.keys += count;
      return count;
    },
    doesExist: (key) => engine.doesExist(key),
    write: (changes) => engine.write(changes),
    close: () => engine.close(),
  };
}

function* each<T>(all: Iterable<T>, note: (one: T) => void): Generator<T> {
  for (const one of all) {
    note(one);
    yield one;
  }
}
