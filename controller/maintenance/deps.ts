import type { Clock } from '../../shared/time.ts';
import type { Tenant } from '../access/tenant.ts';
import type { FairQueue } from '../work/fair-queue.ts';
import type { WindowStore } from './store.ts';

export interface MaintenanceDeps {
  windows: WindowStore;
  /** Returns those of `ids` that are monitors of the project. */
  existingMonitors(tenant: Tenant, ids: string[]): Promise<ReadonlySet<string>>;
  /** Ids of the project's status pages. */
  existingPages(tenant: Tenant): Promise<ReadonlySet<string>>;
  /** Processes changed windows now. Resolves when their monitors are marked for the journal. */
  onWindowChanged(): Promise<void>;
  /** Queue for computing occurrences; organizations take turns. */
  turns: Pick<FairQueue, 'run'>;
  clock: Clock;
}
