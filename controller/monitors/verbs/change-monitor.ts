import { isDeepStrictEqual } from 'node:util';
import type { ProjectContext } from '../../http/routing/route.ts';
import { retryOnConflict } from '../../platform/mongo/mongo-errors.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../monitor-change.ts';
import { leaveDeletedGroups } from './change-many.ts';
import { loadMonitor } from './read-monitors.ts';

/**
 * Writes what `plan` returns, and plans again if the monitor changed meanwhile. Throws MONITOR_NOT_FOUND,
 * CONFLICT if concurrent changes keep winning, and the errors of `plan`.
 */
export function changeMonitor(
  deps: MonitorWriteDeps, ctx: ProjectContext, id: string,
  plan: (seen: MonitorDoc) => MonitorChange | Promise<MonitorChange>,
): Promise<MonitorDoc> {
  return retryOnConflict('The monitor is', async () => {
    const seen = await loadMonitor(deps, ctx, id);
    const change = await plan(seen);
    if (isDeepStrictEqual({ ...seen, ...change }, seen)) return seen;
    const changed = await deps.monitors.change(seen, { ...change, updated_at: ctx.now });
    if (changed === null) return null;
    deps.notifyOwners([id]);
    if (changed.group_id !== seen.group_id) await leaveDeletedGroups(deps, ctx, [changed.group_id]);
    return changed;
  });
}
