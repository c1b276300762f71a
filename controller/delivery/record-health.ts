import type { DestinationDoc } from '../destinations/destination.ts';
import type { AttemptDeps } from './attempt.ts';
import type { CountedOutcome } from './delivery.ts';

/**
 * Tracks the recipients of an email destination separately, because a mail to one says nothing about the
 * others.
 */
export async function recordHealth(
  deps: Pick<AttemptDeps, 'health' | 'clock' | 'onFailing'>, destination: DestinationDoc, recipient: string,
  outcome: CountedOutcome,
): Promise<void> {
  const { health, clock, onFailing } = deps;
  const { _id: id, type, config } = destination;
  const others = type === 'email' ? config.to.filter((one) => one !== recipient) : null;
  if (outcome.kind === 'sent') {
    if (others !== null) await health.recordReached(id, { recipient, others }, clock.now());
    return;
  }
  const failed = { reason: outcome.reason, recipient: (others ?? []).length > 0 ? recipient : null };
  if (await health.recordFailure(id, failed, clock.now())) onFailing(destination, outcome.reason);
}
