import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineStats } from '../commands/context.ts';
import type { Engine } from './storage.ts';

interface TreeStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly lastPageNumber: number;
  readonly free: Omit<TreeStats, 'free' | 'lastPageNumber'>;
}

interface LmdbModule {
  open(options: Record<string, unknown>): Engine & { getStats(): TreeStats };
}

/** Opens lmdb in `dir`. Throws with a sentence to act on when the optional package is not installed. */
export async function openEngine(dir: string): Promise<{ engine: Engine; stats: () => EngineStats }> {
  let lmdb: LmdbModule;
  try {
    lmdb = (await import('lmdb')) as unknown as LmdbModule;
  } catch (cause) {
    throw new Error('the embedded store needs the package lmdb, which is not installed for this platform; set MONGODB_URL instead', { cause });
  }
  const path = join(dir, 'data.mdb');
  const env = lmdb.open({ path, noSubdir: true, encoding: 'binary', keyEncoding: 'binary', eventTurnBatching: false, overlappingSync: true });
  return { engine: env, stats: () => engineStats(env.getStats(), path) };
}

/** The file's first pages, which name the current tree. */
const META_PAGES = 2;

function pagesOf(tree: Omit<TreeStats, 'free' | 'lastPageNumber'>): number {
  return tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
}

function engineStats(stats: TreeStats, path: string): EngineStats {
  return {
    pageBytes: stats.pageSize,
    leafPages: stats.treeLeafPageCount,
    branchPages: stats.treeBranchPageCount,
    overflowPages: stats.overflowPages,
    freePages: stats.lastPageNumber + 1 - META_PAGES - pagesOf(stats) - pagesOf(stats.free),
    fileBytes: statSync(path).size,
  };
}
