import type { ProjectContext } from '../../http/routing/route.ts';
import { writeWithoutCycle } from '../../monitors/dependencies/refuse-cycles.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import { settable, type Settable } from '../../monitors/settable.ts';
import { keepUsed, variablesFor } from '../../monitors/variable-texts.ts';
import { leaveDeletedGroups } from '../../monitors/verbs/change-many.ts';
import { changeMonitor } from '../../monitors/verbs/change-monitor.ts';
import { newMonitor, reserveMonitors } from '../../monitors/verbs/write-monitor.ts';
import { withoutSlug, withToken } from './heartbeat-tokens.ts';
import { newDependencies, type PlannedMonitor } from './plan-monitors.ts';

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
  const inGroup = ({ item: { group } }: PlannedMonitor, settings: Settable): Settable =>
    group === undefined ? settings : { ...settings, group_id: groupIds.get(group ?? '') ?? null };
  const variables = await variablesFor(deps, ctx, planned.map(({ settings }) => settings));
  const apply = async (plan: PlannedMonitor): Promise<void> => {
    const { id, item, current, settings, token, differences } = plan;
    if (current === null) {
      const inserted = newMonitor(ctx, id, item.type, inGroup(plan, settings), item.status);
      if ((await deps.monitors.insert(inserted)) === null) await deps.monitors.insert(withoutSlug(inserted));
    } else if (differences.length > 0) {
      await changeMonitor(deps, ctx, id, (seen) => {
        const fresh = withToken(settable(item, seen, item, deps.minIntervalSeconds, variables), token);
        return { ...inGroup(plan, fresh), status: item.status ?? seen.status };
      });
    }
  };
  await writeWithoutCycle(deps, ctx, newDependencies(planned), async () => {
    if (added > 0) await reserveMonitors(deps, ctx.tenant.organizationId, added);
    // First, because a new dependency may be the reverse of a former one.
    await inBatches(planned.filter(losesDependencies), ({ id, settings }) =>
      changeMonitor(deps, ctx, id, ({ depends_on }) => (
        { depends_on: depends_on.filter((one) => settings.depends_on.includes(one)) }
      )));
    await inBatches(planned, apply);
  });
  await keepUsed(deps, variables, planned.flatMap(({ settings }) => settings.variable_ids ?? []));
  const ids = planned.map(({ id }) => id);
  deps.notifyOwners(ids);
  await leaveDeletedGroups(deps, ctx, planned.map((plan) => inGroup(plan, plan.settings).group_id));
  return ids;
}

function losesDependencies({ current, settings }: PlannedMonitor): boolean {
  return current?.depends_on.some((id) => !settings.depends_on.includes(id)) ?? false;
}

async function inBatches<T>(all: T[], write: (one: T) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    await Promise.all(all.slice(at, at + BATCH_SIZE).map(write));
  }
}
