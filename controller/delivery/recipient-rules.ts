import type { Way } from '../destinations/destination.ts';
import type { DeliveryDoc } from './delivery.ts';

/** Whom a destination tells, as the log names them: each address of mail, a webhook's address, the name of a Slack destination. */
export function recipientsOf(target: Way & { name: string }): string[] {
  switch (target.type) {
    case 'webhook': return [shownRecipient(target.config.url)];
    case 'email': return target.config.to;
    case 'slack': return [target.name];
  }
}

/** What is told in order: a monitor's alerts, for each recipient of mail by themselves. */
export function lineOf({ monitor_id, channel, recipient }: Pick<DeliveryDoc, 'monitor_id' | 'channel' | 'recipient'>): string {
  return channel === 'email' ? `${monitor_id} ${recipient}` : monitor_id;
}

/**
 * A webhook's address for a log that people read who may not see the destination itself: without query, and with parts
 * of the path that look like keys cut short, since for many receivers the path is the secret.
 */
export function shownRecipient(url: string): string {
  const { origin, pathname } = new URL(url);
  const path = pathname === '/' ? '' : pathname;
  return `${origin}${path.split('/').map(shownSegment).join('/')}`;
}

function shownSegment(segment: string): string {
  const looksRandom = segment.length >= 16 && (/\d/.test(segment) || (/[a-z]/.test(segment) && /[A-Z]/.test(segment)));
  return looksRandom ? `${segment.slice(0, 4)}…` : segment;
}
