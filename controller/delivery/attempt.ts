import type { Claims } from '../../shared/claims.ts';
import { newId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import { persistently, type Claimed } from './claimed.ts';
import type { AlertDetails, CountedVerdict, QueuedDelivery, Verdict } from './delivery.ts';
import { attemptDigest } from './digests/attempt-digest.ts';
import type { DigestClaimStore } from './digests/claim-store.ts';
import { noteHealth } from './note-health.ts';
import { obstacleTo } from './obstacles.ts';
import type { DestinationReader, Suppressions } from './ports.ts';
import type { TryEnd } from './queue-rules.ts';
import type { QueueStore } from './queue-store.ts';
import { recipientsOf } from './recipient-rules.ts';
import { abandoned, afterAttempt, afterDeferral } from './retry-rules.ts';
import type { Digest, SendContext } from './senders/send-alert.ts';
import type { DeliveryStore } from './store.ts';

export interface AttemptDeps {
  /** Runs `work` when its turn at the database has come; the time of an attempt counts from then on. */
  begin<T>(work: () => Promise<T>): Promise<T>;
  deliveries: Pick<DeliveryStore, 'claim' | 'settle' | 'release' | 'ofDigest' | 'settleAll'>;
  digests: Pick<DigestClaimStore, 'claim' | 'release'>;
  claims: Claims;
  health: Pick<QueueStore, 'noteFailure' | 'noteReached'>;
  destinations: Pick<DestinationReader, 'findById'>;
  incidents: {
    /** A notification of the incident has reached its receiver. */
    markNotified(incidentId: string, channel: string): Promise<void>;
  };
  suppressions: Suppressions;
  send(destination: DestinationDoc, alert: AlertDetails, context: SendContext): Promise<Verdict>;
  sendDigest(digest: Digest): Promise<Verdict>;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
  /** Called when a destination starts to fail. */
  onFailing(destination: DestinationDoc, reason: string): void;
}

/** `isResumed`: an earlier attempt never reported, so the receiver may get the alert twice. */
export interface Tried {
  end: TryEnd;
  isResumed: boolean;
}

/** An attempt delayed longer than this after its claim does not send: the claim could expire under way. */
const SEND_WITHIN_MS = 8000;
/**
 * One attempt at one delivery: claim it, read its destination again, send, record the outcome. After a crash
 * between sending and recording, its claim is over some time later, and the delivery is sent again.
 */
export async function attemptDelivery(
  deps: AttemptDeps, { id, claim: known }: Pick<QueuedDelivery, 'id' | 'claim'>, signal: AbortSignal,
): Promise<Tried> {
  const { deliveries, claims, clock } = deps;
  const claimed = await deps.begin(async () => {
    const [claim, at, startedAt] = [claims.begin(), clock.now(), clock.monotonic()];
    const over = known && claims.isFree(known) ? known : null;
    const delivery = await deliveries.claim(id, claim, over);
    return delivery && { delivery, token: claim.token, at, elapsedMs: () => clock.monotonic() - startedAt };
  });
  if (!claimed) return { end: { kind: 'lost' }, isResumed: false };
  return { end: await attemptClaimed(deps, claimed, signal), isResumed: claimed.delivery.claim !== null };
}

const BUSY: Verdict = Object.freeze({ kind: 'busy' });

async function attemptClaimed(deps: AttemptDeps, claimed: Claimed, signal: AbortSignal): Promise<TryEnd> {
  const { deliveries, destinations, incidents, clock, random } = deps;
  const { delivery, token, at: startedAt } = claimed;
  const { _id: id, recipient, channel, incident_id } = delivery;
  const destination = await destinations.findById(delivery.destination_id);
  const obstacle = await obstacleTo(deps.suppressions, delivery, destination, startedAt);
  if (destination === null || obstacle !== null) {
    const { reason = 'the integration was deleted', isFailure = false } = obstacle ?? {};
    await deliveries.settle(id, token, abandoned(delivery, reason, clock.now()));
    const failure: CountedVerdict = { kind: 'dead', reason, status: null, durationMs: null };
    if (destination !== null && isFailure) await noteHealth(deps, destination, recipient, failure);
    return { kind: 'dropped' };
  }
  const { digest_id, digest_at = 0 } = delivery;
  if (digest_id !== undefined) return attemptDigest(deps, claimed, { digest_id, digest_at }, signal);
  const context = { attemptId: newId(clock.now()), recipient, signal };
  const isTooLate = signal.aborted || claimed.elapsedMs() > SEND_WITHIN_MS;
  const verdict = isTooLate ? BUSY : await deps.send(destination, delivery.alert, context);
  if (verdict.kind === 'busy' || (signal.aborted && verdict.kind === 'retry')) {
    await deliveries.release(id, token);
    return { kind: 'again' };
  }
  if (verdict.kind === 'deferred') {
    const deferral = afterDeferral(delivery, verdict.reason, { now: clock.now(), random: random() });
    await deliveries.settle(id, token, deferral);
    return { kind: 'again', readyAt: deferral.next_attempt_at };
  }
  const outcome = {
    // A webhook's address may have changed since the first attempt: the log shows the latest one.
    recipient: channel === 'email' ? recipient : (recipientsOf(destination)[0] ?? recipient),
    ...afterAttempt(delivery, verdict, { startedAt, now: clock.now(), random: random() }),
  };
  const isOurs = await persistently(clock, claimed, signal, async () => {
    // Before the delivery is settled: a crash in between repeats both, the other order would lose this one.
    if (verdict.kind === 'sent' && incident_id !== null) await incidents.markNotified(incident_id, channel);
    return deliveries.settle(id, token, outcome);
  });
  await noteHealth(deps, destination, recipient, verdict);
  if (!isOurs) return { kind: 'lost' };
  if (verdict.kind === 'sent') return { kind: 'sent', durationMs: verdict.durationMs };
  const { next_attempt_at: readyAt } = outcome;
  return readyAt === null ? { kind: 'failed' } : { kind: 'retry', readyAt };
}
