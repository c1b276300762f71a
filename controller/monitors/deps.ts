import type { Log } from '../../shared/log.ts';
import type { Quota } from '../plans/quota.ts';
import type { MonitorCounts } from './counts/counts.ts';
import type { MonitorListStore } from './list-store.ts';
import type { DestinationLookup, GroupLookup, CheckRunner, MonitorReaders, Poke, RegionLookup } from './ports.ts';
import type { MonitorStore } from './store.ts';

/** What the verbs that write monitors work with. */
export interface MonitorWriteDeps {
  monitors: MonitorStore;
  quota: Quota;
  regions: RegionLookup;
  destinations: DestinationLookup;
  groups: GroupLookup;
  /** Called after each write, with the shard whose journal lacks it. */
  poke: Poke;
  /** Lowest interval that this installation accepts, seconds. */
  minIntervalSeconds: number;
  log: Log;
}

/** What the verbs of monitors work with. */
export interface MonitorDeps extends MonitorWriteDeps {
  lists: MonitorListStore;
  counts: MonitorCounts;
  readers: MonitorReaders;
  runner: CheckRunner;
}
