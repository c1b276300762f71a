import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../shared/errors.ts';
import { shardOf } from '../../../shared/ids.ts';
import type { RequestContext } from '../../http/route.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../store.ts';
import { leaveDeleted } from './change-many.ts';

/** Of several writers at once all but one find another revision; each try then starts from what the winner wrote. */
const MOST_TRIES = 10;

/** The living monitor. Throws MONITOR_NOT_FOUND, the same for one of another tenant. */
export async function loadMonitor(deps: MonitorWriteDeps, ctx: RequestContext, id: string): Promise<MonitorDoc> {
  const doc = await deps.monitors.find(ctx.tenant, id);
  if (doc === null) throw new AppError('MONITOR_NOT_FOUND', 'Monitor not found');
  return doc;
}

/**
 * Writes what `plan` makes of the monitor, again if it changed meanwhile. A plan that changes nothing writes nothing.
 * Throws MONITOR_NOT_FOUND, CONFLICT when it never gets through, and what `plan` throws.
 */
export async function changeMonitor(
  deps: MonitorWriteDeps, ctx: RequestContext, id: string, plan: (seen: MonitorDoc) => MonitorChange | Promise<MonitorChange>,
): Promise<MonitorDoc> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = await loadMonitor(deps, ctx, id);
    const change = await plan(seen);
    if (isDeepStrictEqual({ ...seen, ...change }, seen)) return seen;
    const changed = await deps.monitors.change(seen, { ...change, updated_at: ctx.now });
    if (changed === null) continue;
    deps.poke(shardOf(id));
    if (changed.group_id !== seen.group_id) await leaveDeleted(deps, ctx, [changed.group_id]);
    return changed;
  }
  throw new AppError('CONFLICT', 'The monitor is being changed by other requests');
}
