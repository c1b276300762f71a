import { backoffMs, spreadMs } from '../../shared/backoff.ts';
import type { AlertDetails } from '../destinations/channels/alert.ts';
import {
  channelOf, hasRecipients, recipientsIn, TRACKING_TYPES, type DestinationSettings, type DestinationType,
} from '../destinations/channels/registry.ts';
import type { Conditions } from '../destinations/conditions.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import { opensAt } from '../destinations/hours.ts';
import type { ProbeEvent } from '../probes/notice-rules.ts';
import type { AlertEvent } from '../verdicts/effect.ts';
import type { CountedOutcome, DeliveryDoc, Hold } from './delivery.ts';

/** Enabled destinations that subscribe to the alert's event. */
export function subscribed(destinations: DestinationDoc[], { event }: { event: AlertEvent | ProbeEvent }) {
  return destinations.filter(({ enabled, events }) => enabled && events.includes(event));
}

/**
 * Recipients as the log shows them: of an email destination each address, of a webhook its redacted URL, and
 * of most others the destination's name.
 */
export function recipientsOf(destination: DestinationSettings & { name: string }): string[] {
  const { type, config, name } = destination;
  return recipientsIn(destination) ?? [channelOf(type).shownAs?.(config) ?? name];
}

/** Error text for suppressed addresses, in the log and in the destination's health. */
export const STOPPED = 'the owner of the address stopped alert emails from this organization';

/**
 * Deliveries on one line are sent in order. A line is a monitor or probe, and any recipient of its own.
 * Delayed outages, reminders and parts of other messages have lines of their own, so that nothing waits
 * behind them.
 */
export function lineOf(
  delivery: Pick<DeliveryDoc, '_id' | 'monitor_id' | 'probe_id' | 'channel' | 'recipient' | 'held' | 'cause'>,
): string {
  const { _id, monitor_id, probe_id, channel, recipient, held, cause } = delivery;
  if (held?.while === 'open' || cause?.id !== undefined) return _id;
  const about = monitor_id ?? probe_id ?? '';
  return hasRecipients(channel) ? `${about} ${recipient}` : about;
}

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

/** Delays before the first to the fifth retry. */
const RETRY_DELAYS_MS = Object.freeze([10_000, 30_000, 120_000, 600_000, 3_600_000]);
export const MAX_RETRIES = RETRY_DELAYS_MS.length;
/** Fraction by which delays are randomly extended, so that simultaneous failures are not retried together. */
const JITTER = 0.2;
/** Caps the delay that a receiver asks for. */
const MAX_REQUESTED_DELAY_MS = 3_600_000;
/** Older pending deliveries fail: they are outdated, and queues must not grow without bound. */
export const MAX_PENDING_MS = 86_400_000;

/** The fields of a new delivery that is first attempted at `dueAt`. Unix ms. */
export function unsent(now: number, dueAt = now) {
  return {
    status: 'pending' as const, attempts: 0, retry_count: 0, max_retries: MAX_RETRIES, next_attempt_at: dueAt,
    claim: null, delivered_at: null, last_retry_at: null, error_message: null, created_at: now,
    updated_at: now,
  };
}

/** The fields of a delivery that an attempt changes. */
export type DeliveryUpdate = Pick<DeliveryDoc,
  | 'status' | 'attempts' | 'retry_count' | 'next_attempt_at' | 'delivered_at' | 'last_retry_at'
  | 'error_message' | 'updated_at'
>;

/**
 * Returns the delivery's new state: `delivered`, `failed` or `bounced` if the outcome is final or no retry is
 * left, else `pending` until the next attempt. `startedAt` and `now` are Unix ms, `random` is in [0, 1).
 */
export function afterAttempt(
  delivery: Pick<DeliveryDoc, 'attempts' | 'last_retry_at'>,
  outcome: CountedOutcome,
  { startedAt, now, random }: { startedAt: number; now: number; random: number },
): DeliveryUpdate {
  const attempts = delivery.attempts + 1;
  const failed: DeliveryUpdate = {
    status: outcome.kind === 'bounced' ? 'bounced' : 'failed',
    attempts,
    retry_count: Math.min(attempts - 1, MAX_RETRIES),
    next_attempt_at: null,
    delivered_at: null,
    last_retry_at: attempts > 1 ? startedAt : delivery.last_retry_at,
    error_message: outcome.kind === 'sent' ? null : outcome.reason,
    updated_at: now,
  };
  if (outcome.kind === 'sent') return { ...failed, status: 'delivered', delivered_at: now };
  const delayMs = outcome.kind === 'retry' ? retryDelayMs(attempts, random, outcome.retryAfterMs) : null;
  return delayMs === null ? failed : { ...failed, status: 'pending', next_attempt_at: now + delayMs };
}

/** Longer than the schedule if the receiver asked for it; null if no retry is left. */
function retryDelayMs(failedAttempts: number, random: number, requestedMs = 0): number | null {
  const delayMs = RETRY_DELAYS_MS[failedAttempts - 1];
  if (delayMs === undefined) return null;
  const requested = Math.min(spreadMs(requestedMs, JITTER, random), MAX_REQUESTED_DELAY_MS);
  return Math.round(Math.max(spreadMs(delayMs, JITTER, random), requested));
}

const DEFERRAL = { minMs: 2000, maxMs: 300_000 };

/**
 * For a delivery that the mail provider was too busy to accept. Counts no attempt, so only `MAX_PENDING_MS`
 * ends it. `now` is Unix ms, `random` is in [0, 1).
 */
export function afterDeferral(
  { deferrals = 0 }: Pick<DeliveryDoc, 'deferrals'>, reason: string,
  { now, random }: { now: number; random: number },
) {
  const next_attempt_at = now + Math.round(spreadMs(backoffMs(deferrals + 1, DEFERRAL), JITTER, random));
  return { deferrals: deferrals + 1, next_attempt_at, error_message: reason, updated_at: now };
}

/** For a delivery that is not sent on purpose. The log says why. */
export function suppressed(reason: string, now: number) {
  return { status: 'suppressed' as const, next_attempt_at: null, error_message: reason, updated_at: now };
}

/** Fails a delivery without an attempt. */
export function abandoned(
  { attempts, retry_count, last_retry_at }: Pick<DeliveryDoc, 'attempts' | 'retry_count' | 'last_retry_at'>,
  reason: string, now: number,
): DeliveryUpdate {
  return {
    status: 'failed', attempts, retry_count, next_attempt_at: null, delivered_at: null, last_retry_at,
    error_message: reason, updated_at: now,
  };
}
