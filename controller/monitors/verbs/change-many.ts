import type { ProjectContext } from '../../http/routing/route.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../monitor-change.ts';

export const BATCH_SIZE = 500;
/** Attempts before contended updates give up. */
const MAX_ATTEMPTS = 10;

export type ChangeContext = Pick<ProjectContext, 'tenant' | 'now'>;

export type BulkDeps = Pick<MonitorWriteDeps, 'monitors' | 'quota' | 'groups' | 'notifyOwners' | 'log'>;

/** Returns the change to a monitor; null for none. */
export type Plan = (seen: MonitorDoc) => MonitorChange | null;

/**
 * Changes up to BATCH_SIZE monitors and releases the quota of deleted ones. Returns the ids of changed
 * monitors. Monitors that change meanwhile are read and planned again.
 */
export async function changeMonitors(deps: BulkDeps, ctx: ChangeContext, page: MonitorDoc[], plan: Plan) {
  const done: string[] = [];
  const enteredGroups = new Set<string | null | undefined>();
  let left = page;
  for (let attempt = 0; left.length > 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
    const planned = left.flatMap((seen) => {
      const change = plan(seen);
      return change === null ? [] : [{ seen, change: { ...change, updated_at: ctx.now } }];
    });
    if (planned.length === 0) break;
    for (const { change } of planned) enteredGroups.add(change.group_id);
    const { ids, count } = await deps.monitors.changeMany(planned);
    deps.notifyOwners(ids);
    const isDeletion = planned.some(({ change }) => typeof change.deleted_at === 'number');
    if (isDeletion) await releaseMonitors(deps, ctx, count);
    done.push(...ids);
    const conflicted = planned.filter(({ seen }) => !ids.has(seen._id)).map(({ seen }) => seen._id);
    left = conflicted.length === 0 ? [] : await deps.monitors.findMany(ctx.tenant, conflicted);
  }
  await leaveDeletedGroups(deps, ctx, enteredGroups);
  return done;
}

/** Changes the monitors of a group, page by page. Returns the ids of changed monitors. */
export async function changeMembers(deps: BulkDeps, ctx: ChangeContext, groupId: string, plan: Plan) {
  const changed: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: MonitorDoc[] = await deps.monitors.ofGroup(ctx.tenant, groupId, after, BATCH_SIZE);
    const planMember = (seen: MonitorDoc) => (seen.group_id === groupId ? plan(seen) : null);
    changed.push(...(await changeMonitors(deps, ctx, page, planMember)));
    after = page[BATCH_SIZE - 1]?._id;
  }
  return changed;
}

/**
 * Moves monitors out of those groups that are deleted. Call it after each write into a group, so that either
 * the deletion finds the new monitor or the writer finds the group deleted.
 */
export async function leaveDeletedGroups(
  deps: BulkDeps, ctx: ChangeContext, groupIds: Iterable<string | null | undefined>,
): Promise<void> {
  const ids = [...new Set(groupIds)].filter((id) => typeof id === 'string');
  if (ids.length === 0) return;
  const successors = await deps.groups.successors(ctx.tenant, ids);
  for (const [id, to] of successors) await changeMembers(deps, ctx, id, () => ({ group_id: to }));
}

/**
 * Never rejects, because the monitors are already deleted. The quota corrects a counter that stays too high.
 */
export async function releaseMonitors(deps: BulkDeps, ctx: ChangeContext, count: number): Promise<void> {
  const { organizationId } = ctx.tenant;
  await deps.quota.release(organizationId, 'monitors', count).catch((error: unknown) => {
    deps.log.warn({ err: error, organizationId }, 'could not decrease the monitor count');
  });
}
