import { DESTINATION_TYPES, type DestinationType } from '../destinations/destination.ts';
import type { Alert, AlertEvent } from '../verdicts/effect.ts';

export const CHANNELS = DESTINATION_TYPES;
export type Channel = DestinationType;
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'bounced';

/** A region as people know it; `name` is its id where nobody named it. */
export interface RegionName {
  id: string;
  name: string;
  city: string | null;
}

/** What is told, as it was when it happened. Instants are Unix ms. */
export interface AlertSnapshot {
  id: string;
  event: AlertEvent;
  monitor: { id: string; name: string; target: string; type: string };
  incident: Alert['incident'];
  error: Alert['error'];
  regions: RegionName[];
  /** The last good check before it, as far as it is known. */
  last_success: NonNullable<Alert['last_success']> | null;
  at: number;
  expiry?: Alert['expiry'];
  flapping?: Alert['flapping'];
}

/**
 * A document of `deliveries`: one alert for one recipient, and its entry in the notification log. `_id` is derived from the
 * two, so that an alert that is told again makes no second one. Instants are Unix ms.
 */
export interface DeliveryDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  destination_id: string;
  monitor_id: string;
  incident_id: string | null;
  alert: AlertSnapshot;
  channel: Channel;
  /** An address of mail; of other channels what the log shows. */
  recipient: string;
  status: DeliveryStatus;
  /** Tries whose outcome was written down. */
  attempts: number;
  /** Tries after the first one. */
  retry_count: number;
  max_retries: number;
  /** Not tried before this instant; null when it is no longer pending. */
  next_attempt_at: number | null;
  /** Who is at it, and until when nobody else may be. */
  claim: { token: string; until: number } | null;
  /** Place in the order of its monitor and destination. */
  queued_at: number;
  delivered_at: number | null;
  last_retry_at: number | null;
  error_message: string | null;
  created_at: number;
  updated_at: number;
}

/** A pending delivery, as much as its order needs. */
export interface QueuedDelivery {
  id: string;
  /** What is told in order: a monitor, and where a destination has several recipients, one of them. */
  line: string;
  /** Unix ms before which it cannot be tried: its retry, or another's claim. */
  readyAt: number;
}

/** What a sender made of one try. `busy`: nothing was sent, and that is our fault. `notWithinMs`: the receiver asks to be left alone so long. */
export type Verdict =
  | { kind: 'sent'; status: number | null; durationMs: number }
  | { kind: 'retry'; reason: string; status: number | null; durationMs: number | null; notWithinMs?: number }
  | { kind: 'dead'; reason: string; status: number | null; durationMs: number | null }
  | { kind: 'bounced'; reason: string; status: number | null; durationMs: number | null }
  | { kind: 'busy' };
