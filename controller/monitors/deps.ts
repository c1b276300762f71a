import type { Log } from '../../shared/log.ts';
import type { Quota } from '../plans/quota.ts';
import type { MonitorCounts } from './counts.ts';
import type { MonitorListStore } from './list-store.ts';
import type { DestinationLookup, GroupLookup, CheckRunner, MonitorReaders, Poke, RegionLookup } from './ports.ts';
import type { MonitorStore } from './store.ts';

/** What the verbs of monitors work with. */
export interface MonitorDeps {
  monitors: MonitorStore;
  lists: MonitorListStore;
  counts: MonitorCounts;
  quota: Quota;
  regions: RegionLookup;
  destinations: DestinationLookup;
  groups: GroupLookup;
  readers: MonitorReaders;
  runner: CheckRunner;
  /** Called after each write, with the shard whose journal lacks it. */
  poke: Poke;
  /** Lowest interval that this installation accepts, seconds. */
  minIntervalSeconds: number;
  log: Log;
}
