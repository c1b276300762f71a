import type { FairQueue } from '../../shared/fair-queue.ts';
import type { Tenant } from '../accounts/tenant.ts';
import type { WindowStore } from './store.ts';

export interface MaintenanceDeps {
  windows: WindowStore;
  /** The living monitors of the project among `ids`. */
  existingMonitors(tenant: Tenant, ids: string[]): Promise<ReadonlySet<string>>;
  /** The ids of the project's status pages. */
  existingPages(tenant: Tenant): Promise<ReadonlySet<string>>;
  /** Has rounds look at a window that was changed. Resolves when its monitors' journals are to take it. */
  onWindowChanged(): Promise<void>;
  /** For computing the occurrences of a window, by organization. */
  turns: Pick<FairQueue, 'run'>;
}
