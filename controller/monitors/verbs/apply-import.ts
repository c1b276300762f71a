import { newId, shardOf } from '../../../shared/ids.ts';
import type { RequestContext } from '../../http/route.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import { settable } from '../settable.ts';
import { leaveDeleted } from './change-many.ts';
import { changeMonitor } from './change-monitor.ts';
import type { PlannedMonitor } from './plan-import.ts';
import { authorOf, reserveMonitors } from './write-monitor.ts';

const WRITTEN_AT_ONCE = 20;

/**
 * Carries a plan out; `groupIds` are by name. The id of each monitor, in the order of the plan. Throws MONITOR_LIMIT_REACHED before
 * anything is written. What a crash cuts short is completed by importing again.
 */
export async function applyImport(
  deps: MonitorWriteDeps, ctx: RequestContext, planned: PlannedMonitor[], groupIds: ReadonlyMap<string, string>,
): Promise<string[]> {
  const fresh = planned.filter(({ current }) => current === null).length;
  if (fresh > 0) await reserveMonitors(deps, ctx.tenant.organizationId, fresh);
  const ids: string[] = [];
  for (let at = 0; at < planned.length; at += WRITTEN_AT_ONCE) {
    const part = planned.slice(at, at + WRITTEN_AT_ONCE);
    ids.push(...(await Promise.all(part.map((plan, offset) => applyOne(deps, ctx, plan, at + offset, groupIds)))));
  }
  for (const shard of new Set(ids.map(shardOf))) deps.poke(shard);
  await leaveDeleted(deps, ctx, planned.map((plan) => groupIdOf(plan, plan.settings.group_id, groupIds)));
  return ids;
}

async function applyOne(deps: MonitorWriteDeps, ctx: RequestContext, plan: PlannedMonitor, at: number, groupIds: ReadonlyMap<string, string>): Promise<string> {
  const { input, current, status } = plan;
  if (current === null) {
    // Later ids for later items, so that a list by creation has them in the document's order.
    const id = newId(ctx.now + at);
    const { organizationId, projectId } = ctx.tenant;
    await deps.monitors.insert({
      _id: id, organization_id: organizationId, project_id: projectId, created_by: authorOf(ctx), type: input.type, ...plan.settings,
      group_id: groupIdOf(plan, plan.settings.group_id, groupIds), status: status ?? 'active', deleted_at: null, created_at: ctx.now, updated_at: ctx.now,
    });
    return id;
  }
  if (plan.changes.length > 0) {
    await changeMonitor(deps, ctx, current._id, (seen) => {
      const settings = settable(input, seen, input, deps.minIntervalSeconds);
      return { ...settings, group_id: groupIdOf(plan, settings.group_id, groupIds), status: status ?? seen.status };
    });
  }
  return current._id;
}

/** The document's word on it, else what the monitor has. */
function groupIdOf({ group }: PlannedMonitor, own: string | null | undefined, groupIds: ReadonlyMap<string, string>): string | null {
  return group === undefined ? (own ?? null) : (groupIds.get(group ?? '') ?? null);
}
