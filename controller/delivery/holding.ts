import { derivedId } from '../../shared/ids.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import type { AttemptDeps } from './attempt.ts';
import type { ClaimedDelivery } from './attempt-steps.ts';
import type { DeliveryDoc, Hold } from './delivery.ts';
import { suppressed } from './delivery-rules.ts';
import { holdEnd, nextReminder } from './holding-rules.ts';

/** Ends a held delivery whose incident no longer needs it. */
export async function endIfObsolete(
  { deliveries, incidents, clock }: Pick<AttemptDeps, 'deliveries' | 'incidents' | 'clock'>,
  { delivery, token }: ClaimedDelivery,
): Promise<boolean> {
  const { _id: id, held, attempts, incident_id, reminder } = delivery;
  if (!held || held.while === 'always' || attempts > 0 || incident_id === null) return false;
  const reason = holdEnd(held, await incidents.findById(incident_id));
  if (reason === null) return false;
  // The log has the outage itself.
  if (reminder !== undefined) await deliveries.discard(id, token);
  else await deliveries.settle(id, token, suppressed(reason, clock.now()));
  return true;
}

/**
 * Moves a held email into a digest if its address received too many in this hour. Returns when the digest is
 * due, Unix ms; null if the email is sent on its own.
 */
export async function moveToDigest(
  { deliveries, windows, clock }: Pick<AttemptDeps, 'deliveries' | 'windows' | 'clock'>,
  { delivery, token }: ClaimedDelivery,
): Promise<number | null> {
  const { _id: id, held, channel, digest_id, organization_id: organizationId, recipient: address } = delivery;
  if (!held || channel !== 'email' || digest_id !== undefined) return null;
  const place = await windows.admit({ organizationId, address }, id, clock.now());
  if (place === null) return null;
  await deliveries.settle(id, token, { ...place, next_attempt_at: place.digest_at });
  return place.digest_at;
}

/** Queues the reminder that follows a delivery. May be repeated. */
export async function scheduleReminder(
  { deliveries, queues, clock }: Pick<AttemptDeps, 'deliveries' | 'queues' | 'clock'>, destination: DestinationDoc,
  delivery: DeliveryDoc,
): Promise<void> {
  const now = clock.now();
  const held = nextReminder(destination, delivery, now);
  if (held === null) return;
  await deliveries.insertAbsent([reminderOf(delivery, held, now)]);
  await queues.wake([destination], held.until);
}

function reminderOf(
  { digest_id: _digest, digest_at: _due, ...sent }: DeliveryDoc, held: Hold, now: number,
): DeliveryDoc {
  const reminder = (sent.reminder ?? 0) + 1;
  return {
    ...sent, _id: derivedId(sent._id, 'reminder'), alert: { ...sent.alert, reminder }, held, reminder,
    status: 'pending', attempts: 0, retry_count: 0, next_attempt_at: held.until, claim: null, queued_at: now,
    delivered_at: null, last_retry_at: null, error_message: null, created_at: now, updated_at: now,
  };
}
