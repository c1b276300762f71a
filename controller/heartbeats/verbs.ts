import { notFound } from '../../shared/errors.ts';
import { newId, shardOf } from '../../shared/ids.ts';
import type { PublicContext } from '../http/routing/route.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { JournaledPing } from '../verdicts/monitor-state.ts';
import type { PingStore } from './store.ts';

export interface HeartbeatDeps {
  monitors: {
    /** The living monitor of any tenant that the token belongs to. */
    findByHeartbeatToken(token: string): Promise<Pick<MonitorDoc, '_id' | 'status' | 'revision'> | null>;
  };
  pings: Pick<PingStore, 'insert'>;
  /** Asks the shard's owner to look now; a lost poke does no harm, because the owner also looks by itself. */
  notifyOwner(shard: number): void;
  /** Reports that a ping may be lost, so silence until now proves nothing about this shard's heartbeats. */
  onPingLost(shard: number): void;
}

/** What a job reports. */
export type PingSignal = Pick<JournaledPing, 'kind' | 'exit_code'>;

/**
 * Stores a ping durably; one for a monitor that is not active is silently dropped.
 * Throws RESOURCE_NOT_FOUND for a token that no living monitor has.
 */
export async function receivePing(
  deps: HeartbeatDeps, { now }: PublicContext, token: string, signal: PingSignal,
): Promise<void> {
  const monitor = await deps.monitors.findByHeartbeatToken(token);
  if (monitor === null) throw notFound('Heartbeat');
  if (monitor.status !== 'active') return;
  const { _id: monitor_id, revision } = monitor;
  const shard = shardOf(monitor_id);
  try {
    await deps.pings.insert({ id: newId(now), shard, monitor_id, revision, at: now, ...signal });
  } catch (error) {
    deps.onPingLost(shard);
    throw error;
  }
  deps.notifyOwner(shard);
}
