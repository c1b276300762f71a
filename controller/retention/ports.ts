import type { Tenant } from '../accounts/tenant.ts';

/** A monitor's history from `from` to before `before`, Unix ms. */
export interface MonitorRange {
  monitor_id: string;
  from: number;
  before: number;
}

/** What retention needs of results. Every call may be repeated. */
export interface AgedResults {
  /** Removes single results and keeps their counts. */
  removeResults(ranges: MonitorRange[]): Promise<void>;
  /** Removes the counts of hours and days. */
  removeRollups(ranges: MonitorRange[]): Promise<void>;
  removeChanges(monitorIds: string[], before: number): Promise<void>;
  /** Removes everything about these monitors. */
  removeMonitors(monitorIds: string[]): Promise<void>;
}

/** What retention needs of evidence. Both may be repeated. */
export interface AgedEvidence {
  /** Removes what these monitors have from before `before` (Unix ms). */
  removeOlder(monitorIds: string[], before: number): Promise<void>;
  removeOf(monitorIds: string[]): Promise<void>;
}

export interface AgedMonitor {
  monitor_id: string;
  created_at: number;
  deleted_at: number | null;
}

/** What retention needs of monitors. */
export interface AgedMonitors {
  /** In order of id, deleted ones too. */
  pageOfOrganization(organizationId: string, after: string, limit: number): Promise<AgedMonitor[]>;
  /** Removes the documents of monitors whose deletion is in the journal and in the counts. */
  purge(monitorIds: string[]): Promise<void>;
}

/** What retention needs of accounts. */
export interface Organizations {
  /** Ids, in order. */
  page(after: string, limit: number): Promise<string[]>;
  projectsOf(organizationId: string): Promise<string[]>;
}

/** Each removes at most `limit` documents that are older than `before` and returns how many. */
export interface AgedDocuments {
  removeIncidents(tenant: Tenant, before: number, limit: number): Promise<number>;
  removeAuditEntries(organizationId: string, before: number, limit: number): Promise<number>;
  /** Of all organizations. */
  removeDeadLetters(before: number, limit: number): Promise<number>;
  /** Those that every organization may take again. */
  removeFreedSubdomains(now: number, limit: number): Promise<number>;
}
