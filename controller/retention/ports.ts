/** What retention asks of those who keep things by age. Instants are Unix ms; every call may be repeated. */

/** An hour or more of a monitor's history: from `from` to before `before`. */
export interface Stretch {
  monitor_id: string;
  from: number;
  before: number;
}

export interface AgedResults {
  /** Takes the single results out of hours and leaves their counts. */
  forgetResults(stretches: Stretch[]): Promise<void>;
  /** Removes the counts of hours and days. */
  forgetRollups(stretches: Stretch[]): Promise<void>;
  /** Removes all that is kept of these monitors, status changes included. */
  forgetMonitors(monitorIds: string[]): Promise<void>;
  /** Removes status changes of these monitors. */
  forgetChanges(monitorIds: string[], before: number): Promise<void>;
}

export interface AgedMonitor {
  monitor_id: string;
  created_at: number;
  deleted_at: number | null;
}

export interface AgedMonitors {
  /** Monitors of an organization in order of id, deleted ones too. */
  pageOfOrganization(organizationId: string, after: string, limit: number): Promise<AgedMonitor[]>;
  /** Removes the documents of deleted monitors that the journal and the counts know to be deleted. */
  purge(monitorIds: string[]): Promise<void>;
}

export interface AgedOrganizations {
  /** Ids of organizations, in order. */
  page(after: string, limit: number): Promise<string[]>;
  projectsOf(organizationId: string): Promise<string[]>;
}

/** Removes at most `limit` of what is older than `before`; returns how many, `limit` when there may be more. */
export interface AgedThings {
  incidents(tenant: { organizationId: string; projectId: string }, before: number, limit: number): Promise<number>;
  auditEntries(organizationId: string, before: number, limit: number): Promise<number>;
  /** Of all organizations. */
  deadLetters(before: number, limit: number): Promise<number>;
}
