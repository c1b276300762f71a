import type { Alert, AlertEvent } from '../results/ports.ts';

export const CHANNELS = ['webhook', 'email', 'slack'] as const;
export type Channel = (typeof CHANNELS)[number];
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'bounced';

/** What is told, as it was when it happened. Instants are Unix ms. */
export interface AlertSnapshot {
  id: string;
  event: AlertEvent;
  monitor: { id: string; name: string; target: string; type: string };
  incident: Alert['incident'];
  error: Alert['error'];
  regions: string[];
  at: number;
}

/**
 * A document of `deliveries`: one alert for one destination, and its entry in the notification log. `_id` is derived from
 * the two, so that an alert that is told again makes no second one. Instants are Unix ms.
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
  monitorId: string;
  /** Unix ms before which it cannot be tried: its retry, or another's claim. */
  readyAt: number;
}

/** What a sender made of one try. `busy`: nothing was sent, and that is our fault. */
export type Verdict =
  | { kind: 'sent'; status: number | null; durationMs: number }
  | { kind: 'retry'; reason: string; status: number | null; durationMs: number | null }
  | { kind: 'dead'; reason: string; status: number | null; durationMs: number | null }
  | { kind: 'bounced'; reason: string; status: number | null; durationMs: number | null }
  | { kind: 'busy' };
