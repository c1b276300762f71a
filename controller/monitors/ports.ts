import type { CheckResult } from '../../shared/contracts/result.ts';
import type { Tenant } from '../access/tenant.ts';
import type { CertificateReader } from '../results/reading/certificates.ts';
import type { UnwrittenReader } from '../results/reading/recent/unwritten-reader.ts';
import type { MonitorHistory } from '../results/reading/history/monitor-history.ts';
import type { DailyUptimes } from '../results/reading/daily-uptimes.ts';
import type { RecentHours } from '../results/reading/recent/recent-hours.ts';
import type { Statistics } from '../results/reading/statistics.ts';
import type { DomainFacts } from '../domains/domain.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import type { Assigned } from '../verdicts/monitor-state.ts';
import type { ReplayedIncident } from '../verdicts/outage-replay.ts';
import type { MonitorDoc } from './monitor.ts';

export interface RegionLookup {
  /** Returns those of `ids` that are not regions this organization may use. */
  unknownRegions(organizationId: string, ids: string[]): Promise<string[]>;
  /** City by region id. Omits unknown regions and those without a city. */
  cities(ids: string[]): Promise<Map<string, string>>;
}

export interface DestinationLookup {
  /** Returns those of `ids` that are not destinations of this project. */
  unknownDestinations(tenant: Tenant, ids: string[]): Promise<string[]>;
}

export interface GroupLookup {
  /** Names by id. Omits ids that are not groups of this project. */
  names(tenant: Tenant, ids: string[]): Promise<Map<string, string>>;
  /** For each deleted group, the group that received its monitors; null if none did. */
  successors(tenant: Tenant, ids: string[]): Promise<Map<string, string | null>>;
}

/** Instants are Unix ms. */
export interface DomainView
  extends Pick<DomainFacts, 'expires_at' | 'registrar' | 'source' | 'looked_up_at' | 'message'> {
  /** Null if the target has none. */
  domain: string | null;
  status: NonNullable<DomainFacts['status']>;
}

/** An open or acknowledged incident, as shown with its monitor. */
export interface OpenIncident {
  id: string;
  monitor_id: string | null;
  status: 'open' | 'acknowledged';
  severity: Severity;
  /** Unix ms. */
  started_at: number;
}

export interface MonitorReaders {
  live: Pick<UnwrittenReader, 'states'>;
  statistics: Pick<Statistics, 'period' | 'list30d' | 'periods' | 'recent'>;
  dailyUptimes: Pick<DailyUptimes, 'of'>;
  overview: { days: Pick<DailyUptimes, 'times'>; hours: Pick<RecentHours, 'of'> };
  history: Pick<MonitorHistory, 'statusSpans' | 'results' | 'responseTimes'>;
  certificates: Pick<CertificateReader, 'read'>;
  incidents: {
    /** Returns those of `ids` that are open or acknowledged. */
    openAmong(tenant: Tenant, ids: string[]): Promise<OpenIncident[]>;
    /** Open or acknowledged incidents created through the API for these monitors, latest first. */
    openManualFor(tenant: Tenant, monitorIds: string[]): Promise<OpenIncident[]>;
  };
  outages: {
    /**
     * Outages that started from `from` until before `to`, Unix ms, oldest first, with their opening votes.
     */
    between(
      tenant: Tenant, monitorId: string, span: { from: number; to: number; limit: number },
    ): Promise<ReplayedIncident[]>;
  };
  domains: {
    /** Null if no monitor has ever monitored the domain. */
    find(domain: string): Promise<DomainFacts | null>;
  };
}

/** The result of a check in one region, or the reason why there is none. */
export interface RegionRun {
  region: string;
  probe_id: string | null;
  result: CheckResult | null;
  reason: 'no_live_probe' | 'unreachable' | 'timeout' | 'refused' | null;
}

/**
 * Monitors assigned to a probe: `ids` of those of the organization, `total` of all organizations. Null if the
 * organization may not see the probe.
 */
export type AssignedMonitors = (
  organizationId: string, probeId: string,
) => Promise<{ ids: string[]; total: number } | null>;

export interface CheckRunner {
  /** The regions in which the monitor runs, and their fault domains. */
  assignedOf(monitor: MonitorDoc): Promise<Assigned>;
  /** Why no probe of the region can vote now; null if one can. */
  noVoteReason(regionId: string): 'no_live_probe' | 'quarantined' | null;
  /**
   * Checks in all regions at once, within the timeout plus 5 s. Failures of probes and network are outcomes.
   */
  run(monitor: MonitorDoc, isSaved: boolean): Promise<RegionRun[]>;
}
