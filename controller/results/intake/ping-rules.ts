import type { JournaledPing } from '../../verdicts/monitor-state.ts';

/** A ping as stored in its collection. `revision` is the monitor's at the time of receipt. */
export type ReceivedPing = Omit<JournaledPing, 'run_ms' | 'due_at'> & { revision: number };

/**
 * The pings in order of receipt, each end of a run with the time since its start. `startedAt` returns when a
 * monitor's run started (Unix ms), null without a start.
 */
export function withRunTimes(
  pings: readonly ReceivedPing[], startedAt: (monitorId: string, runId: string | null) => number | null,
): JournaledPing[] {
  const started = new Map<string, number | null>();
  const inOrder = [...pings].sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  return inOrder.map(({ revision: _revision, ...ping }) => {
    const { monitor_id: id, run_id: runId = null } = ping;
    const run = `${id} ${runId}`;
    const since = (started.has(run) ? started.get(run) : startedAt(id, runId)) ?? null;
    started.set(run, ping.kind === 'start' ? ping.at : null);
    const isEnd = ping.kind !== 'start' && since !== null && since <= ping.at;
    return { ...ping, run_ms: isEnd ? ping.at - since : null };
  });
}
