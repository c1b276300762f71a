import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { STORE_FLAGS } from '../../deploy/quickstart/process-spec.ts';
import { pinned } from './cpu.ts';

export interface BenchDatabase {
  url: string;
  pid: number;
  /** Bytes that its collections and their indexes take on disk; pages that are free to be used again are not counted. */
  bytes(): Promise<number>;
  stop(): Promise<void>;
}

/** The embedded store in a process of its own, on a directory of its own. */
export async function startDatabase(bundles: string): Promise<BenchDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
  const [command, args] = pinned(0, process.execPath, [...STORE_FLAGS, join(bundles, 'embedded-mongo.mjs'), '--dir', join(dir, 'db'), '--socket', join(dir, 'm.sock')]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString().split('\n')[0] as string) as { url: string };
  return {
    url, pid: child.pid as number,
    bytes: async () => {
      const client = await MongoClient.connect(url);
      const db = client.db('farwatch');
      let sum = 0;
      for (const { name } of await db.listCollections().toArray()) {
        const { storageSize, totalIndexSize } = await db.command({ collStats: name });
        sum += Number(storageSize) + Number(totalIndexSize);
      }
      await client.close();
      return sum;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
