import { isDeepStrictEqual } from 'node:util';
import { shardOf } from '../../../shared/ids.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import { CONTENDED } from '../rules.ts';
import type { MonitorChange } from '../store.ts';
import { leaveDeletedGroups } from './change-many.ts';
import { loadMonitor } from './read-monitors.ts';

/** Attempts before a contended update gives up. */
const MAX_ATTEMPTS = 10;

/**
 * Writes what `plan` returns, and plans again if the monitor changed meanwhile. Throws MONITOR_NOT_FOUND,
 * CONFLICT if concurrent changes keep winning, and the errors of `plan`.
 */
export async function changeMonitor(
  deps: MonitorWriteDeps, ctx: ProjectContext, id: string,
  plan: (seen: MonitorDoc) => MonitorChange | Promise<MonitorChange>,
): Promise<MonitorDoc> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const seen = await loadMonitor(deps, ctx, id);
    const change = await plan(seen);
    if (isDeepStrictEqual({ ...seen, ...change }, seen)) return seen;
    const changed = await deps.monitors.change(seen, { ...change, updated_at: ctx.now });
    if (changed === null) continue;
    deps.notifyOwner(shardOf(id));
    if (changed.group_id !== seen.group_id) await leaveDeletedGroups(deps, ctx, [changed.group_id]);
    return changed;
  }
  throw new AppError('CONFLICT', CONTENDED);
}
