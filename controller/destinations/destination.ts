import type { AlertEvent } from '../verdicts/effect.ts';

export const ALERT_EVENTS = [
  'monitor.down', 'monitor.up', 'monitor.ssl_expiring', 'monitor.domain_expiring', 'monitor.slow_response', 'monitor.slow_response_resolved',
] as const satisfies readonly AlertEvent[];

export const DESTINATION_TYPES = ['webhook', 'email', 'slack'] as const;
export type DestinationType = (typeof DESTINATION_TYPES)[number];

export interface WebhookConfig {
  url: string;
  method: 'POST' | 'PUT';
  /** A list, since a header's name may hold what a field's name may not. */
  headers: { name: string; value: string }[];
}

export interface EmailConfig {
  /** Each address once, with its domain in lower case. */
  to: string[];
}

export interface SlackConfig {
  /** Who knows it can post: as secret as a password. */
  webhook_url: string;
}

/** Where it sends to, by the way it sends. */
export type Way = { type: 'webhook'; config: WebhookConfig } | { type: 'email'; config: EmailConfig } | { type: 'slack'; config: SlackConfig };

/** A document of `destinations`. Instants are Unix ms. Every change is one write that is conditional on `revision`. */
export type DestinationDoc = DestinationFields & Way;

export interface DestinationFields {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string;
  name: string;
  enabled: boolean;
  /** Told by monitors that name no destinations. */
  is_default: boolean;
  events: AlertEvent[];
  /** Signs what is sent by webhook; null until it is first needed, and for other types. */
  secret: string | null;
  /** Starts at 1, one higher with every change. */
  revision: number;
  created_at: number;
  updated_at: number;
}
