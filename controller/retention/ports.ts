/** A monitor's history from `from` to before `before`, Unix ms. */
export interface MonitorRange {
  monitor_id: string;
  from: number;
  before: number;
}

/** What retention needs from results. Every call is idempotent. */
export interface AgedResults {
  /** Removes raw results but keeps their rollups. */
  removeResults(ranges: MonitorRange[]): Promise<void>;
  removeRollups(ranges: MonitorRange[]): Promise<void>;
  removeChanges(monitorIds: string[], before: number): Promise<void>;
  /** Removes all results, rollups and status changes of these monitors. */
  removeMonitors(monitorIds: string[]): Promise<void>;
}

/** What retention needs from evidence, and from pings. Every call is idempotent. */
export interface AgedRecords {
  /** Removes those of these monitors that are older than `before`, Unix ms. */
  removeOlder(monitorIds: string[], before: number): Promise<void>;
  removeOf(monitorIds: string[]): Promise<void>;
}

export interface AgedMonitor {
  monitor_id: string;
  created_at: number;
  deleted_at: number | null;
}

/** What retention needs from monitors. */
export interface AgedMonitors {
  /** Up to `limit` monitors with ids greater than `after`, ascending, including deleted ones. */
  pageOfOrganization(organizationId: string, after: string, limit: number): Promise<AgedMonitor[]>;
  /** Removes the documents of monitors whose deletion is already in the journal and in the monitor counts. */
  purge(monitorIds: string[]): Promise<void>;
}

/** What retention needs from accounts. */
export interface Organizations {
  /** Up to `limit` ids greater than `after`, ascending. */
  page(after: string, limit: number): Promise<string[]>;
}

/** Each call removes up to `limit` documents older than `before`, Unix ms, and returns how many. */
export interface AgedDocuments {
  /** Of deleted projects, too. */
  removeIncidents(organizationId: string, before: number, limit: number): Promise<number>;
  removeAuditEntries(organizationId: string, before: number, limit: number): Promise<number>;
  /** Across all organizations. */
  removeDeadLetters(before: number, limit: number): Promise<number>;
  /** Removes what is left of alerts that a dependency held. Across all organizations. */
  removeSettledAlerts(before: number, limit: number): Promise<number>;
  /** Removes reservations of freed subdomains that every organization may use again. */
  removeFreedSubdomains(now: number, limit: number): Promise<number>;
}
