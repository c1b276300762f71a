import { pathOf } from '../groups/tree-rules.ts';
import type { Route } from '../http/routing/route.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import { rehearsalRoutes } from '../rehearsal/routes.ts';
import type { ResultsService } from '../results/service.ts';
import type { Fleet } from './fleet.ts';
import type { Monitors } from './monitors.ts';
import type { Notifications } from './notifications.ts';
import type { ControllerPorts } from './ports.ts';

interface RehearsalSources {
  fleet: Pick<Fleet, 'runNow'>;
  monitors: Pick<Monitors, 'rehearsals'>;
  notifications: Pick<Notifications, 'deps'>;
  results: Pick<ResultsService<MonitorDoc>, 'readers'>;
}

/** Rehearsals of alert settings on stored results. */
export function openRehearsals(ports: ControllerPorts, sources: RehearsalSources): Route[] {
  const { stores, shardMap, clock, config: { noDataAfterMs } } = ports;
  const { fleet, monitors: { rehearsals: turns }, notifications, results } = sources;
  const { monitors, statusHistory: changes, incidents, windows, features, groups } = stores;
  return rehearsalRoutes({
    monitors, changes, incidents, windows, features, turns, shardMap, clock, noDataAfterMs,
    runner: fleet.runNow, results: results.readers.storedHours, targets: notifications.deps.targets,
    groupPaths: async (tenant) => {
      const edges = await groups.edges(tenant);
      return (id) => pathOf(edges, id).map(({ _id }) => _id);
    },
  });
}
