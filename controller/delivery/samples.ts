import { newId } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import type { SampleOutcome } from '../destinations/ports.ts';
import type { AlertSnapshot } from './delivery.ts';
import type { Senders } from './ports.ts';
import { toTarget } from './targets.ts';

/** Sends a made-up alert at once, with one try and no entry in a log. */
export async function sendSample(deps: { senders: Senders; clock: Clock }, destination: DestinationDoc): Promise<SampleOutcome> {
  const { senders, clock } = deps;
  const now = clock.now();
  const sender = senders[destination.type];
  const context = { attemptId: newId(now), signal: new AbortController().signal };
  const verdict = (await sender?.send(toTarget(destination), sampleAlert(destination, now), context)) ?? { kind: 'busy' as const };
  if (verdict.kind === 'busy') return { delivered: false, status_code: null, error_message: 'too much is being sent now; try again', duration_ms: null };
  const duration_ms = verdict.durationMs === null ? null : Math.round(verdict.durationMs);
  const error_message = verdict.kind === 'sent' ? null : verdict.reason;
  return { delivered: verdict.kind === 'sent', status_code: verdict.status, error_message, duration_ms };
}

function sampleAlert(destination: DestinationDoc, now: number): AlertSnapshot {
  return {
    id: newId(now),
    event: destination.events[0] ?? 'monitor.down',
    monitor: { id: '00000000-0000-4000-8000-000000000000', name: 'Test notification', target: 'https://example.com/', type: 'HTTP' },
    incident: null,
    error: { type: 'status_code', message: 'This is a test: nothing happened' },
    regions: [],
    at: now,
  };
}
