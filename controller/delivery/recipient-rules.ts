import type { DestinationDoc, DestinationSettings } from '../destinations/destination.ts';
import type { AlertDetails, DeliveryDoc } from './delivery.ts';

/** The destinations that are enabled and subscribe to the alert's event. */
export function subscribed(destinations: DestinationDoc[], { event }: Pick<AlertDetails, 'event'>) {
  return destinations.filter(({ enabled, events }) => enabled && events.includes(event));
}

/** As the log names them: each mail address, a webhook's address, the name of a Slack destination. */
export function recipientsOf(destination: DestinationSettings & { name: string }): string[] {
  switch (destination.type) {
    case 'webhook': return [redactedUrl(destination.config.url)];
    case 'email': return destination.config.to;
    case 'slack': return [destination.name];
  }
}

/** Why a delivery to an address ends without an attempt, in the log and in the destination's health. */
export const STOPPED = 'the owner of the address stopped alert emails from this organization';

/** Deliveries on one line are sent in order: those of a monitor or probe; for mail, those to a recipient. */
export function lineOf(
  delivery: Pick<DeliveryDoc, 'monitor_id' | 'probe_id' | 'channel' | 'recipient'>,
): string {
  const { monitor_id, probe_id, channel, recipient } = delivery;
  const about = monitor_id ?? probe_id ?? '';
  return channel === 'email' ? `${about} ${recipient}` : about;
}

/**
 * A webhook's address without its query and with key-like path segments cut short. The log is read by people
 * who may not see the destination, and for many receivers the path is the secret.
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
