import { isDeepStrictEqual } from 'node:util';
import type { ProjectContext } from '../../http/routing/route.ts';
import { type AppError, valueTaken } from '../../errors/app-error.ts';
import { isDuplicateKey, retryOnConflict } from '../../platform/mongo/mongo-errors.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../monitor-change.ts';
import { leaveDeletedGroups } from './change-many.ts';
import { loadMonitor } from './read-monitors.ts';

/**
 * Writes what `plan` returns, and plans again if the monitor changed meanwhile. Throws MONITOR_NOT_FOUND,
 * CONFLICT if concurrent changes keep winning, SLUG_ALREADY_TAKEN, and the errors of `plan`.
 */
export function changeMonitor(
  deps: MonitorWriteDeps, ctx: ProjectContext, id: string,
  plan: (seen: MonitorDoc) => MonitorChange | Promise<MonitorChange>,
): Promise<MonitorDoc> {
  return retryOnConflict('The monitor is', async () => {
    const seen = await loadMonitor(deps, ctx, id);
    const change = await plan(seen);
    if (isDeepStrictEqual({ ...seen, ...change }, seen)) return seen;
    const write = deps.monitors.change(seen, { ...change, updated_at: ctx.now });
    const changed = await write.catch((error: unknown) => {
      throw isDuplicateKey(error) ? slugTaken() : error;
    });
    if (changed === null) return null;
    deps.notifyOwners([id]);
    if (changed.group_id !== seen.group_id) await leaveDeletedGroups(deps, ctx, [changed.group_id]);
    return changed;
  });
}

export function slugTaken(): AppError {
  return valueTaken('SLUG_ALREADY_TAKEN', 'slug', 'Another heartbeat monitor of the project has this slug');
}
