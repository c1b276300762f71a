import type { GroupDeps } from '../groups/deps.ts';
import { groupRoutes } from '../groups/routes.ts';
import { resumeRemovals } from '../groups/verbs/change-tree.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type { Events } from './events.ts';
import type { Monitors } from './monitors.ts';
import type { ControllerPorts } from './ports.ts';

/** Monitors of a deleted group move on with the deletion; this finds what a crash left behind. */
const RESUME_INTERVAL_MS = 600_000;

interface GroupSources {
  monitors: Pick<Monitors, 'deps'>;
  events: Events;
}

/** Groups, and what finishes their deletions. */
export function openGroups({ stores, clock, log }: ControllerPorts, { monitors, events }: GroupSources) {
  const { groups, groupTrees: trees, groupRemovals: removals } = stores;
  const deps: GroupDeps = {
    groups, trees, removals, monitors: monitors.deps, onGroupChanged: events.publishGroup,
  };
  const removalTask = new PeriodicTask({
    clock, intervalMs: RESUME_INTERVAL_MS, runsAtStart: true,
    task: () => resumeRemovals(deps, clock.now()),
    onError: (error) => log.warn({ err: error }, 'could not clean up a deleted group'),
  });
  return { deps, routes: groupRoutes(deps), removalTask };
}
