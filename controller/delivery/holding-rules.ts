import { TRACKING_TYPES, type DestinationType } from '../destinations/channels/registry.ts';
import type { AlertDetails } from '../destinations/channels/alert.ts';
import type { Conditions } from '../destinations/conditions.ts';
import { opensAt } from '../destinations/hours.ts';
import type { DeliveryDoc, Hold } from './delivery.ts';

const MINUTE_MS = 60_000;
const MAX_REMINDERS = 50;

/** By recovery: the outage that it ends. */
const OUTAGES = {
  'monitor.up': 'monitor.down', 'monitor.slow_response_resolved': 'monitor.slow_response',
  'monitor.no_data_resolved': 'monitor.no_data',
} as const;
export type Outage = (typeof OUTAGES)[keyof typeof OUTAGES];

/** The event that a recovery ends; null for other alerts. */
export function outageOf({ event }: Pick<AlertDetails, 'event'>): Outage | null {
  return event in OUTAGES ? OUTAGES[event as keyof typeof OUTAGES] : null;
}

/** Whether the alert can be delayed and repeated, because its incident tells whether it still matters. */
const isOutage = ({ event, incident }: AlertDetails): boolean => (
  incident !== null && Object.values(OUTAGES).some((outage) => outage === event)
);

/** When the destination receives an alert that is raised at `now`: immediately (null), later, or never. */
export function holdOf(
  { hours, delay_minutes, type }: Conditions & { type: DestinationType }, alert: AlertDetails, now: number,
): Hold | null | 'never' {
  const dueAt = now + (isOutage(alert) ? (delay_minutes ?? 0) * MINUTE_MS : 0);
  const isRecovery = outageOf(alert) !== null;
  // What tracks incidents would otherwise show one as open until the next opening.
  const ignoresHours = !hours || (isRecovery && TRACKING_TYPES.includes(type));
  const until = ignoresHours ? dueAt : opensAt(hours, dueAt);
  if (until === now) return null;
  if (until > dueAt && hours?.outside === 'drop' && !isRecovery) return 'never';
  if (!isOutage(alert)) return { until, while: 'always' };
  return { until, while: dueAt > now ? 'open' : 'ongoing' };
}

/** Why a held delivery is not sent after all; null if it is. `incident` is null if it was deleted. */
export function holdEnd({ while: condition }: Hold, incident: { status: string } | null): string | null {
  if (condition === 'always') return null;
  const status = incident?.status ?? 'resolved';
  if (status === 'open' || (condition === 'ongoing' && status === 'acknowledged')) return null;
  return status === 'acknowledged' ? 'the incident was acknowledged first' : 'the incident ended first';
}

/** When the destination is reminded of what was sent to it at `now`; null if it is not. */
export function nextReminder(
  { hours, reminder_minutes }: Conditions, { alert, reminder = 0 }: Pick<DeliveryDoc, 'alert' | 'reminder'>,
  now: number,
): Hold | null {
  if (!reminder_minutes || !isOutage(alert) || reminder >= MAX_REMINDERS) return null;
  const dueAt = now + reminder_minutes * MINUTE_MS;
  return { until: hours ? opensAt(hours, dueAt) : dueAt, while: 'open' };
}
