import type { RequestContext } from '../../http/route.ts';
import { shardOf } from '../../../shared/ids.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../store.ts';

/** Monitors that are written at once. */
export const AT_ONCE = 500;
/** Rounds over those that others changed meanwhile. */
const MOST_ROUNDS = 10;

/** Whose monitors, and when. */
export type Moment = Pick<RequestContext, 'tenant' | 'now'>;

export type ManyDeps = Pick<MonitorWriteDeps, 'monitors' | 'quota' | 'groups' | 'poke' | 'log'>;

/**
 * Changes up to AT_ONCE monitors as `plan` says (null: nothing to do), and gives back what was deleted. Those that somebody else
 * changes at the same time are looked at and planned again. The ids of those that changed.
 */
export async function changeMonitors(
  deps: ManyDeps, ctx: Moment, page: MonitorDoc[], plan: (seen: MonitorDoc) => MonitorChange | null,
): Promise<string[]> {
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
    if (planned.some(({ change }) => typeof change.deleted_at === 'number')) await release(deps, ctx, count);
    done.push(...ids);
    const lost = planned.filter(({ seen }) => !ids.has(seen._id)).map(({ seen }) => seen._id);
    left = lost.length === 0 ? [] : await deps.monitors.findMany(ctx.tenant, lost);
  }
  await leaveDeleted(deps, ctx, entered);
  return done;
}

/** Changes the monitors of a group, page by page, each as long as it is in it; the ids of those that changed. */
export async function changeMembers(deps: ManyDeps, ctx: Moment, groupId: string, plan: (seen: MonitorDoc) => MonitorChange | null): Promise<string[]> {
  const changed: string[] = [];
  for (let after = ''; ;) {
    const page = await deps.monitors.ofGroup(ctx.tenant, groupId, after, AT_ONCE);
    changed.push(...(await changeMonitors(deps, ctx, page, (seen) => (seen.group_id === groupId ? plan(seen) : null))));
    if (page.length < AT_ONCE) return changed;
    after = page[page.length - 1]?._id ?? after;
  }
}

/**
 * To be called after monitors were written into these groups: those in a group that was deleted meanwhile follow its others. So
 * either the deletion finds a monitor, or whoever wrote it finds the group gone.
 */
export async function leaveDeleted(deps: ManyDeps, ctx: Moment, groupIds: Iterable<string | null | undefined>): Promise<void> {
  const ids = [...new Set(groupIds)].filter((id) => typeof id === 'string');
  if (ids.length === 0) return;
  for (const [id, to] of await deps.groups.heirs(ctx.tenant, ids)) await changeMembers(deps, ctx, id, () => ({ group_id: to }));
}

async function release(deps: ManyDeps, ctx: Moment, deleted: number): Promise<void> {
  // The monitors are gone whether or not the counter hears of it; one left too high is set right when it next matters.
  await deps.quota.release(ctx.tenant.organizationId, 'monitors', deleted).catch((error: unknown) => {
    deps.log.warn({ err: error, organizationId: ctx.tenant.organizationId }, 'monitor count could not be lowered');
  });
}
