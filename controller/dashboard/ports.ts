import type { Tenant } from '../accounts/tenant.ts';
import type { HealthReader } from '../results/reading/project-health.ts';

export interface OpenIncident {
  id: string;
  title: string;
  severity: 'critical' | 'major' | 'minor' | 'warning';
  status: 'open' | 'acknowledged';
  check_id: string | null;
  /** Unix ms. */
  started_at: number;
}

export const PROBE_STATUSES = ['enrolling', 'online', 'offline', 'draining', 'quarantined'] as const;
export type ProbeStatus = (typeof PROBE_STATUSES)[number];

/** What the dashboard asks of the other domains. */
export interface DashboardDeps {
  monitors: {
    /** The project's monitors, and those of them that are active. */
    counts(tenant: Tenant): Promise<{ total: number; active: number }>;
    /** Names of those of `ids` that live in the project. */
    names(tenant: Tenant, ids: string[]): Promise<Map<string, string>>;
  };
  health: HealthReader;
  incidents: {
    /** The latest that have this status, at most `limit`, and how many there are. */
    withStatus(tenant: Tenant, status: OpenIncident['status'], limit: number): Promise<{ incidents: OpenIncident[]; total: number }>;
  };
  fleet: {
    /** Status of each probe that the organization may see; their regions. */
    probes(organizationId: string): { region: string; status: ProbeStatus }[];
  };
}
