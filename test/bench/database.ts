import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { STORE_FLAGS } from '../../deploy/quickstart/processes/process-spec.ts';
import { pinned } from './cpu.ts';

export interface BenchDatabase {
  url: string;
  pid: number;
  /** Bytes of documents and indexes on disk, excluding free pages. */
  bytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the embedded store as a separate process with its own directory. */
export async function startDatabase(bundles: string): Promise<BenchDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
  const [command, args] = pinned(0, process.execPath, [
    ...STORE_FLAGS, join(bundles, 'embedded-mongo.mjs'), '--dir', join(dir, 'db'), '--socket',
    join(dir, 'm.sock'),
  ]);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString().split('\n')[0] as string) as { url: string };
  return {
    url, pid: child.pid as number,
    bytes: () => bytesInUse(join(dir, 'db', 'data.mdb')),
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

interface TreeStats {
  pageSize: number;
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

/** lmdb lets a second process read concurrently. */
async function bytesInUse(path: string): Promise<number> {
  const reader = open({ path, noSubdir: true, readOnly: true, maxDbs: 1024, keyEncoding: 'binary' });
  const names = [...reader.getKeys()].map((name) => String(Number.parseInt(String(name), 10)));
  const each = [reader, ...names.map((name) => reader.openDB(name, {}))].map((one) => one.getStats() as TreeStats);
  await reader.close();
  return each.reduce(
    (sum, stats) =>
      sum + stats.pageSize * (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages), 0,
  );
}
