import { shardOf } from '../../../shared/ids.ts';
import type { ProjectContext } from '../../http/route.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../store.ts';

/** Monitors that are written at once. */
export const AT_ONCE = 500;
/** Attempts at monitors that other requests keep changing. */
const MOST_ROUNDS = 10;

/** Whose monitors, and when. */
export type Moment = Pick<ProjectContext, 'tenant' | 'now'>;

export type ManyDeps = Pick<MonitorWriteDeps, 'monitors' | 'quota' | 'groups' | 'poke' | 'log'>;

/** What to write to a monitor; null if there is nothing to do. */
export type Plan = (seen: MonitorDoc) => MonitorChange | null;

/**
 * Changes up to AT_ONCE monitors as planned and releases the quota of deleted ones; returns the ids of those
 * that changed. Monitors that others change at the same time are read and planned again.
 */
export async function changeMonitors(deps: ManyDeps, ctx: Moment, page: MonitorDoc[], plan: Plan) {
  const done: string[] = [];
  const entered = new Set<string | null | undefined>();
  let left = page;
  for (let round = 0; left.length > 0 && round < MOST_ROUNDS; round += 1) {
    const planned = left.flatMap((seen) => {
      const change = plan(seen);
      return change === null ? [] : [{ seen, change: { ...change, updated_at: ctx.now } }];
    });
    if (planned.length === 0) break;
    for (const { change } of planned) entered.add(change.group_id);
    const { ids, count } = await deps.monitors.changeMany(planned);
    for (const shard of new Set([...ids].map(shardOf))) deps.poke(shard);
    const isDeletion = planned.some(({ change }) => typeof change.deleted_at === 'number');
    if (isDeletion) await releaseMonitors(deps, ctx, count);
    done.push(...ids);
    const lost = planned.filter(({ seen }) => !ids.has(seen._id)).map(({ seen }) => seen._id);
    left = lost.length === 0 ? [] : await deps.monitors.findMany(ctx.tenant, lost);
  }
  await leaveDeleted(deps, ctx, entered);
  return done;
}

/** Changes the monitors that are in a group, page by page; returns the ids of those that changed. */
export async function changeMembers(deps: ManyDeps, ctx: Moment, groupId: string, plan: Plan) {
  const changed: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: MonitorDoc[] = await deps.monitors.ofGroup(ctx.tenant, groupId, after, AT_ONCE);
    const planMember = (seen: MonitorDoc) => (seen.group_id === groupId ? plan(seen) : null);
    changed.push(...(await changeMonitors(deps, ctx, page, planMember)));
    after = page[AT_ONCE - 1]?._id;
  }
  return changed;
}

/**
 * Moves monitors on from those of these groups that are deleted. Called after each write into a group, so
 * that either the deletion finds a new monitor in the group, or the writer finds the group deleted.
 */
export async function leaveDeleted(
  deps: ManyDeps, ctx: Moment, groupIds: Iterable<string | null | undefined>,
): Promise<void> {
  const ids = [...new Set(groupIds)].filter((id) => typeof id === 'string');
  if (ids.length === 0) return;
  const heirs = await deps.groups.heirs(ctx.tenant, ids);
  for (const [id, to] of heirs) await changeMembers(deps, ctx, id, () => ({ group_id: to }));
}

/**
 * Never fails, because the monitors are deleted anyway; a count that stays too high is repaired when it
 * matters.
 */
export async function releaseMonitors(deps: ManyDeps, ctx: Moment, count: number): Promise<void> {
  const { organizationId } = ctx.tenant;
  await deps.quota.release(organizationId, 'monitors', count).catch((error: unknown) => {
    deps.log.warn({ err: error, organizationId }, 'could not decrease the monitor count');
  });
}
