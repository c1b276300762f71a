import type { FairQueue } from '../../shared/fair-queue.ts';
import type { Log } from '../../shared/log.ts';
import type { Quota } from '../plans/quota.ts';
import type { MonitorCounts } from './counts/counts.ts';
import type { MonitorListStore } from './list/list-store.ts';
import type { AssignedMonitors, CheckRunner, DestinationLookup, GroupLookup, MonitorReaders, RegionLookup } from './ports.ts';
import type { MonitorStore } from './store.ts';

export interface MonitorWriteDeps {
  monitors: MonitorStore;
  quota: Quota;
  regions: RegionLookup;
  destinations: DestinationLookup;
  groups: GroupLookup;
  /**
   * Asks the shard's owner to journal a write; a lost poke does no harm, because the owner also looks by
   * itself.
   */
  notifyOwner(shard: number): void;
  /** The lowest interval that this installation accepts, seconds. */
  minIntervalSeconds: number;
  log: Log;
}

export interface MonitorDeps extends MonitorWriteDeps {
  lists: MonitorListStore;
  counts: MonitorCounts;
  readers: MonitorReaders;
  runner: CheckRunner;
  assigned: AssignedMonitors;
  /** For overviews, by organization. */
  turns: Pick<FairQueue, 'run'>;
  /** For simulations of policies, by organization. */
  simulations: Pick<FairQueue, 'run'>;
}
