import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Shards } from '../shards/shards.ts';
import type { MonitorConfig } from '../../verdicts/monitor-config.ts';
import type { Peers } from '../../work/peers.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';

const POLL_INTERVAL_MS = 1000;
/** Interval without changes. Writers announce changes, unless they crash or the bus is unavailable. */
const IDLE_POLL_INTERVAL_MS = 5000;
/** Changed monitors per poll. */
const BATCH_SIZE = 500;

/** A monitor with an unjournaled change. `monitor` is the input of placement. */
export interface MarkedMonitor<M> {
  shard: number;
  config: MonitorConfig;
  monitor: M;
}

export interface ChangeFeedDeps<M> {
  clock: Clock;
  log: Log;
  peers: Peers;
  shards: Pick<Shards, 'get' | 'loaded'>;
  /** Marked monitors of these shards. */
  findMarked(shards: number[], limit: number): Promise<MarkedMonitor<M>[]>;
  /** Brings the stored assignments in line with these monitors. */
  place(monitors: M[]): Promise<void>;
  /** Removes the mark unless the revision has changed. */
  clear(marks: { monitor_id: string; revision: number }[]): Promise<void>;
}

/**
 * Journals monitor changes and then sends them to the probes: first journals, then places, then unmarks.
 * After a crash, the mark is still there.
 */
export function changeFeed<M>(deps: ChangeFeedDeps<M>): PeriodicTask {
  return new PeriodicTask({
    clock: deps.clock, intervalMs: POLL_INTERVAL_MS, idleIntervalMs: IDLE_POLL_INTERVAL_MS, peers: deps.peers,
    task: () => takeChanges(deps),
    onError: (error) => deps.log.warn({ err: error }, 'could not process changed monitors'),
  });
}

async function takeChanges<M>(
  { shards, findMarked, place, clear }: ChangeFeedDeps<M>,
): Promise<boolean | 'idle'> {
  const running = shards.loaded;
  if (running.length === 0) return 'idle';
  const marked = await findMarked(running, BATCH_SIZE);
  if (marked.length === 0) return 'idle';
  const noted = running.map((shard) => noteChanges(shards, shard, marked));
  const journaled = new Set((await Promise.all(noted)).flat());
  const settled = marked.filter(({ config }) => journaled.has(config.monitor_id));
  if (settled.length === 0) return false;
  await place(settled.map(({ monitor }) => monitor));
  await clear(settled.map(({ config }) => ({ monitor_id: config.monitor_id, revision: config.revision })));
  return marked.length === BATCH_SIZE;
}

/** Sends changes to their shard. Returns the journaled ids; none if the shard is not local. */
async function noteChanges(
  shards: Pick<Shards, 'get'>, shard: number, marked: MarkedMonitor<unknown>[],
): Promise<string[]> {
  const configs = marked.flatMap((one) => (one.shard === shard ? [one.config] : []));
  if (configs.length === 0) return [];
  const response = shards.get(shard)?.ask<string[]>((respond) => ({ kind: 'configs', configs, respond }));
  return response?.catch(() => []) ?? [];
}
