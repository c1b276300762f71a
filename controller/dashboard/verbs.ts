import type { RequestContext } from '../http/route.ts';
import type { ProjectHealth } from '../results/reading/project-health.ts';
import { PROBE_STATUSES, type DashboardDeps, type OpenIncident, type ProbeStatus } from './ports.ts';

/** Open incidents that are shown of all. */
const MOST_INCIDENTS = 10;

type Named<T> = T & { name: string };

export interface Overview {
  monitors: { total: number; up: number; down: number; degraded: number; paused: number; unknown: number };
  incidents: { open: number; acknowledged: number; latest: OpenIncident[] };
  slowest: Named<ProjectHealth['slowest'][number]>[];
  flakiest: Named<ProjectHealth['flakiest'][number]>[];
  fleet: { regions: number; regionsOnline: number; probes: Record<ProbeStatus, number> };
}

/** How a project is, at a glance. */
export async function readOverview(deps: DashboardDeps, ctx: RequestContext): Promise<Overview> {
  const { tenant } = ctx;
  const [{ total, active }, { counts, slowest, flakiest }, open, acknowledged] = await Promise.all([
    deps.monitors.counts(tenant), deps.health.ofProject(tenant.projectId),
    deps.incidents.withStatus(tenant, 'open', MOST_INCIDENTS), deps.incidents.withStatus(tenant, 'acknowledged', MOST_INCIDENTS),
  ]);
  const names = await deps.monitors.names(tenant, [...new Set([...slowest, ...flakiest].map((one) => one.monitor_id))]);
  const named = <T extends { monitor_id: string }>(list: T[]) => list.flatMap((one) => {
    const name = names.get(one.monitor_id);
    return name === undefined ? [] : [{ ...one, name }];
  });
  const latest = [...open.incidents, ...acknowledged.incidents].sort((one, other) => other.started_at - one.started_at).slice(0, MOST_INCIDENTS);
  const unknown = Math.max(0, active - counts.up - counts.down - counts.degraded);
  return {
    monitors: { total, ...counts, paused: total - active, unknown },
    incidents: { open: open.total, acknowledged: acknowledged.total, latest },
    slowest: named(slowest), flakiest: named(flakiest), fleet: fleetOf(deps.fleet.probes(tenant.organizationId)),
  };
}

function fleetOf(probes: { region: string; status: ProbeStatus }[]): Overview['fleet'] {
  const count = (status: ProbeStatus) => probes.filter((probe) => probe.status === status).length;
  return {
    regions: new Set(probes.map(({ region }) => region)).size,
    regionsOnline: new Set(probes.filter(({ status }) => status === 'online').map(({ region }) => region)).size,
    probes: Object.fromEntries(PROBE_STATUSES.map((status) => [status, count(status)])) as Record<ProbeStatus, number>,
  };
}
