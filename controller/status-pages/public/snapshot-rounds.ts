import type { Log } from '../../../shared/log.ts';
import { Rounds } from '../../../shared/rounds.ts';
import type { Clock } from '../../../shared/time.ts';
import type { PageStore } from '../store.ts';
import type { PageSnapshots } from './page-snapshots.ts';
import type { PublicPages } from './public-pages.ts';

const EVERY_MS = 60_000;
/** Reading pages that nobody asks for: at most this much of a round, whatever the number of pages. */
const READING_MS = 500;
const PAGES_AT_ONCE = 10;
const NAMES_AT_ONCE = 50;

interface SnapshotRoundsDeps {
  pages: Pick<PageStore, 'publishedAfter' | 'publishedIds'>;
  readers: Pick<PublicPages, 'get'>;
  snapshots: Pick<PageSnapshots, 'names' | 'remove'>;
  clock: Clock;
  log: Log;
}

/**
 * Gives each published page a snapshot, also those that nobody reads here, and removes those of pages that
 * are published no more.
 */
export function snapshotRounds({ pages, readers, snapshots, clock, log }: SnapshotRoundsDeps): Rounds {
  let after = '';
  const sweep = async () => {
    const names = snapshots.names();
    for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
      const some = names.slice(at, at + NAMES_AT_ONCE);
      const published = await pages.publishedIds(some);
      for (const name of some) if (!published.has(name)) snapshots.remove(name);
    }
  };
  const refresh = async () => {
    const startedAt = clock.monotonic();
    while (clock.monotonic() - startedAt < READING_MS) {
      const some = await pages.publishedAfter(after, PAGES_AT_ONCE);
      for (const { subdomain } of some) await readers.get(subdomain);
      after = some.length < PAGES_AT_ONCE ? '' : (some.at(-1)?._id ?? '');
      if (after === '') return;
    }
  };
  return new Rounds({
    clock, everyMs: EVERY_MS,
    round: async () => {
      await sweep();
      await refresh();
    },
    onFailed: (error) => log.warn({ err: error }, 'could not update the snapshots of status pages'),
  });
}
