import { derivedId } from '../../shared/ids.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { CountedOutcome, DeliveryDoc, Hold } from './delivery.ts';
import type { AlertDetails } from '../destinations/channels/alert.ts';
import { recipientsIn } from '../destinations/channels/registry.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import type { Suppressions } from './ports.ts';
import { holdEnd, MAX_PENDING_MS, nextReminder, STOPPED, suppressed, unsent } from './delivery-rules.ts';
import type { AttemptDeps, AttemptedIncident } from './attempt.ts';
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
  { baseUrl, acknowledgeTokens }: Pick<SendDeps, 'baseUrl' | 'acknowledgeTokens'>,
  { alert, destination_id: destinationId, recipient }: DeliveryDoc,
): AlertDetails {
  const { incident } = alert;
  if (incident === null) return alert;
  const to = { incidentId: incident.id, destinationId, recipient };
  const acknowledge_url = incident.resolved_at === null ? acknowledgeTokens.link(baseUrl(), to) : null;
  return { ...alert, incident: { ...incident, acknowledge_url } };
}

/** Reads the delivery's incident once, when it is first needed. Null if it was deleted. */
export function incidentReader(
  { incidents, claims }: Pick<AttemptDeps, 'incidents' | 'claims'>, claimed: ClaimedDelivery,
): () => Promise<AttemptedIncident | null> {
  const { incident_id: id } = claimed.delivery;
  let read: Promise<AttemptedIncident | null> | null = null;
  return () => {
    read ??= id === null ? Promise.resolve(null) : claims.whileUnused(claimed, () => incidents.findById(id));
    return read;
  };
}

/** The delivery with the diagnosis that its incident has by now. */
export function withDiagnosis(delivery: DeliveryDoc, found: AttemptedIncident | null): DeliveryDoc {
  const { alert } = delivery;
  if (alert.incident === null || !found?.diagnosis) return delivery;
  const { classification, summary } = found.diagnosis;
  const incident = { ...alert.incident, diagnosis: { classification, summary } };
  return { ...delivery, alert: { ...alert, incident } };
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

/** Ends a held delivery whose incident no longer needs it. */
export async function endIfObsolete(
  { deliveries, clock }: Pick<AttemptDeps, 'deliveries' | 'clock'>, { delivery, token }: ClaimedDelivery,
  incident: () => Promise<AttemptedIncident | null>,
): Promise<boolean> {
  const { _id: id, held, attempts, incident_id, reminder } = delivery;
  if (!held || held.while === 'always' || attempts > 0 || incident_id === null) return false;
  const reason = holdEnd(held, await incident());
  if (reason === null) return false;
  // The log has the outage itself.
  if (reminder !== undefined) await deliveries.discard(id, token);
  else await deliveries.settle(id, token, suppressed(reason, clock.now()));
  return true;
}

/**
 * Moves an email that waited into a digest if its address received too many in this hour. Returns when the
 * digest is due, Unix ms; null if the email is sent on its own.
 */
export async function moveToDigest(
  { deliveries, windows, clock }: Pick<AttemptDeps, 'deliveries' | 'windows' | 'clock'>,
  { delivery, token }: ClaimedDelivery,
): Promise<number | null> {
  const { _id: id, held, cause, channel, digest_id, recipient: address } = delivery;
  if ((!held && !cause) || channel !== 'email' || digest_id !== undefined) return null;
  const place = await windows.admit(
    { organizationId: delivery.organization_id, address }, id, clock.now(),
  );
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
    ...sent, ...unsent(now, held.until), _id: derivedId(sent._id, 'reminder'),
    alert: { ...sent.alert, reminder }, held, reminder, queued_at: now,
  };
}
