import { dashboardRoutes } from '../dashboard/routes.ts';
import type { Route } from '../http/route.ts';
import type { IncidentStore } from '../incidents/store.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { HealthReader } from '../results/reading/project-health.ts';
import type { Fleet } from './fleet.ts';

/** The dashboard over what it shows. */
export function openDashboard(parts: { monitors: Pick<MonitorDeps, 'lists' | 'counts'>; health: Pick<HealthReader, 'ofProject'>; incidents: IncidentStore; fleet: Fleet }): Route[] {
  const { monitors, health, incidents, fleet } = parts;
  return dashboardRoutes({
    monitors, health, incidents,
    fleet: {
      probes: (organizationId) => [...fleet.directory.probes()]
        .filter((probe) => probe.removed_at === null && (probe.organization_id === null || probe.organization_id === organizationId))
        .map((probe) => ({ region: probe.region_id, status: fleet.liveness.statusOf(probe).status })),
    },
  });
}
