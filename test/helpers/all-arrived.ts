import type { ApiSession } from './api-session.ts';
import { until } from './until.ts';

export interface IdleProbe {
  spool_depth: number;
  monitors: number;
  last_beat_at: string;
}

/**
 * Waits until every probe reports that it has nothing left to check or send. Only beats from now on count: a
 * controller that just started has received none.
 */
export function allArrived(session: ApiSession): Promise<IdleProbe[]> {
  const since = Date.now();
  return until(async () => {
    const { probes } = await session.ok<{ probes: IdleProbe[] }>('GET', '/api/probes');
    return probes.every(
      (probe) => Date.parse(probe.last_beat_at) > since && probe.spool_depth === 0 && probe.monitors === 0,
    ) && probes;
  }, { what: 'the spool is empty', everyMs: 250 });
}
