import type { Tenant } from '../accounts/tenant.ts';
import type { IncidentDoc } from '../incidents/incident.ts';
import type { MonitorDeps } from '../monitors/deps.ts';
import type { ProbeStatus } from '../probes/rules.ts';
import type { HealthReader } from '../results/reading/project-health.ts';

type Listed = Pick<IncidentDoc, '_id' | 'title' | 'severity' | 'check_id' | 'started_at'>;

/** What the dashboard needs of other rooms. */
export interface DashboardDeps {
  monitors: Pick<MonitorDeps, 'lists' | 'counts'>;
  health: HealthReader;
  incidents: {
    /** One page, latest first, and the number of incidents on all pages. */
    list(
      tenant: Tenant, query: { status: 'open' | 'acknowledged'; page: number; limit: number },
    ): Promise<{ incidents: Listed[]; total: number }>;
  };
  fleet: {
    /** The region and status of each probe that the organization may see. */
    probes(organizationId: string): { region: string; status: ProbeStatus }[];
  };
}
