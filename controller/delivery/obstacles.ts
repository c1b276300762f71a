import type { DestinationDoc } from '../destinations/destination.ts';
import type { DeliveryDoc } from './delivery.ts';
import type { Suppressions } from './ports.ts';
import { STOPPED } from './recipient-rules.ts';
import { MAX_PENDING_MS } from './retry-rules.ts';

/** Why a delivery fails without an attempt. */
export interface Obstacle {
  reason: string;
  /** Whether it counts as a failure of the destination, because the alert should have been delivered. */
  isFailure: boolean;
}

/** What permanently prevents an attempt; null if nothing does. `now` is Unix ms. */
export async function obstacleTo(
  suppressions: Suppressions, delivery: DeliveryDoc, destination: DestinationDoc | null, now: number,
): Promise<Obstacle | null> {
  const { channel, recipient, organization_id, created_at, error_message } = delivery;
  const change = destinationChange(delivery, destination);
  if (change !== null) return { reason: change, isFailure: false };
  if (channel === 'email' && (await suppressions.isStopped(organization_id, recipient))) {
    return { reason: STOPPED, isFailure: true };
  }
  if (now - created_at <= MAX_PENDING_MS) return null;
  return { reason: error_message ?? 'it could not be sent within 24 hours', isFailure: true };
}

/** Why the destination no longer accepts the delivery; null if it does. */
export function destinationChange(delivery: DeliveryDoc, destination: DestinationDoc | null): string | null {
  const { channel, recipient } = delivery;
  if (destination === null) return 'the integration was deleted';
  if (!destination.enabled) return 'the integration was disabled';
  if (destination.type !== channel) return 'the integration has a different type now';
  const isRemoved = destination.type === 'email' && !destination.config.to.includes(recipient);
  return isRemoved ? 'the address was removed from the integration' : null;
}
