import type { Alert } from '../verdicts/effect.ts';
import type { Target } from './ports.ts';

/** Of these destinations, those that are enabled and subscribe to the alert's event. */
export function subscribed(targets: Target[], alert: Pick<Alert, 'event'>): Target[] {
  return targets.filter((target) => target.enabled && target.events.includes(alert.event));
}
