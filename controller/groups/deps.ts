import type { MonitorDeps } from '../monitors/deps.ts';
import type { ManyDeps } from '../monitors/verbs/change-many.ts';
import type { GroupStore } from './store.ts';
import type { RemovalStore, TreeStore } from './tree-store.ts';

/** What changes of a project's tree work with. */
export interface TreeDeps {
  groups: GroupStore;
  trees: TreeStore;
  removals: RemovalStore;
  monitors: ManyDeps;
}

export interface GroupDeps extends TreeDeps {
  monitors: MonitorDeps;
}
