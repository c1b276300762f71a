import type { Log } from '../../../../shared/log.ts';
import type { Clock } from '../../../../shared/time.ts';
import { PeriodicTask } from '../../../work/periodic-task.ts';
import type { PageStore } from '../../store.ts';
import type { PageSnapshots } from './page-snapshots.ts';
import type { PageCache } from '../cache/page-cache.ts';

const REFRESH_INTERVAL_MS = 60_000;
/** Time per run spent on reading pages without readers, whatever their number. */
const MAX_READ_MS = 500;
const PAGE_BATCH_SIZE = 10;
const NAME_BATCH_SIZE = 50;

interface SnapshotRefreshDeps {
  pages: Pick<PageStore, 'publishedAfter' | 'publishedIds'>;
  pageCache: Pick<PageCache, 'get'>;
  snapshots: Pick<PageSnapshots, 'names' | 'remove'>;
  clock: Clock;
  log: Log;
}

/**
 * Writes a snapshot of each published page, even without readers here, and removes those of unpublished
 * pages.
 */
export function createSnapshotRefresh(
  { pages, pageCache, snapshots, clock, log }: SnapshotRefreshDeps,
): PeriodicTask {
  let after = '';
  const removeUnpublished = async () => {
    const names = snapshots.names();
    for (let at = 0; at < names.length; at += NAME_BATCH_SIZE) {
      const batch = names.slice(at, at + NAME_BATCH_SIZE);
      const published = await pages.publishedIds(batch);
      for (const name of batch) if (!published.has(name)) snapshots.remove(name);
    }
  };
  const refresh = async () => {
    const startedAt = clock.monotonic();
    while (clock.monotonic() - startedAt < MAX_READ_MS) {
      const batch = await pages.publishedAfter(after, PAGE_BATCH_SIZE);
      for (const { subdomain } of batch) await pageCache.get(subdomain);
      after = batch.length < PAGE_BATCH_SIZE ? '' : (batch.at(-1)?._id ?? '');
      if (after === '') return;
    }
  };
  return new PeriodicTask({
    clock, intervalMs: REFRESH_INTERVAL_MS, runsAtStart: true,
    task: async () => {
      await removeUnpublished();
      await refresh();
    },
    onError: (error) => log.warn({ err: error }, 'could not update the snapshots of status pages'),
  });
}
