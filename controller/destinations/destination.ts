import type { AlertEvent } from '../results/ports.ts';

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

/** A document of `destinations`. Instants are Unix ms. Every change is one write that is conditional on `revision`. */
export interface DestinationDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string;
  name: string;
  type: DestinationType;
  enabled: boolean;
  /** Told by monitors that name no destinations. */
  is_default: boolean;
  events: AlertEvent[];
  webhook: WebhookConfig;
  /** Signs what is sent; null until it is first needed. */
  secret: string | null;
  /** Starts at 1, one higher with every change. */
  revision: number;
  created_at: number;
  updated_at: number;
}
