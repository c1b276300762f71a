import type { Tenant } from '../access/tenant.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { BulkDeps } from '../monitors/verbs/change-many.ts';
import type { GroupStore } from './store.ts';
import type { RemovalStore, TreeStore } from './tree-store.ts';

/** Dependencies of changes to a project's tree of groups. */
export interface TreeDeps {
  groups: GroupStore;
  trees: TreeStore;
  removals: RemovalStore;
  monitors: BulkDeps;
  /** Called after a group was created, changed or deleted. */
  onGroupChanged(project: Tenant, groupId: string, isDeleted: boolean): void;
}

export interface GroupDeps extends TreeDeps {
  monitors: MonitorDeps;
}
