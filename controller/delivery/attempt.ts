import { newId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import type { Diagnosis } from '../destinations/channels/alert.ts';
import { hasRecipients } from '../destinations/channels/registry.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import type { WorkClaims } from '../work/claimed-work.ts';
import {
  alertFor, endIfObsolete, incidentReader, moveToDigest, obstacleTo, recordHealth, retryWhileClaimed,
  scheduleReminder, withDiagnosis, type ClaimedDelivery,
} from './attempt-steps.ts';
import type { CountedOutcome, QueuedDelivery, SendOutcome } from './delivery.ts';
import type { Placement } from './causes/placement.ts';
import type { ThreadStore } from './causes/thread-store.ts';
import { attemptDigest } from './digests/attempt-digest.ts';
import type { DigestClaimStore } from './digests/claim-store.ts';
import type { MailWindowStore } from './digests/window-store.ts';
import type { CauseReader, DestinationReader, Suppressions } from './ports.ts';
import type { AttemptOutcome } from './queue-rules.ts';
import type { QueueStore } from './queue-store.ts';
import { abandoned, afterAttempt, afterDeferral, recipientsOf } from './delivery-rules.ts';
import { sendAlert, type SendDeps } from './senders/send-alert.ts';
import type { DeliveryStore } from './store.ts';

interface CausedIncident {
  _id: string;
  status: string;
  resolved_at: number | null;
  cause_id?: string;
}

export interface AttemptedIncident {
  status: string;
  diagnosis?: Diagnosis;
}

export interface AttemptDeps {
  /** Limits how many queues and attempts start at once. The clock of an attempt starts with `work`. */
  runInTurn<T>(work: () => Promise<T>): Promise<T>;
  deliveries: Pick<DeliveryStore,
    | 'claim' | 'settle' | 'release' | 'ofDigest' | 'settleAll' | 'discard' | 'insertAbsent'
    | 'find'>;
  placement: Pick<Placement, 'place' | 'adopt'>;
  threads: Pick<ThreadStore, 'find' | 'recordMessage'>;
  causes: CauseReader;
  digests: Pick<DigestClaimStore, 'claim' | 'release'>;
  claims: WorkClaims;
  health: Pick<QueueStore, 'recordFailure' | 'recordReached'>;
  destinations: Pick<DestinationReader, 'findById'>;
  queues: Pick<QueueStore, 'wake'>;
  windows: Pick<MailWindowStore, 'admit'>;
  incidents: {
    /** Null if it was deleted. */
    findById(incidentId: string): Promise<AttemptedIncident | null>;
    /** Records that a notification of the incident was delivered. */
    markNotified(incidentId: string, channel: string): Promise<void>;
    findMany(ids: string[]): Promise<CausedIncident[]>;
    hasOpen(causeId: string): Promise<boolean>;
  };
  suppressions: Suppressions;
  sending: SendDeps;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
  /** Called on the first failure after a success. */
  onFailing(destination: DestinationDoc, reason: string): void;
}

/** `isResumed`: the last attempt has no recorded outcome, so the receiver may get the alert twice. */
export interface AttemptReport {
  outcome: AttemptOutcome;
  isResumed: boolean;
}

/** The place of an attempt among those of its destination, which are grouped in the order of their starts. */
export interface AttemptTurn {
  /** Resolves when all before it are grouped. */
  before: Promise<unknown>;
  /** Call when this one is. */
  onGrouped(): void;
}

const ONLY_TURN: AttemptTurn = { before: Promise.resolve(), onGrouped: () => undefined };

/**
 * An attempt delayed longer than this after its claim sends nothing, because the claim could expire
 * meanwhile.
 */
const MAX_SEND_DELAY_MS = 8000;

/**
 * Makes one attempt: claims the delivery, reads its destination again, sends, and records the outcome. After
 * a crash between sending and recording, the claim expires and the delivery is sent again.
 */
export async function attemptDelivery(
  deps: AttemptDeps, { id, claim: lastClaim }: Pick<QueuedDelivery, 'id' | 'claim'>, signal: AbortSignal,
  turn = ONLY_TURN,
): Promise<AttemptReport> {
  const { deliveries, claims, clock } = deps;
  const claimed = await deps.runInTurn(async () => {
    const [claim, at, startedAt] = [claims.create(), clock.now(), clock.monotonic()];
    const expiredClaim = lastClaim && claims.isFree(lastClaim) ? lastClaim : null;
    const delivery = await claims.whileUnused(claim, () => deliveries.claim(id, claim, expiredClaim));
    return delivery && { delivery, token: claim.token, at, elapsedMs: () => clock.monotonic() - startedAt };
  });
  if (!claimed) return { outcome: { kind: 'lost' }, isResumed: false };
  const { claim: former } = claimed.delivery;
  const isResumed = former !== null && !claims.isUnused(former);
  return { outcome: await attemptClaimed(deps, claimed, signal, turn), isResumed };
}

const BUSY: SendOutcome = Object.freeze({ kind: 'busy' });

async function attemptClaimed(
  deps: AttemptDeps, claimed: ClaimedDelivery, signal: AbortSignal, turn: AttemptTurn,
): Promise<AttemptOutcome> {
  const { deliveries, destinations, incidents, claims, clock, random } = deps;
  const { delivery, token, at: startedAt } = claimed;
  const { _id: id, recipient, channel, incident_id } = delivery;
  const [destination, obstacle] = await claims.whileUnused(claimed, async () => {
    const found = await destinations.findById(delivery.destination_id);
    return [found, await obstacleTo(deps.suppressions, delivery, found, startedAt)] as const;
  });
  if (destination === null || obstacle !== null) {
    const { reason = 'the integration was deleted', isFailure = false } = obstacle ?? {};
    await deliveries.settle(id, token, abandoned(delivery, reason, clock.now()));
    const failure: CountedOutcome = { kind: 'dead', reason, status: null, durationMs: null };
    if (destination !== null && isFailure) await recordHealth(deps, destination, recipient, failure);
    return { kind: 'dropped' };
  }
  const incident = incidentReader(deps, claimed);
  if (await endIfObsolete(deps, claimed, incident)) return { kind: 'dropped' };
  if (delivery.cause) await turn.before;
  const placed = delivery.cause ? await deps.placement.place(claimed, destination) : null;
  turn.onGrouped();
  if (placed !== null) return placed;
  const digestDueAt = await moveToDigest(deps, claimed);
  if (digestDueAt !== null) return { kind: 'again', readyAt: digestDueAt };
  const { digest_id, digest_at = 0 } = delivery;
  if (digest_id !== undefined) return attemptDigest(deps, claimed, { digest_id, digest_at }, signal);
  const context = { attemptId: newId(clock.now()), deliveryId: id, recipient, signal };
  const alert = alertFor(deps.sending, withDiagnosis(delivery, await incident()));
  const isTooLate = signal.aborted || claimed.elapsedMs() > MAX_SEND_DELAY_MS;
  const outcome = isTooLate ? BUSY : await sendAlert(deps.sending, destination, alert, context);
  if (outcome.kind === 'busy' || (signal.aborted && outcome.kind === 'retry')) {
    await claims.whileUnused(claimed, () => deliveries.release(id, token));
    return { kind: 'again' };
  }
  if (outcome.kind === 'deferred') {
    const deferral = afterDeferral(delivery, outcome.reason, { now: clock.now(), random: random() });
    await deliveries.settle(id, token, deferral);
    return { kind: 'again', readyAt: deferral.next_attempt_at };
  }
  const update = {
    // The log shows the latest URL of a webhook, which may have changed since the first attempt.
    recipient: hasRecipients(channel) ? recipient : (recipientsOf(destination)[0] ?? recipient),
    ...afterAttempt(delivery, outcome, { startedAt, now: clock.now(), random: random() }),
  };
  const isClaimHeld = await retryWhileClaimed(clock, claimed, signal, async () => {
    // Before settling: a crash in between repeats both writes, while the other order could lose this one.
    if (outcome.kind === 'sent' && incident_id !== null) await incidents.markNotified(incident_id, channel);
    if (outcome.kind === 'sent') await scheduleReminder(deps, destination, delivery);
    return deliveries.settle(id, token, update);
  });
  await recordHealth(deps, destination, recipient, outcome);
  if (!isClaimHeld) return { kind: 'lost' };
  if (outcome.kind === 'sent') return { kind: 'sent', durationMs: outcome.durationMs };
  const { next_attempt_at: readyAt } = update;
  return readyAt === null ? { kind: 'failed' } : { kind: 'retry', readyAt };
}
