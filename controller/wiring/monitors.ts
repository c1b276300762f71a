import { AppError } from '../errors/app-error.ts';
import { queueRefusal } from '../http/limits/rate-limit.ts';
import { findSuccessors } from '../groups/verbs/change-tree.ts';
import { MonitorCounts } from '../monitors/counts/counts.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import { monitorRoutes } from '../monitors/routes.ts';
import { SpareTable } from '../monitor-metrics/monitor-table.ts';
import { monitorMetricsRoute } from '../monitor-metrics/routes.ts';
import type { ResultsService } from '../results/service.ts';
import { FairQueue } from '../work/fair-queue.ts';
import type { Accounts } from './accounts.ts';
import type { Fleet } from './fleet.ts';
import type { Incidents } from './incidents.ts';
import type { ControllerPorts } from './ports.ts';

/** An overview of 5,000 monitors takes some 20 MB while it is made. */
const OVERVIEWS = {
  maxRunning: 4, maxRunningPerKey: 2, maxWaiting: 200, maxWaitingPerKey: 50, maxWaitMs: 25_000,
};
/** Each reads and replays up to tens of thousands of results. */
const SIMULATIONS = {
  maxRunning: 1, maxRunningPerKey: 1, maxWaiting: 50, maxWaitingPerKey: 5, maxWaitMs: 25_000,
};
/** A scrape of 100,000 monitors holds 20 MB. Pairs of Prometheus servers scrape at the same time. */
const SCRAPES = {
  maxRunning: 4, maxRunningPerKey: 2, maxWaiting: 50, maxWaitingPerKey: 4, maxWaitMs: 10_000,
};
/** Each reads months of results, for up to a minute. */
const REHEARSALS = {
  maxRunning: 1, maxRunningPerKey: 1, maxWaiting: 20, maxWaitingPerKey: 3, maxWaitMs: 25_000,
};
/** For an organization with too many simulations waiting, s. */
const RETRY_AFTER_S = 5;

export type Monitors = ReturnType<typeof openMonitors>;

interface MonitorSources {
  accounts: Accounts;
  fleet: Fleet;
  incidents: Incidents;
  results: ResultsService<MonitorDoc>;
}

/** What routes of monitors need: `deps`, with the queues of what is expensive to read. */
export function openMonitors(ports: ControllerPorts, sources: MonitorSources) {
  const { config, stores, clock, log } = ports;
  const { accounts, fleet, incidents, results } = sources;
  const { monitors, monitorLists: lists, destinations, groups, groupRemovals: removals } = stores;
  const counts = new MonitorCounts({ store: stores.monitorCounts, clock, log });
  const turns = new FairQueue(clock, OVERVIEWS, () =>
    new AppError('SERVICE_UNAVAILABLE', 'Too many overviews are being read; try again in a moment'));
  const simulations = new FairQueue(clock, SIMULATIONS, queueRefusal(
    RETRY_AFTER_S, 'Too many policies are being simulated; try again in a moment',
  ));
  const rehearsals = new FairQueue(clock, REHEARSALS, queueRefusal(
    RETRY_AFTER_S, 'Too many alert settings are being simulated; try again in a moment',
  ));
  const scrapes = new FairQueue(clock, SCRAPES, () =>
    new AppError('SERVICE_UNAVAILABLE', 'Too many scrapes are running; try again in a moment'));
  const { unwritten: live, statistics, dailyUptimes, overview, history, certificates } = results.readers;
  const deps: MonitorDeps = {
    monitors, lists, counts, destinations, dependencyChanges: stores.dependencyChanges,
    turns, simulations, log,
    quota: accounts.quota, regions: fleet.directory, runner: fleet.runNow, assigned: fleet.assigned,
    groups: {
      names: (tenant, ids) => groups.names(tenant, ids),
      successors: (tenant, ids) => findSuccessors({ groups, removals }, tenant, ids),
    },
    readers: {
      live, statistics, dailyUptimes, overview, history, certificates,
      incidents: stores.incidents, outages: incidents.outages, domains: stores.domains,
    },
    notifyOwners: results.notifyOwners.bind(results, 'changes'),
    minIntervalSeconds: config.monitors.minIntervalSeconds,
    variables: stores.variables,
  };
  const metricsRoute = monitorMetricsRoute({
    accounts: accounts.deps, metrics: results.readers.metrics, groups, incidents: stores.incidents,
    fleet: fleet.overview, turns: scrapes, clock, spareTable: new SpareTable(),
  });
  return { counts, simulations, rehearsals, deps, routes: [...monitorRoutes(deps), metricsRoute] };
}
