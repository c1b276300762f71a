import { newId } from '../../shared/ids.ts';
import { notFound } from '../errors/app-error.ts';
import type { PublicContext } from '../http/routing/route.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { JournaledPing } from '../verdicts/monitor-state.ts';
import type { PingStore } from './store.ts';

export interface HeartbeatDeps {
  monitors: {
    /** Searches all tenants. Null if the monitor does not exist or is deleted. */
    findByHeartbeatToken(token: string): Promise<Pick<MonitorDoc, '_id' | 'status' | 'revision'> | null>;
  };
  pings: Pick<PingStore, 'insert'>;
  shardOf(monitorId: string): number;
  /** Asks the shard's owner to journal the ping. The message may get lost, since owners also poll. */
  notifyOwner(monitorId: string): void;
  /** Reports a lost ping, so that silence until now does not count against heartbeats of its shard. */
  onPingLost(monitorId: string): void;
}

export type PingSignal = Pick<JournaledPing, 'kind' | 'exit_code'>;

/** Throws RESOURCE_NOT_FOUND for an unknown token. */
export async function findHeartbeat({ monitors }: Pick<HeartbeatDeps, 'monitors'>, token: string) {
  const monitor = await monitors.findByHeartbeatToken(token);
  if (monitor === null) throw notFound('Heartbeat');
  return monitor;
}

/** Ignores pings for monitors that are not active. Throws RESOURCE_NOT_FOUND for an unknown token. */
export async function receivePing(
  deps: HeartbeatDeps, { now }: PublicContext, token: string, signal: PingSignal,
): Promise<void> {
  const monitor = await findHeartbeat(deps, token);
  if (monitor.status !== 'active') return;
  const { _id: monitor_id, revision } = monitor;
  const shard = deps.shardOf(monitor_id);
  try {
    await deps.pings.insert({ id: newId(now), shard, monitor_id, revision, at: now, ...signal });
  } catch (error) {
    deps.onPingLost(monitor_id);
    throw error;
  }
  deps.notifyOwner(monitor_id);
}
