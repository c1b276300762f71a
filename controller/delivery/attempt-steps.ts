import { sleep, type Clock } from '../../shared/time.ts';
import type { DeliveryDoc, CountedOutcome } from './delivery.ts';
import type { AlertDetails } from '../destinations/channels/alert.ts';
import { recipientsIn } from '../destinations/channels/registry.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import type { Suppressions } from './ports.ts';
import { MAX_PENDING_MS, STOPPED } from './delivery-rules.ts';
import type { AttemptDeps } from './attempt.ts';
import type { SendDeps } from './senders/send-alert.ts';

/** Longer than a whole attempt, from the claim to the recorded outcome. */
export const CLAIM_MS = 30_000;
/** Writing the outcome is retried until this long after the claim, well before the claim expires. */
const WRITE_DEADLINE_MS = CLAIM_MS - 8000;
const WRITE_RETRY_MS = 500;

export interface ClaimedDelivery {
  delivery: DeliveryDoc;
  token: string;
  /** When it was claimed, Unix ms. */
  at: number;
  elapsedMs(): number;
}

/**
 * Retries a write while the claim holds, so that a short database outage does not cause a duplicate alert.
 */
export async function retryWhileClaimed<T>(
  clock: Clock, claimed: Pick<ClaimedDelivery, 'elapsedMs'>, signal: AbortSignal, write: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || claimed.elapsedMs() > WRITE_DEADLINE_MS) throw error;
      await sleep(clock, WRITE_RETRY_MS);
    }
  }
}

/** The alert as one recipient gets it: with a link to acknowledge its incident, unless that is over. */
export function alertFor(
  { acknowledgeLink }: Pick<SendDeps, 'acknowledgeLink'>, { alert, destination_id, recipient }: DeliveryDoc,
): AlertDetails {
  const { incident } = alert;
  if (incident === null) return alert;
  const link = () => acknowledgeLink({ incidentId: incident.id, destinationId: destination_id, recipient });
  const acknowledge_url = incident.resolved_at === null ? link() : null;
  return { ...alert, incident: { ...incident, acknowledge_url } };
}

/** Why a delivery fails without an attempt. */
interface Obstacle {
  reason: string;
  /** Whether it counts as a failure of the destination, because the alert should have been delivered. */
  isFailure: boolean;
}

/** What permanently prevents an attempt; null if nothing does. `now` is Unix ms. */
export async function obstacleTo(
  suppressions: Suppressions, delivery: DeliveryDoc, destination: DestinationDoc | null, now: number,
): Promise<Obstacle | null> {
  const { channel, recipient, organization_id, created_at, error_message, held } = delivery;
  const change = destinationChange(delivery, destination);
  if (change !== null) return { reason: change, isFailure: false };
  if (channel === 'email' && (await suppressions.isStopped(organization_id, recipient))) {
    return { reason: STOPPED, isFailure: true };
  }
  if (now - Math.max(created_at, held?.until ?? 0) <= MAX_PENDING_MS) return null;
  return { reason: error_message ?? 'it could not be sent within 24 hours', isFailure: true };
}

/** Why the destination no longer accepts the delivery; null if it does. */
export function destinationChange(delivery: DeliveryDoc, destination: DestinationDoc | null): string | null {
  const { channel, recipient } = delivery;
  if (destination === null) return 'the integration was deleted';
  if (!destination.enabled) return 'the integration was disabled';
  if (destination.type !== channel) return 'the integration has a different type now';
  const isRemoved = recipientsIn(destination)?.includes(recipient) === false;
  return isRemoved ? 'the address was removed from the integration' : null;
}

/**
 * Tracks the recipients of a destination separately, because a message to one says nothing about the others.
 */
export async function recordHealth(
  deps: Pick<AttemptDeps, 'health' | 'clock' | 'onFailing'>, destination: DestinationDoc, recipient: string,
  outcome: CountedOutcome,
): Promise<void> {
  const { health, clock, onFailing } = deps;
  const { _id: id } = destination;
  const others = recipientsIn(destination)?.filter((one) => one !== recipient) ?? null;
  if (outcome.kind === 'sent') {
    if (others !== null) await health.recordReached(id, { recipient, others }, clock.now());
    return;
  }
  const failed = { reason: outcome.reason, recipient: (others ?? []).length > 0 ? recipient : null };
  if (await health.recordFailure(id, failed, clock.now())) onFailing(destination, outcome.reason);
}
