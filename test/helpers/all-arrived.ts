import type { ApiSession } from './api-session.ts';
import { until } from './until.ts';

export interface IdleProbe {
  spool_depth: number;
  monitors: number;
  last_beat_at: string;
}

/**
 * Waits until every probe reports, from now on, that it has nothing to check or send. Earlier beats do not
 * count: a controller that has just started has heard none.
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
