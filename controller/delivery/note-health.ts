import type { DestinationDoc } from '../destinations/destination.ts';
import type { AttemptDeps } from './attempt.ts';
import type { CountedVerdict } from './delivery.ts';

/** Several recipients count one by one: mail that reaches one says nothing about the others. */
export async function noteHealth(
  deps: Pick<AttemptDeps, 'health' | 'clock' | 'onFailing'>, destination: DestinationDoc, recipient: string,
  verdict: CountedVerdict,
): Promise<void> {
  const { health, clock, onFailing } = deps;
  const { _id: id, type, config } = destination;
  const others = type === 'email' ? config.to.filter((one) => one !== recipient) : null;
  if (verdict.kind === 'sent') {
    if (others !== null) await health.noteReached(id, { recipient, others }, clock.now());
    return;
  }
  const failed = { reason: verdict.reason, recipient: (others ?? []).length > 0 ? recipient : null };
  if (await health.noteFailure(id, failed, clock.now())) onFailing(destination, verdict.reason);
}
