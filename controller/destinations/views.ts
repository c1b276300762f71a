import type { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import type { deliveryView, destinationView } from './responses.ts';
import { masked, secretsOf } from './channels/masks.ts';
import { channelOf, groupingOf, type DestinationSettings } from './channels/registry.ts';
import type { DestinationDelivery, DestinationHealth } from './ports.ts';
import type { DestinationWithHealth } from './verbs.ts';

const UNUSED: DestinationHealth = Object.freeze({
  status: 'unknown', failing_since: null, consecutive_failures: 0, failing_recipients: [],
  last_error: null, last_delivered_at: null,
});

type DestinationView = z.input<typeof destinationView>;

/** Never contains the signing secret. */
export function viewDestination(shown: DestinationWithHealth): DestinationView {
  const { destination, health = UNUSED, suppressed } = shown;
  const { _id, organization_id, project_id, created_by, name, enabled, is_default, events } = destination;
  const { filter = null, hours = null, delay_minutes = null, reminder_minutes = null } = destination;
  const grouping = groupingOf(destination);
  return {
    id: _id, organization_id, project_id, created_by, managed_by: destination.managed_by ?? null,
    name, enabled, is_default, events,
    filter, hours, delay_minutes, reminder_minutes, grouping, ...viewSettings(destination),
    health: {
      suppressed_recipients: suppressed,
      ...health,
      failing_since: isoTime(health.failing_since), last_delivered_at: isoTime(health.last_delivered_at),
    },
    created_at: isoTime(destination.created_at), updated_at: isoTime(destination.updated_at),
  };
}

/** Masks secrets. What project admins read, such as the headers of webhooks, only `isExport` masks. */
export function viewSettings({ type, config }: DestinationSettings, isExport = false) {
  const channel = channelOf(type);
  return { type, config: masked(secretsOf(channel, isExport), channel.view?.(config) ?? config) };
}

export function viewDelivery(delivery: DestinationDelivery): z.input<typeof deliveryView> {
  const { _id, alert, monitor_id, incident_id, recipient, status, error_message } = delivery;
  const { retry_count, max_retries } = delivery;
  return {
    id: _id, event: alert.event, monitor_id, incident_id, recipient, status, error_message,
    retry_count, max_retries,
    delivered_at: isoTime(delivery.delivered_at), last_retry_at: isoTime(delivery.last_retry_at),
    created_at: isoTime(delivery.created_at),
  };
}
