import { randomBytes } from 'node:crypto';
import type { Managed } from '../access/managed.ts';
import type { ProbeEvent } from '../probes/notice-rules.ts';
import type { AlertEvent } from '../verdicts/effect.ts';
import type { DestinationSettings } from './channels/registry.ts';
import type { Conditions } from './conditions.ts';

export const ALERT_EVENTS = [
  'monitor.down', 'monitor.up', 'monitor.ssl_expiring', 'monitor.domain_expiring', 'monitor.slow_response',
  'monitor.slow_response_resolved', 'monitor.region_degraded', 'monitor.no_data', 'monitor.no_data_resolved',
  'probe.offline', 'probe.online', 'probe.quarantined', 'probe.released',
] as const satisfies readonly (AlertEvent | ProbeEvent)[];
type DestinationEvent = (typeof ALERT_EVENTS)[number];

/** Events that are not an outage of a monitor must not wake anyone who did not ask for them. */
const OPT_IN: readonly DestinationEvent[] = [
  'monitor.region_degraded', 'monitor.no_data', 'monitor.no_data_resolved',
  'probe.offline', 'probe.online', 'probe.quarantined', 'probe.released',
];

export const DEFAULT_EVENTS = ALERT_EVENTS.filter((event) => !OPT_IN.includes(event));

/** On any plan, because one alert can go to all destinations of a project. */
export const MAX_DESTINATIONS_IN_PROJECT = 100;

export interface DestinationFields extends Conditions, Managed {
  _id: string;
  organization_id: string;
  project_id: string;
  created_by: string;
  name: string;
  enabled: boolean;
  /** Receives the alerts of monitors without their own destinations. */
  is_default: boolean;
  events: DestinationEvent[];
  /** Signing secret of a webhook, created on first use; null until then and for other types. */
  secret: string | null;
  /** Starts at 1 and increases by one with every change. */
  revision: number;
  created_at: number;
  updated_at: number;
}

/** A document of `destinations`. Instants are Unix ms. Writes are conditional on `revision`. */
export type DestinationDoc = DestinationFields & DestinationSettings;

/** 256 random bits. Secret scanners recognize the prefix. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}
