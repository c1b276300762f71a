import type { ProbeEvent } from '../../probes/notice-rules.ts';
import type { FeatureKind } from '../../verdicts/features/feature-rules.ts';
import type { Alert, VoteSummary } from '../../verdicts/effect.ts';

export interface RegionName {
  id: string;
  /** The id if the region has no name. */
  name: string;
  city: string | null;
}

/** What an incident has in common with others. */
export interface CauseRef {
  id: string;
  kind: FeatureKind;
  value: string;
}

/** Where an outage comes from, as far as it is known when the alert is sent. */
export interface Diagnosis {
  classification: string;
  /** One sentence. */
  summary: string;
}

/** Outages of one cause, as their destination has them. */
export interface Together {
  kind: FeatureKind;
  /** What people call the value: the name of a group, region or monitor. */
  name: string;
  /** Names of the first monitors. */
  monitors: string[];
  count: number;
  /** How many are over. */
  recovered: number;
}

/** What people did to an incident. Only channels that track incidents receive these events. */
export type IncidentEvent = 'incident.acknowledged' | 'incident.resolved';

/** The contents of an alert, captured when it was raised. Instants are Unix ms. */
export interface AlertDetails
  extends Omit<Alert, 'event' | 'monitor' | 'incident' | 'regions' | 'last_success' | 'votes'> {
  /** `acknowledge_url`: the link for one recipient, set when it is sent; null once the incident is over. */
  incident: (NonNullable<Alert['incident']> & {
    acknowledge_url?: string | null; cause?: CauseRef | null; diagnosis?: Diagnosis | null;
  }) | null;
  event: Alert['event'] | ProbeEvent | IncidentEvent;
  /** Of an `IncidentEvent`: the event with which the incident began. */
  opened_by?: Alert['event'];
  /** The outages of one cause that this alert is about; absent if it is about one outage. */
  together?: Together;
  /** Of a reminder: its number, from 1. */
  reminder?: number;
  /** Null for an alert about a probe. */
  monitor: { id: string; name: string; target: string; type: string; runbook_url?: string | null } | null;
  /** `since`: start of the outage or quarantine. `reason`: null when it has ended. */
  probe?: { id: string; name: string; since: number; reason: string | null };
  regions: RegionName[];
  /** The regions' votes, if more than one region checks the monitor. */
  votes?: Record<keyof VoteSummary, RegionName[]>;
  /** The last successful check before the alert, if known. */
  last_success: NonNullable<Alert['last_success']> | null;
}
