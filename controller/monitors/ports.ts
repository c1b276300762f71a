import type { LiveReader, StatisticsReader } from '../results/ports.ts';

export interface Tenant {
  organizationId: string;
  projectId: string;
}

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
  incidents: IncidentLookup;
}
