import type { DestinationDoc } from '../../destinations/destination.ts';
import type { AttemptDeps } from '../attempt.ts';
import { persistently, type Claimed } from '../claimed.ts';
import type { CountedVerdict, DeliveryDoc, DigestPlace } from '../delivery.ts';
import { noteHealth } from '../note-health.ts';
import { changeOf } from '../obstacles.ts';
import type { TryEnd } from '../queue-rules.ts';
import { afterAttempt, afterDeferral } from '../retry-rules.ts';

/** Wait while another queue sends the digest. */
const HELD_WAIT_MS = 5000;

/**
 * One attempt at the digest that a claimed delivery belongs to: one mail for all its deliveries, whichever
 * destinations they are of. After a crash between sending and recording, the mail is sent again.
 */
export async function attemptDigest(
  deps: AttemptDeps, claimed: Claimed, { digest_id, digest_at }: DigestPlace, signal: AbortSignal,
): Promise<TryEnd> {
  const { deliveries, digests, claims, clock } = deps;
  const { delivery, token: own } = claimed;
  const now = clock.now();
  const giveBack = async (end: TryEnd): Promise<TryEnd> => {
    await deliveries.release(delivery._id, own);
    return end;
  };
  const readyAt = Math.max(digest_at, delivery.next_attempt_at ?? 0);
  if (now < readyAt) return giveBack({ kind: 'again', readyAt });
  const claim = claims.begin();
  if (!(await digests.claim(digest_id, claim, (held) => claims.isFree(held)))) {
    return giveBack({ kind: 'again', readyAt: now + HELD_WAIT_MS });
  }
  try {
    const members = await membersOf(deps, digest_id);
    // Another queue may have sent it since this delivery was claimed.
    if (!members.some((one) => one.delivery._id === delivery._id)) return await giveBack({ kind: 'lost' });
    return await sendTogether(deps, { ...claimed, digestId: digest_id }, members, signal);
  } finally {
    await digests.release(digest_id, claim.token);
  }
}

interface Member {
  delivery: DeliveryDoc;
  destination: DestinationDoc;
}

/** Its pending deliveries, oldest first, without those that their own queues will give up. */
async function membersOf({ deliveries, destinations }: AttemptDeps, digestId: string): Promise<Member[]> {
  const pending = await deliveries.ofDigest(digestId);
  const ids = [...new Set(pending.map((delivery) => delivery.destination_id))];
  const found = new Map(await Promise.all(
    ids.map(async (id) => [id, await destinations.findById(id)] as const),
  ));
  return pending.flatMap((delivery) => {
    const destination = found.get(delivery.destination_id) ?? null;
    const isTaken = destination !== null && changeOf(delivery, destination) === null;
    return isTaken ? [{ delivery, destination }] : [];
  });
}

async function sendTogether(
  deps: AttemptDeps, claimed: Claimed & { digestId: string }, members: Member[], signal: AbortSignal,
): Promise<TryEnd> {
  const { deliveries, incidents, clock, random } = deps;
  const { delivery, at: startedAt, digestId } = claimed;
  const ids = members.map((one) => one.delivery._id);
  const alerts = members.map((one) => one.delivery.alert);
  const { organization_id: organizationId, recipient, channel } = delivery;
  const verdict = await deps.sendDigest({ digestId, organizationId, recipient, alerts });
  if (verdict.kind === 'busy' || (signal.aborted && verdict.kind === 'retry')) {
    await deliveries.release(delivery._id, claimed.token);
    return { kind: 'again' };
  }
  const also = ids.filter((id) => id !== delivery._id);
  if (verdict.kind === 'deferred') {
    const deferral = afterDeferral(delivery, verdict.reason, { now: clock.now(), random: random() });
    await deliveries.settleAll(ids, deferral);
    return { kind: 'again', readyAt: deferral.next_attempt_at, also };
  }
  const outcome = afterAttempt(delivery, verdict, { startedAt, now: clock.now(), random: random() });
  const told = [...new Set(members.flatMap((one) => one.delivery.incident_id ?? []))];
  await persistently(clock, claimed, signal, async () => {
    // Before the deliveries are settled: a crash in between repeats both.
    if (verdict.kind === 'sent') await Promise.all(told.map((id) => incidents.markNotified(id, channel)));
    await deliveries.settleAll(ids, outcome);
  });
  await noteAll(deps, members, recipient, verdict);
  if (verdict.kind === 'sent') return { kind: 'sent', durationMs: verdict.durationMs, also };
  const { next_attempt_at: readyAt } = outcome;
  return readyAt === null ? { kind: 'failed', also } : { kind: 'retry', readyAt, also };
}

async function noteAll(deps: AttemptDeps, members: Member[], recipient: string, verdict: CountedVerdict) {
  const destinations = new Map(members.map(({ destination }) => [destination._id, destination]));
  for (const destination of destinations.values()) await noteHealth(deps, destination, recipient, verdict);
}
