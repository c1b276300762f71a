import type { JournaledPing } from '../../verdicts/monitor-state.ts';

/** A ping as its collection has it. `revision` is the monitor's when it was received. */
export type ReceivedPing = Omit<JournaledPing, 'run_ms'> & { revision: number };

/**
 * The pings in the order of their receipt, each end of a job with the time since its start. `startedAt` tells when a
 * monitor's job was started that has not ended (Unix ms), null when none was.
 */
export function withRunTimes(pings: readonly ReceivedPing[], startedAt: (monitorId: string) => number | null): JournaledPing[] {
  const started = new Map<string, number | null>();
  return [...pings].sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1)).map(({ revision: _revision, ...ping }) => {
    const since = started.get(ping.monitor_id) ?? (started.has(ping.monitor_id) ? null : startedAt(ping.monitor_id));
    started.set(ping.monitor_id, ping.kind === 'start' ? ping.at : null);
    const isEnd = ping.kind !== 'start' && since !== null && since <= ping.at;
    return { ...ping, run_ms: isEnd ? ping.at - since : null };
  });
}
