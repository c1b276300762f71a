import type { Log } from '../../shared/log.ts';
import type { Quota } from '../plans/quota.ts';
import type { FairQueue } from '../work/fair-queue.ts';
import type { DependencyChangeStore } from './dependencies/store.ts';
import type { MonitorCounts } from './counts/counts.ts';
import type { MonitorListStore } from './list/list-store.ts';
import type {
  AssignedMonitors, CheckRunner, DestinationLookup, GroupLookup, MonitorReaders, RegionLookup,
} from './ports.ts';
import type { MonitorStore } from './store.ts';
import type { VariableLookup } from './variable.ts';

export interface MonitorWriteDeps {
  monitors: MonitorStore;
  dependencyChanges: DependencyChangeStore;
  quota: Quota;
  regions: RegionLookup;
  destinations: DestinationLookup;
  groups: GroupLookup;
  /** Asks the shards' owners to journal writes. The messages may get lost, since owners also poll. */
  notifyOwners(monitorIds: Iterable<string>): void;
  /** The shortest interval that this installation accepts. */
  minIntervalSeconds: number;
  variables: VariableLookup;
  log: Log;
}

export interface MonitorDeps extends MonitorWriteDeps {
  lists: MonitorListStore;
  counts: MonitorCounts;
  readers: MonitorReaders;
  runner: CheckRunner;
  assigned: AssignedMonitors;
  /** Queue for overviews; organizations take turns. */
  turns: Pick<FairQueue, 'run'>;
  /** Queue for policy simulations; organizations take turns. */
  simulations: Pick<FairQueue, 'run'>;
}
