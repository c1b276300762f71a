import type { AlertDetails } from '../destinations/channels/alert.ts';
import type { DestinationType } from '../destinations/channels/registry.ts';
import type { WorkClaim } from '../work/claimed-work.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'bounced', 'suppressed'] as const;

/**
 * A document of `deliveries`: one alert to one recipient, and also its entry in the notification log. `_id`
 * is derived from alert, destination and recipient, so repeated alerts add nothing. Instants are Unix ms.
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
  /** An email address; for other channels, the text shown in the log. */
  recipient: string;
  status: (typeof DELIVERY_STATUSES)[number];
  /** Attempts with a recorded outcome. */
  attempts: number;
  /** Attempts after the first one. */
  retry_count: number;
  max_retries: number;
  /** How often it was deferred because the mail provider was busy. Deferrals are not attempts. */
  deferrals?: number;
  /** The digest that contains it; absent if it is sent individually. */
  digest_id?: string;
  /** When the digest is due. */
  digest_at?: number;
  /** Why its first attempt waits; absent if it does not. */
  held?: Hold;
  /** Of an outage that may have a cause in common with others, or its end: how it is grouped with them. */
  cause?: CausePlace;
  /** Until when an outage waits for its diagnosis, Unix ms. */
  diagnosis_at?: number;
  /** Of a reminder: its number, from 1. */
  reminder?: number;
  /** Not attempted before then; null unless pending. */
  next_attempt_at: number | null;
  /** Held by the current attempt. Nobody else may start one until the claim is released or expires. */
  claim: WorkClaim | null;
  /** Position among the deliveries of its monitor or probe to its destination. */
  queued_at: number;
  delivered_at: number | null;
  last_retry_at: number | null;
  error_message: string | null;
  created_at: number;
  updated_at: number;
}

/**
 * Until when a delivery is held, Unix ms. Then it is sent only while its incident is `ongoing`, or still
 * `open`, which means unacknowledged; `always` for what has no incident or ends one.
 */
export interface Hold {
  until: number;
  while: 'ongoing' | 'open' | 'always';
}

/** How an alert is grouped with others of its cause. */
export interface CausePlace {
  /** What its outage can be about, and when that began, Unix ms. */
  features: string[];
  started_at: number;
  /** It goes out by itself, and others may follow it: the id of its destination, under which it is found. */
  first_of?: string;
  /** Until when it waits for a cause, Unix ms. */
  waits_until?: number;
  /** The cause. It is part of a message of the cause's thread, whose id is its `digest_id`. */
  id?: string;
}

/** Selects a page of the notification log; `page` counts from 1. */
export interface LogQuery extends Partial<Pick<DeliveryDoc, 'status' | 'channel'>> {
  page: number;
  pageSize: number;
}

export type DigestPlace = Required<Pick<DeliveryDoc, 'digest_id' | 'digest_at'>>;

/** A pending delivery, with the fields that determine the order of its queue. */
export interface QueuedDelivery {
  id: string;
  /** Deliveries on one line are sent in order; see `lineOf`. */
  line: string;
  /** Earliest attempt, Unix ms. Depends on the retry delay and on a claim. */
  readyAt: number;
  /** Held by an attempt without a recorded outcome. */
  claim?: WorkClaim;
  /** Unix ms. It is not sent earlier, even if its receiver recovers. */
  notBefore?: number;
}

interface Failure {
  reason: string;
  status: number | null;
  durationMs: number | null;
}

/**
 * Outcome of one attempt to send. `busy`: Farwatch had no capacity, nothing was sent. `deferred`: the mail
 * provider was busy, which says nothing about the receiver. `dead`: a retry cannot help. `retryAfterMs`: the
 * delay that the receiver asked for.
 */
export type SendOutcome =
  | { kind: 'sent'; status: number | null; durationMs: number }
  | ({ kind: 'retry'; retryAfterMs?: number } & Failure)
  | ({ kind: 'deferred' | 'dead' | 'bounced' } & Failure)
  | { kind: 'busy' };

/** The outcome of an attempt that counts against the retry limit. */
export type CountedOutcome = Exclude<SendOutcome, { kind: 'busy' | 'deferred' }>;
