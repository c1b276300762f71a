import type { CheckResult } from '../../shared/contracts/result.ts';
import type { Tenant } from '../accounts/tenant.ts';
import type { OpenIncident } from '../incidents/incident.ts';
import type { CertificateReader } from '../results/reading/certificates.ts';
import type { UnwrittenReader } from '../results/reading/recent/unwritten-reader.ts';
import type { MonitorHistory } from '../results/reading/history/monitor-history.ts';
import type { DailyUptimes } from '../results/reading/written/daily-uptimes.ts';
import type { RecentHours } from '../results/reading/recent/recent-hours.ts';
import type { Statistics } from '../results/reading/statistics.ts';
import type { DomainFacts } from '../domains/domain.ts';
import type { Assigned } from '../verdicts/monitor-state.ts';
import type { ReplayedIncident } from '../verdicts/replay.ts';
import type { MonitorDoc } from './monitor.ts';

export interface RegionLookup {
  /** The ids that are not regions this organization may use. */
  unknownRegions(organizationId: string, ids: string[]): Promise<string[]>;
  /** City by region id; unknown regions and those without a city are left out. */
  cities(ids: string[]): Promise<Map<string, string>>;
}

export interface DestinationLookup {
  /** The ids that are not destinations of this project. */
  unknownDestinations(tenant: Tenant, ids: string[]): Promise<string[]>;
}

export interface GroupLookup {
  /** Names by id; ids that are no groups of this project are left out. */
  names(tenant: Tenant, ids: string[]): Promise<Map<string, string>>;
  /** Of each id that is no group any more: the group that got its monitors; null: none. */
  successors(tenant: Tenant, ids: string[]): Promise<Map<string, string | null>>;
}

/** Instants are Unix ms. */
export interface DomainView
  extends Pick<DomainFacts, 'expires_at' | 'registrar' | 'source' | 'looked_up_at' | 'message'> {
  /** Null when the target is in none. */
  domain: string | null;
  status: NonNullable<DomainFacts['status']>;
}

export interface MonitorReaders {
  live: Pick<UnwrittenReader, 'states'>;
  statistics: Pick<Statistics, 'period' | 'list30d' | 'periods' | 'recent'>;
  dailyUptimes: Pick<DailyUptimes, 'of'>;
  overview: { days: Pick<DailyUptimes, 'times'>; hours: Pick<RecentHours, 'of'> };
  history: Pick<MonitorHistory, 'statusSpans' | 'results' | 'responseTimes'>;
  certificates: Pick<CertificateReader, 'read'>;
  incidents: {
    /** Those of these incidents that are open or acknowledged. */
    openAmong(tenant: Tenant, ids: string[]): Promise<OpenIncident[]>;
    /** Open or acknowledged incidents that were made through the API for these monitors, latest first. */
    openManualFor(tenant: Tenant, monitorIds: string[]): Promise<OpenIncident[]>;
  };
  outages: {
    /** Those that began from `from` to before `to` (Unix ms), oldest first, with the votes behind them. */
    between(
      tenant: Tenant, monitorId: string, span: { from: number; to: number; limit: number },
    ): Promise<ReplayedIncident[]>;
  };
  domains: {
    /** What is known of a registrable domain; null if no monitor watched it until now. */
    find(domain: string): Promise<DomainFacts | null>;
  };
}

/** What one region's check came to: its result, or why there is none. */
export interface RegionRun {
  region: string;
  probe_id: string | null;
  result: CheckResult | null;
  reason: 'no_live_probe' | 'unreachable' | 'timeout' | 'refused' | null;
}

/**
 * Monitors that a probe has been assigned: the ids of the organization's, and how many there are with those
 * of all others. Null for a probe that the organization does not see.
 */
export type AssignedMonitors = (
  organizationId: string, probeId: string,
) => Promise<{ ids: string[]; total: number } | null>;

export interface CheckRunner {
  /** The regions that the monitor runs in, and those among them that share a network. */
  assignedOf(monitor: MonitorDoc): Promise<Assigned>;
  /** Why no probe of the region can have a vote now; null if one can. */
  noVoteReason(regionId: string): 'no_live_probe' | 'quarantined' | null;
  /**
   * Checks in all of them at once, within the timeout and 5 s; never rejects because of a probe or the
   * network.
   */
  run(monitor: MonitorDoc, isSaved: boolean): Promise<RegionRun[]>;
}
