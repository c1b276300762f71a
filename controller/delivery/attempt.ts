import { newId, newSecret } from '../../shared/ids.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { DeliveryDoc, Verdict } from './delivery.ts';
import type { NotedFailure, NotifiedIncidents, ReachedRecipient, SendContext, Senders, Target, TargetReader } from './ports.ts';
import type { TryEnd } from './queue-rules.ts';
import { recipientsOf } from './recipient-rules.ts';
import { sendBy } from './send-by.ts';
import { abandoned, afterAttempt, LONGEST_WAIT_MS, type AttemptOutcome } from './retry-rules.ts';

export interface AttemptDeps {
  /** Runs the beginning of a try when its turn at the database has come; its time counts from then on. */
  begin<T>(work: () => Promise<T>): Promise<T>;
  deliveries: {
    /** The delivery as it was before the claim; null when it is not to be had. */
    claim(id: string, claim: { token: string; until: number }, now: number): Promise<DeliveryDoc | null>;
    settle(id: string, token: string, outcome: AttemptOutcome): Promise<boolean>;
    release(id: string, token: string): Promise<void>;
  };
  health: {
    noteFailure(id: string, failure: NotedFailure, now: number): Promise<boolean>;
    noteReached(id: string, reached: ReachedRecipient, now: number): Promise<void>;
  };
  targets: TargetReader;
  incidents: NotifiedIncidents;
  senders: Senders;
  clock: Clock;
  /** In [0, 1). */
  random(): number;
  /** A destination has begun to fail. */
  onFailing(target: Target, reason: string): void;
}

/** How a try ended, and whether an earlier one was never reported: then the receiver may get the same alert twice. */
export interface Tried {
  end: TryEnd;
  isResumed: boolean;
}

/** Nobody else touches a claimed delivery for so long: the time to answer, the time before sending, and room for clocks that differ. */
export const CLAIM_MS = 30_000;
/** A try that was held up for longer than this between its claim and its sending does not send: its claim could run out under way. */
const SEND_WITHIN_MS = 8000;
/** What came of a try is written again and again, if it has to be, until so long after the claim: then it can still be sure to be ours. */
const WRITE_WITHIN_MS = CLAIM_MS - 8000;
const WRITE_AGAIN_MS = 500;

/**
 * One try of one delivery: claim, look at the destination as it is now, send, write down. A crash after sending leaves
 * the claim, and the delivery is sent again when it has run out.
 */
export async function attemptDelivery(deps: AttemptDeps, id: string, signal: AbortSignal): Promise<Tried> {
  const { delivery, claimed } = await deps.begin(() => claim(deps, id));
  if (!delivery) return { end: { kind: 'lost' }, isResumed: false };
  return { end: await tryClaimed(deps, delivery, claimed, signal), isResumed: delivery.claim !== null };
}

interface Claimed {
  token: string;
  /** Unix ms. */
  at: number;
  monotonic: number;
}

async function claim({ deliveries, clock }: AttemptDeps, id: string): Promise<{ delivery: DeliveryDoc | null; claimed: Claimed }> {
  const claimed = { token: newSecret(), at: clock.now(), monotonic: clock.monotonic() };
  return { delivery: await deliveries.claim(id, { token: claimed.token, until: claimed.at + CLAIM_MS }, claimed.at), claimed };
}

async function tryClaimed(deps: AttemptDeps, delivery: DeliveryDoc, claimed: Claimed, signal: AbortSignal): Promise<TryEnd> {
  const { deliveries, targets, clock } = deps;
  const { token, at: startedAt } = claimed;
  const { _id: id } = delivery;
  const target = await targets.current(delivery.destination_id);
  const obstacle = obstacleOf(delivery, target, startedAt);
  if (target === null || obstacle !== null) {
    await deliveries.settle(id, token, abandoned(delivery, obstacle ?? 'the integration was deleted', clock.now()));
    return { kind: 'dropped' };
  }
  const isHeldUp = () => clock.monotonic() - claimed.monotonic > SEND_WITHIN_MS || signal.aborted;
  const verdict: Verdict = isHeldUp() ? { kind: 'busy' } : await sendBy(deps.senders, target, delivery.alert, contextOf(delivery, newId(clock.now()), signal));
  if (verdict.kind === 'busy' || (signal.aborted && verdict.kind === 'retry')) {
    await deliveries.release(id, token);
    return { kind: 'again' };
  }
  const outcome = { ...afterAttempt(delivery, verdict, { startedAt, now: clock.now(), random: deps.random() }), ...sentTo(delivery, target) };
  const isOurs = await persistently(deps.clock, claimed, signal, async () => {
    // Before the delivery is settled: what is sent again after a crash is told again, what is settled is not.
    if (verdict.kind === 'sent' && delivery.incident_id !== null) await deps.incidents.markNotified(delivery.incident_id, delivery.channel);
    return deliveries.settle(id, token, outcome);
  });
  await noteHealth(deps, target, delivery.recipient, verdict);
  if (!isOurs) return { kind: 'lost' };
  if (verdict.kind === 'sent') return { kind: 'sent', durationMs: verdict.durationMs };
  return outcome.next_attempt_at === null ? { kind: 'failed' } : { kind: 'retry', readyAt: outcome.next_attempt_at };
}

/** A database that is away for a moment after the sending must not make the receiver get it twice. Rejects when the time is up or we stop. */
async function persistently<T>(clock: Clock, claimed: Claimed, signal: AbortSignal, write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || clock.monotonic() - claimed.monotonic > WRITE_WITHIN_MS) throw error;
      await sleep(clock, WRITE_AGAIN_MS);
    }
  }
}

/** Since the first try the address of a webhook may have become another one: the log names the one of the latest try. */
function sentTo(delivery: DeliveryDoc, target: Target): Pick<DeliveryDoc, 'recipient'> {
  return { recipient: target.type === 'email' ? delivery.recipient : (recipientsOf(target)[0] ?? delivery.recipient) };
}

function contextOf({ _id, recipient }: DeliveryDoc, attemptId: string, signal: AbortSignal): SendContext {
  return { attemptId, deliveryId: _id, recipient, signal };
}

function obstacleOf(delivery: DeliveryDoc, target: Target | null, now: number): string | null {
  if (target === null) return 'the integration was deleted';
  if (!target.enabled) return 'the integration was disabled';
  if (target.type !== delivery.channel) return 'the integration is of another type now';
  if (target.type === 'email' && !target.config.to.includes(delivery.recipient)) return 'the address was removed from the integration';
  if (now - delivery.created_at > LONGEST_WAIT_MS) return delivery.error_message ?? 'it could not be sent within 24 hours';
  return null;
}

/** Of one recipient among several, by its name: that the others get their mail does not make it well. */
async function noteHealth({ health, clock, onFailing }: AttemptDeps, target: Target, recipient: string, verdict: Exclude<Verdict, { kind: 'busy' }>): Promise<void> {
  const others = target.type === 'email' ? target.config.to.filter((one) => one !== recipient) : null;
  if (verdict.kind === 'sent') return others === null ? undefined : health.noteReached(target.id, { recipient, others }, clock.now());
  const isOneOfSeveral = others !== null && others.length > 0;
  const isFirst = await health.noteFailure(target.id, { reason: verdict.reason, recipient: isOneOfSeveral ? recipient : null }, clock.now());
  if (isFirst) onFailing(target, verdict.reason);
}
