import { PeriodicTask } from '../../shared/periodic-task.ts';
import type { GroupDeps } from '../groups/deps.ts';
import { groupRoutes } from '../groups/routes.ts';
import { findSuccessors, resumeRemovals } from '../groups/verbs/change-tree.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { GroupLookup } from '../monitors/ports.ts';
import type { ControllerPorts } from './ports.ts';

/** Monitors of a deleted group move on with the deletion; this finds what a crash left behind. */
const RESUME_INTERVAL_MS = 600_000;

export type Groups = ReturnType<typeof openGroups>;

/** Groups, and over the monitors in them their routes and what finishes deletions. */
export function openGroups({ stores, clock, log }: ControllerPorts) {
  const { groups, groupTrees: trees, groupRemovals: removals } = stores;
  const lookup: GroupLookup = {
    names: (tenant, ids) => groups.names(tenant, ids),
    successors: (tenant, ids) => findSuccessors({ groups, removals }, tenant, ids),
  };
  return {
    lookup,
    over: (monitors: MonitorDeps, onGroupChanged: GroupDeps['onGroupChanged']) => {
      const deps: GroupDeps = { groups, trees, removals, monitors, onGroupChanged };
      const removalTask = new PeriodicTask({
        clock, intervalMs: RESUME_INTERVAL_MS,
        task: () => resumeRemovals(deps, clock.now()),
        onError: (error) => log.warn({ err: error }, 'could not clean up a deleted group'),
      });
      return { deps, routes: groupRoutes(deps), removalTask };
    },
  };
}
