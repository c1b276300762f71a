import type { DestinationType } from '../destinations/destination.ts';
import type { ProbeEvent } from '../probes/notice-rules.ts';
import type { Alert } from '../verdicts/effect.ts';
import type { VoteSummary } from '../verdicts/votes/vote-ledger.ts';
import type { WorkClaim } from '../../shared/work-claims.ts';

export interface RegionName {
  id: string;
  /** The id where the region has no name. */
  name: string;
  city: string | null;
}

/** Everything an alert says, as it was when the alert was raised. Instants are Unix ms. */
export interface AlertDetails extends Omit<Alert, 'event' | 'monitor' | 'regions' | 'last_success' | 'votes'> {
  event: Alert['event'] | ProbeEvent;
  /** Null if it is about a probe. */
  monitor: { id: string; name: string; target: string; type: string } | null;
  /** `since`: when the outage or quarantine began; `reason`: null when it is over. */
  probe?: { id: string; name: string; since: number; reason: string | null };
  regions: RegionName[];
  /** What each region said of an outage that several could see. */
  votes?: Record<keyof VoteSummary, RegionName[]>;
  /** The last good check before the alert, where one is known. */
  last_success: NonNullable<Alert['last_success']> | null;
}

/**
 * A document of `deliveries`: one alert for one recipient, which is also its entry in the notification log.
 * `_id` is derived from the two, so that raising an alert again adds nothing. Instants are Unix ms.
 */
export interface DeliveryDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  destination_id: string;
  /** Null for an alert about a probe. */
  monitor_id: string | null;
  probe_id?: string;
  incident_id: string | null;
  alert: AlertDetails;
  channel: DestinationType;
  /** A mail address; for other channels what the log shows. */
  recipient: string;
  status: 'pending' | 'delivered' | 'failed' | 'bounced';
  /** Attempts whose outcome was recorded. */
  attempts: number;
  /** Attempts after the first one. */
  retry_count: number;
  max_retries: number;
  /** How often it was put off because the way out was busy, which counts as no attempt. */
  deferrals?: number;
  /** The digest that it is sent in; without one it is sent by itself. */
  digest_id?: string;
  /** When that digest is sent. */
  digest_at?: number;
  /** Not attempted before this instant; null once it is no longer pending. */
  next_attempt_at: number | null;
  /** The attempt under way; nobody else may start one until it is over. */
  claim: WorkClaim | null;
  /** Position among the deliveries of its monitor or probe to its destination. */
  queued_at: number;
  delivered_at: number | null;
  last_retry_at: number | null;
  error_message: string | null;
  created_at: number;
  updated_at: number;
}

/** Where an alert goes that is not sent by itself. */
export type DigestPlace = Required<Pick<DeliveryDoc, 'digest_id' | 'digest_at'>>;

/** What the order of a queue depends on. */
export interface QueuedDelivery {
  id: string;
  /** Deliveries on one line are sent in order: a monitor or probe, for mail each with a recipient. */
  line: string;
  /** Unix ms before which it cannot be attempted, because of its retry or of a claim. */
  readyAt: number;
  /** Of an attempt that has not reported. */
  claim?: WorkClaim;
  /** Unix ms. Not even the recovery of its receiver makes it leave earlier. */
  notBefore?: number;
}

interface Failed {
  reason: string;
  status: number | null;
  durationMs: number | null;
}

/**
 * Outcome of one attempt to send. `busy`: nothing was sent, for want of room on our side. `deferred`: the
 * provider is busy, which says nothing about the receiver. `dead`: no retry can help. `notWithinMs`: the
 * receiver asked for no retry before then.
 */
export type SendOutcome =
  | { kind: 'sent'; status: number | null; durationMs: number }
  | ({ kind: 'retry'; retryAfterMs?: number } & Failed)
  | ({ kind: 'deferred' | 'dead' | 'bounced' } & Failed)
  | { kind: 'busy' };

/** A verdict on an attempt that counts. */
export type CountedOutcome = Exclude<SendOutcome, { kind: 'busy' | 'deferred' }>;
