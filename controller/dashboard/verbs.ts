import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import type { Tenant } from '../access/tenant.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import type { IncidentDoc } from '../incidents/incident.ts';
import { cellsOf, sumOf } from '../monitors/counts/count-rules.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import { withNames } from '../monitors/verbs/read-monitors.ts';
import type { ProbeStatus } from '../probes/rules.ts';
import type { HealthReader } from '../results/reading/project-health.ts';
import type { overviewResponse } from './responses.ts';

type ListedIncident = Pick<IncidentDoc, '_id' | 'title' | 'severity' | 'check_id' | 'started_at'>;

export interface DashboardDeps {
  monitors: Pick<MonitorDeps, 'monitors' | 'counts'>;
  health: Pick<HealthReader, 'ofProject'>;
  incidents: {
    /** Returns one page, latest first, and the total number of matching incidents. */
    list(
      tenant: Tenant, query: { status: 'open' | 'acknowledged'; page: number; limit: number },
    ): Promise<{ incidents: ListedIncident[]; total: number }>;
  };
  fleet: {
    /** Every probe that the organization may see. */
    probes(organizationId: string): { region: string; status: ProbeStatus }[];
  };
}

type Overview = z.input<typeof overviewResponse>;

const MAX_LISTED_INCIDENTS = 10;

export async function readOverview(deps: DashboardDeps, { tenant }: ProjectContext): Promise<Overview> {
  const incidentsOf = async (status: 'open' | 'acknowledged') => {
    const query = { status, page: 1, limit: MAX_LISTED_INCIDENTS };
    const { incidents, total } = await deps.incidents.list(tenant, query);
    return { incidents: incidents.map((incident) => ({ status, incident })), total };
  };
  const [{ cells }, { counts: health, slowest, flakiest }, open, acknowledged] = await Promise.all([
    deps.monitors.counts.read(tenant), deps.health.ofProject(tenant.projectId),
    incidentsOf('open'), incidentsOf('acknowledged'),
  ]);
  const [slowest_monitors, flakiest_monitors] = await Promise.all([
    withNames(deps.monitors, tenant, slowest), withNames(deps.monitors, tenant, flakiest),
  ]);
  const total = sumOf(cellsOf(cells));
  const active = sumOf(cellsOf(cells).filter(({ status }) => status === 'active'));
  const unknown = Math.max(0, active - health.up - health.down - health.degraded);
  const latest = [...open.incidents, ...acknowledged.incidents]
    .sort((one, other) => other.incident.started_at - one.incident.started_at)
    .slice(0, MAX_LISTED_INCIDENTS)
    .map(({ status, incident: { _id: id, title, severity, check_id, started_at } }) =>
      ({ id, title, severity, status, check_id, started_at: isoTime(started_at) }));
  return {
    monitors: { total, paused: total - active, unknown, ...health },
    incidents: { open: open.total, acknowledged: acknowledged.total, latest },
    slowest_monitors, flakiest_monitors,
    fleet: fleetOf(deps.fleet.probes(tenant.organizationId)),
  };
}

function fleetOf(probes: { region: string; status: ProbeStatus }[]): Overview['fleet'] {
  const numbers = { enrolling: 0, online: 0, offline: 0, draining: 0, quarantined: 0 };
  for (const { status } of probes) numbers[status] += 1;
  const online = probes.filter(({ status }) => status === 'online');
  return {
    regions: new Set(probes.map(({ region }) => region)).size,
    regions_online: new Set(online.map(({ region }) => region)).size,
    probes: numbers,
  };
}
