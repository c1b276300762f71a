import type { DestinationDoc, DestinationSettings } from '../destinations/destination.ts';
import type { AlertDetails, DeliveryDoc } from './delivery.ts';

/** Enabled destinations that subscribe to the alert's event. */
export function subscribed(destinations: DestinationDoc[], { event }: Pick<AlertDetails, 'event'>) {
  return destinations.filter(({ enabled, events }) => enabled && events.includes(event));
}

/**
 * Recipients as the log shows them: each email address, the redacted webhook URL, the name of a Slack
 * destination.
 */
export function recipientsOf(destination: DestinationSettings & { name: string }): string[] {
  switch (destination.type) {
    case 'webhook': return [redactedUrl(destination.config.url)];
    case 'email': return destination.config.to;
    case 'slack': return [destination.name];
  }
}

/** Error text for suppressed addresses, in the log and in the destination's health. */
export const STOPPED = 'the owner of the address stopped alert emails from this organization';

/** Deliveries on one line are sent in order. A line is a monitor or probe; for email, also a recipient. */
export function lineOf(
  delivery: Pick<DeliveryDoc, 'monitor_id' | 'probe_id' | 'channel' | 'recipient'>,
): string {
  const { monitor_id, probe_id, channel, recipient } = delivery;
  const about = monitor_id ?? probe_id ?? '';
  return channel === 'email' ? `${about} ${recipient}` : about;
}

/**
 * Removes the query and truncates path segments that look like keys. For many receivers the path is the
 * secret, and people without access to the destination read the log.
 */
function redactedUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  return `${origin}${path.split('/').map(redactedSegment).join('/')}`;
}

function redactedSegment(segment: string): string {
  const isMixed = /\d/.test(segment) || (/[a-z]/.test(segment) && /[A-Z]/.test(segment));
  return segment.length >= 16 && isMixed ? `${segment.slice(0, 4)}…` : segment;
}
