import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import type { ManualEnd } from '../shards/shard-message.ts';
import type { Shards } from '../shards/shards.ts';

const POLL_INTERVAL_MS = 1000;
/** Interval without manual ends. Writers announce them, unless they crash or the bus is unavailable. */
const IDLE_POLL_INTERVAL_MS = 5000;
const BATCH_SIZE = 500;

/** Incidents resolved or closed by a person, marked until the journal has that. */
export interface ManualEndSource {
  /** The marked incidents of monitors in these shards. */
  unjournaledEnds(shards: number[], limit: number): Promise<(ManualEnd & { shard: number })[]>;
  clearUnjournaled(incidentIds: string[]): Promise<void>;
}

export interface ManualEndFeedDeps {
  clock: Clock;
  log: Log;
  peers: Peers;
  shards: Pick<Shards, 'get' | 'loaded'>;
  source: ManualEndSource;
}

/**
 * Journals manual incident changes, then clears their marks. After a crash the mark remains, and the journal
 * ignores the repetition.
 */
export function manualEndFeed(deps: ManualEndFeedDeps): PeriodicTask {
  return new PeriodicTask({
    clock: deps.clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_POLL_INTERVAL_MS, peers: deps.peers,
    task: () => takeManualEnds(deps),
    onError: (error) => deps.log.warn({ err: error }, 'could not write resolved incidents to the journal'),
  });
}

async function takeManualEnds({ shards, source }: ManualEndFeedDeps): Promise<boolean | 'idle'> {
  const running = shards.loaded;
  if (running.length === 0) return 'idle';
  const marked = await source.unjournaledEnds(running, BATCH_SIZE);
  if (marked.length === 0) return 'idle';
  const endsIn = (shard: number) => marked.filter((end) => end.shard === shard);
  const noted = running.map((shard) => noteManualEnds(shards, shard, endsIn(shard)));
  const journaled = (await Promise.all(noted)).flat();
  await source.clearUnjournaled(journaled);
  return marked.length === BATCH_SIZE && journaled.length > 0;
}

/** Sends them to their shard. Returns the settled incidents; none if the shard is not local. */
async function noteManualEnds(
  shards: Pick<Shards, 'get'>, shard: number, ends: ManualEnd[],
): Promise<string[]> {
  if (ends.length === 0) return [];
  const response = shards.get(shard)?.ask<string[]>((respond) => ({ kind: 'manualEnds', ends, respond }));
  return response?.catch(() => []) ?? [];
}
