import type { OpenIncident } from '../dashboard/ports.ts';
import { dashboardRoutes } from '../dashboard/routes.ts';
import type { Route } from '../http/route.ts';
import type { IncidentStore } from '../incidents/store.ts';
import { cellsOf, sumOf } from '../monitors/counts/count-rules.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { HealthReader } from '../results/reading/project-health.ts';
import type { Fleet } from './fleet.ts';

/** The dashboard over what it shows. */
export function openDashboard(parts: { monitors: Pick<MonitorDeps, 'lists' | 'counts'>; health: HealthReader; incidents: IncidentStore; fleet: Fleet }): Route[] {
  const { monitors, health, incidents, fleet } = parts;
  return dashboardRoutes({
    health,
    monitors: {
      counts: async (tenant) => {
        const cells = cellsOf((await monitors.counts.read(tenant)).cells);
        return { total: sumOf(cells), active: sumOf(cells.filter(({ status }) => status === 'active')) };
      },
      names: (tenant, ids) => monitors.lists.names(tenant, ids),
    },
    incidents: {
      withStatus: async (tenant, status, limit) => {
        const { incidents: found, total } = await incidents.list(tenant, { status, page: 1, limit });
        const toOpen = ({ _id: id, title, severity, check_id, started_at }: (typeof found)[number]): OpenIncident =>
          ({ id, title, severity, status, check_id, started_at });
        return { total, incidents: found.map(toOpen) };
      },
    },
    fleet: {
      probes: (organizationId) => [...fleet.directory.probes()]
        .filter((probe) => probe.removed_at === null && (probe.organization_id === null || probe.organization_id === organizationId))
        .map((probe) => ({ region: probe.region_id, status: fleet.liveness.statusOf(probe).status })),
    },
  });
}
