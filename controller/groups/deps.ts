import type { Tenant } from '../accounts/tenant.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { BulkDeps } from '../monitors/verbs/change-many.ts';
import type { GroupStore } from './store.ts';
import type { RemovalStore, TreeStore } from './tree-store.ts';

/** What changes of a project's tree work with. */
export interface TreeDeps {
  groups: GroupStore;
  trees: TreeStore;
  removals: RemovalStore;
  monitors: BulkDeps;
  /** Tells those who look at the project now that a group is other than it was. */
  onGroupChanged(project: Tenant, groupId: string, isDeleted: boolean): void;
}

export interface GroupDeps extends TreeDeps {
  monitors: MonitorDeps;
}
