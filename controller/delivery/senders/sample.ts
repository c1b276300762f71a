import { newId } from '../../../shared/ids.ts';
import type { AlertDetails } from '../../destinations/channels/alert.ts';
import { hasRecipients } from '../../destinations/channels/registry.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import type { SampleOutcome } from '../../destinations/ports.ts';
import type { SendOutcome } from '../delivery.ts';
import { recipientsOf, STOPPED } from '../delivery-rules.ts';
import { sendAlert, type SendDeps } from './send-alert.ts';

/**
 * Sends a sample alert to every recipient except those in `stopped`, with one attempt each and no log entry.
 */
export async function sendSample(
  deps: SendDeps, destination: DestinationDoc, stopped: string[],
): Promise<SampleOutcome> {
  const now = deps.clock.now();
  const alert = sampleAlert(destination, now);
  const suppressed: SendOutcome = { kind: 'dead', reason: STOPPED, status: null, durationMs: null };
  const { signal } = new AbortController();
  const results = await Promise.all(recipientsOf(destination).map(async (recipient) => {
    if (stopped.includes(recipient)) return { recipient, outcome: suppressed };
    const context = { attemptId: newId(now), deliveryId: newId(now), recipient, signal, isTest: true };
    const outcome = await sendAlert(deps, destination, alert, context);
    return { recipient, outcome };
  }));
  return outcomeOf(results, hasRecipients(destination.type));
}

/** Delivered only if all recipients were reached. `isNamed` adds the recipient to each error. */
function outcomeOf(results: { recipient: string; outcome: SendOutcome }[], isNamed: boolean): SampleOutcome {
  const problems = results.flatMap(({ recipient, outcome }) => {
    if (outcome.kind === 'sent') return [];
    const problem = outcome.kind === 'busy' ? 'too many test alerts are being sent; try again' : outcome.reason;
    return [isNamed ? `${recipient}: ${problem}` : problem];
  });
  const attempted = results.flatMap(({ outcome }) => (outcome.kind === 'busy' ? [] : [outcome]));
  const durations = attempted.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    delivered: problems.length === 0,
    status_code: attempted[0]?.status ?? null,
    error_message: problems.length === 0 ? null : problems.join('; '),
    duration_ms: durations.length === 0 ? null : Math.round(Math.max(...durations)),
  };
}

function sampleAlert(destination: DestinationDoc, now: number): AlertDetails {
  const id = '00000000-0000-4000-8000-000000000000';
  return {
    id: newId(now), event: destination.events[0] ?? 'monitor.down',
    monitor: { id, name: 'Test notification', target: 'https://example.com/', type: 'HTTP' },
    incident: null, regions: [], last_success: null, at: now,
    error: { type: 'status_code', message: 'This is a test; nothing is wrong' },
  };
}
