import type { Alert } from '../results/ports.ts';
import type { Target } from './ports.ts';

/**
 * The destinations that an alert goes to: those that its monitor names, else the project's default ones; of them the
 * enabled ones that subscribe to the event. A monitor whose named destinations are all deleted falls back to the
 * defaults, since silence would be worse.
 */
export function concerned(all: Target[], alert: Pick<Alert, 'event' | 'monitor'>): Target[] {
  const wanted = new Set(alert.monitor.notification_target_ids);
  const named = all.filter((target) => wanted.has(target.id));
  const chosen = named.length > 0 ? named : all.filter((target) => target.isDefault);
  return chosen.filter((target) => target.enabled && target.events.includes(alert.event));
}
