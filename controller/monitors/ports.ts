import type { Tenant } from '../accounts/tenant.ts';
import type { CheckResult } from '../../shared/contracts/result.ts';
import type { HistoryReader } from '../results/reading/past.ts';
import type { LiveReader } from '../results/reading/live.ts';
import type { StatisticsReader } from '../results/reading/periods.ts';
import type { MonitorDoc } from './monitor.ts';

/** What monitors ask of the regions. */
export interface RegionLookup {
  /** Those of `ids` that are no region this organization may use. */
  unknownRegions(organizationId: string, ids: string[]): Promise<string[]>;
  /** City by region id; a region that is gone or has no city is left out. */
  cities(ids: string[]): Promise<Map<string, string>>;
}

/** What monitors ask of the notification destinations. */
export interface DestinationLookup {
  /** Those of `ids` that are no destination of this project. */
  unknownDestinations(tenant: Tenant, ids: string[]): Promise<string[]>;
}

/** What monitors ask of the groups. */
export interface GroupLookup {
  /** Names by id of those that are groups of this project. */
  names(tenant: Tenant, ids: string[]): Promise<Map<string, string>>;
  /** Of those of `ids` that are no group any more, the group that got their monitors; null: none did. */
  heirs(tenant: Tenant, ids: string[]): Promise<Map<string, string | null>>;
}

/** What monitors ask of the incidents. */
export interface IncidentLookup {
  /** Status of each incident by id; unknown ids are left out. */
  statuses(ids: string[]): Promise<Map<string, 'open' | 'acknowledged' | 'resolved' | 'closed'>>;
}

/** Asks the shard's owner to journal what is marked; may be lost, the owner also looks by itself. */
export type Poke = (shard: number) => void;

export interface MonitorReaders {
  live: LiveReader;
  statistics: StatisticsReader;
  history: HistoryReader;
  incidents: IncidentLookup;
}

/** What became of one region's check: its result, or why there is none. */
export interface RegionRun {
  region: string;
  probe_id: string | null;
  result: CheckResult | null;
  reason: 'no_live_probe' | 'unreachable' | 'timeout' | 'refused' | null;
}

export interface CheckRunner {
  /** Regions in which the monitor runs, by id. */
  regionsOf(monitor: MonitorDoc): Promise<string[]>;
  /** Has it checked now in all of them, within its timeout and 5 s; never rejects for what a probe or the network does. */
  run(monitor: MonitorDoc, isSaved: boolean): Promise<RegionRun[]>;
}
