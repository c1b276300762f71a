import { newId } from '../../../shared/ids.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import { settable, type Settable } from '../../monitors/settable.ts';
import { leaveDeletedGroups } from '../../monitors/verbs/change-many.ts';
import { changeMonitor } from '../../monitors/verbs/change-monitor.ts';
import { newMonitor, reserveMonitors } from '../../monitors/verbs/write-monitor.ts';
import { withToken } from './heartbeat-tokens.ts';
import type { PlannedMonitor } from './plan-monitors.ts';

/** Monitors written concurrently. */
const BATCH_SIZE = 20;

/**
 * Writes the planned monitors and returns their ids in the same order. `groupIds` are by name. Throws
 * MONITOR_LIMIT_REACHED before it writes anything. After a crash, a second import completes the rest.
 */
export async function applyMonitors(
  deps: MonitorWriteDeps, ctx: ProjectContext, planned: PlannedMonitor[],
  groupIds: ReadonlyMap<string, string>,
): Promise<string[]> {
  const added = planned.filter(({ current }) => current === null).length;
  if (added > 0) await reserveMonitors(deps, ctx.tenant.organizationId, added);
  const inGroup = ({ item: { group } }: PlannedMonitor, settings: Settable): Settable =>
    group === undefined ? settings : { ...settings, group_id: groupIds.get(group ?? '') ?? null };
  const apply = async (plan: PlannedMonitor, at: number): Promise<string> => {
    const { item, current, settings, token, differences } = plan;
    if (current === null) {
      // Increasing ids keep the document's order in lists by creation time.
      const doc = newMonitor(ctx, newId(ctx.now + at), item.type, inGroup(plan, settings), item.status);
      return (await deps.monitors.insert(doc))._id;
    }
    if (differences.length > 0) {
      await changeMonitor(deps, ctx, current._id, (seen) => {
        const fresh = withToken(settable(item, seen, item, deps.minIntervalSeconds), token);
        return { ...inGroup(plan, fresh), status: item.status ?? seen.status };
      });
    }
    return current._id;
  };
  const ids: string[] = [];
  for (let at = 0; at < planned.length; at += BATCH_SIZE) {
    const page = planned.slice(at, at + BATCH_SIZE);
    ids.push(...(await Promise.all(page.map((plan, offset) => apply(plan, at + offset)))));
  }
  deps.notifyOwners(ids);
  await leaveDeletedGroups(deps, ctx, planned.map((plan) => inGroup(plan, plan.settings).group_id));
  return ids;
}
