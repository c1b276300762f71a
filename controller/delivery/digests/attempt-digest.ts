import type { DestinationDoc } from '../../destinations/destination.ts';
import type { AttemptDeps } from '../attempt.ts';
import {
  alertFor, type ClaimedDelivery, destinationChange, recordHealth, retryWhileClaimed,
} from '../attempt-steps.ts';
import type { CountedOutcome, DeliveryDoc, DigestPlace, SendOutcome } from '../delivery.ts';
import type { AttemptOutcome } from '../queue-rules.ts';
import { afterAttempt, afterDeferral } from '../delivery-rules.ts';
import { sendThread } from '../causes/send-thread.ts';
import { sendDigest } from '../senders/send-alert.ts';

/** Delay while another queue is sending the digest. */
const HELD_WAIT_MS = 5000;

/**
 * Makes one attempt at the digest of a claimed delivery: one mail with all its deliveries, across
 * destinations, or one message about a cause. After a crash between sending and recording, it is sent again.
 */
export async function attemptDigest(
  deps: AttemptDeps, claimed: ClaimedDelivery, { digest_id, digest_at }: DigestPlace, signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { deliveries, digests, claims, clock } = deps;
  const { delivery, token: ownToken } = claimed;
  const now = clock.now();
  const releaseWith = async (outcome: AttemptOutcome): Promise<AttemptOutcome> => {
    await deliveries.release(delivery._id, ownToken);
    return outcome;
  };
  const readyAt = Math.max(digest_at, delivery.next_attempt_at ?? 0);
  if (now < readyAt) return releaseWith({ kind: 'again', readyAt });
  const claim = claims.create();
  if (!(await digests.claim(digest_id, claim, (held) => claims.isFree(held)))) {
    return releaseWith({ kind: 'again', readyAt: now + HELD_WAIT_MS });
  }
  try {
    const members = await membersOf(deps, digest_id);
    // Another queue may have sent it since this delivery was claimed.
    if (!members.some((one) => one.delivery._id === delivery._id)) return await releaseWith({ kind: 'lost' });
    return await sendTogether(deps, { ...claimed, digestId: digest_id }, members, signal);
  } finally {
    await digests.release(digest_id, claim.token);
  }
}

export interface Member {
  delivery: DeliveryDoc;
  destination: DestinationDoc;
}

/** Pending deliveries of the digest, oldest first, except those that their own queues will drop. */
async function membersOf({ deliveries, destinations }: AttemptDeps, digestId: string): Promise<Member[]> {
  const pending = await deliveries.ofDigest(digestId);
  const ids = [...new Set(pending.map((delivery) => delivery.destination_id))];
  const found = new Map(await Promise.all(
    ids.map(async (id) => [id, await destinations.findById(id)] as const),
  ));
  return pending.flatMap((delivery) => {
    const destination = found.get(delivery.destination_id) ?? null;
    const isTaken = destination !== null && destinationChange(delivery, destination) === null;
    return isTaken ? [{ delivery, destination }] : [];
  });
}

async function sendTogether(
  deps: AttemptDeps, claimed: ClaimedDelivery & { digestId: string }, members: Member[], signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { deliveries, incidents, clock, random } = deps;
  const { delivery, at: startedAt, digestId } = claimed;
  const { recipient, channel } = delivery;
  const sent = delivery.cause?.id === undefined
    ? { kind: 'attempted' as const, outcome: await sendMembers(deps, claimed, members), record: null }
    : await sendThread(deps, digestId, members, signal);
  const ids = members.map((one) => one.delivery._id);
  if (sent.kind === 'early') {
    await deliveries.settleAll(ids, { next_attempt_at: sent.dueAt });
    return { kind: 'again', readyAt: sent.dueAt, also: ids };
  }
  if (sent.kind === 'known') {
    const known = afterAttempt(delivery, SILENT, { startedAt, now: clock.now(), random: random() });
    await deliveries.settleAll(ids, known);
    return { kind: 'dropped', also: ids };
  }
  const { outcome, record } = sent;
  if (outcome.kind === 'busy' || (signal.aborted && outcome.kind === 'retry')) {
    await deliveries.release(delivery._id, claimed.token);
    return { kind: 'again' };
  }
  const also = ids.filter((id) => id !== delivery._id);
  if (outcome.kind === 'deferred') {
    const deferral = afterDeferral(delivery, outcome.reason, { now: clock.now(), random: random() });
    await deliveries.settleAll(ids, deferral);
    return { kind: 'again', readyAt: deferral.next_attempt_at, also };
  }
  const update = afterAttempt(delivery, outcome, { startedAt, now: clock.now(), random: random() });
  const incidentIds = [...new Set(members.flatMap((one) => one.delivery.incident_id ?? []))];
  await retryWhileClaimed(clock, claimed, signal, async () => {
    // Before settling, so that a crash in between repeats these writes.
    if (outcome.kind === 'sent') await record?.();
    if (outcome.kind === 'sent') await Promise.all(incidentIds.map((id) => incidents.markNotified(id, channel)));
    await deliveries.settleAll(ids, update);
  });
  await recordHealthOfAll(deps, members, recipient, outcome);
  if (outcome.kind === 'sent') return { kind: 'sent', durationMs: outcome.durationMs, also };
  const { next_attempt_at: readyAt } = update;
  return readyAt === null ? { kind: 'failed', also } : { kind: 'retry', readyAt, also };
}

/** The recipient was notified of it already. */
const SILENT: CountedOutcome = Object.freeze({ kind: 'sent', status: null, durationMs: 0 });

function sendMembers(
  deps: AttemptDeps, { delivery, digestId }: ClaimedDelivery & { digestId: string }, members: Member[],
): Promise<SendOutcome> {
  const alerts = members.map((one) => alertFor(deps.sending, one.delivery));
  const { organization_id: organizationId, recipient } = delivery;
  return sendDigest(deps.sending, { digestId, organizationId, recipient, alerts });
}

async function recordHealthOfAll(
  deps: AttemptDeps, members: Member[], recipient: string, outcome: CountedOutcome,
): Promise<void> {
  const destinations = new Map(members.map(({ destination }) => [destination._id, destination]));
  for (const destination of destinations.values()) await recordHealth(deps, destination, recipient, outcome);
}
