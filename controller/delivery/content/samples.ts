import { newId } from '../../../shared/ids.ts';
import type { Clock } from '../../../shared/time.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import type { SampleOutcome } from '../../destinations/ports.ts';
import type { AlertSnapshot, Verdict } from '../delivery.ts';
import type { Senders } from '../ports.ts';
import { recipientsOf } from '../recipient-rules.ts';
import { sendBy } from '../send-by.ts';
import { toTarget } from '../targets.ts';

/** Sends a made-up alert at once to every recipient, with one try and no entry in a log. */
export async function sendSample(deps: { senders: Senders; clock: Clock }, destination: DestinationDoc): Promise<SampleOutcome> {
  const { senders, clock } = deps;
  const now = clock.now();
  const target = toTarget(destination);
  const alert = sampleAlert(destination, now);
  const { signal } = new AbortController();
  const tries = recipientsOf(target).map(async (recipient) => {
    const verdict = await sendBy(senders, target, alert, { attemptId: newId(now), deliveryId: alert.id, recipient, signal });
    return { recipient, verdict };
  });
  return outcomeOf(await Promise.all(tries), destination.type === 'email');
}

/** Delivered when all have it. Where there are several, the message names those who have not. */
function outcomeOf(tried: { recipient: string; verdict: Verdict }[], isNamed: boolean): SampleOutcome {
  const verdicts = tried.map(({ verdict }) => verdict);
  const problems = tried.flatMap(({ recipient, verdict }) => {
    const problem = problemOf(verdict);
    return problem === null ? [] : [isNamed ? `${recipient}: ${problem}` : problem];
  });
  const slowest = Math.max(-1, ...verdicts.map((verdict) => (verdict.kind === 'busy' ? -1 : (verdict.durationMs ?? -1))));
  const first = verdicts[0];
  return {
    delivered: problems.length === 0,
    status_code: first === undefined || first.kind === 'busy' ? null : first.status,
    error_message: problems.length === 0 ? null : problems.join('; '),
    duration_ms: slowest < 0 ? null : Math.round(slowest),
  };
}

function problemOf(verdict: Verdict): string | null {
  if (verdict.kind === 'busy') return 'too much is being sent now; try again';
  return verdict.kind === 'sent' ? null : verdict.reason;
}

function sampleAlert(destination: DestinationDoc, now: number): AlertSnapshot {
  return {
    id: newId(now),
    event: destination.events[0] ?? 'monitor.down',
    monitor: { id: '00000000-0000-4000-8000-000000000000', name: 'Test notification', target: 'https://example.com/', type: 'HTTP' },
    incident: null,
    error: { type: 'status_code', message: 'This is a test: nothing happened' },
    regions: [],
    last_success: null,
    at: now,
  };
}
