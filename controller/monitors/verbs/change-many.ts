import type { RequestContext } from '../../http/route.ts';
import { shardOf } from '../../../shared/ids.ts';
import type { MonitorDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../store.ts';

/** Monitors that are written at once. */
export const AT_ONCE = 500;
/** Rounds over those that others changed meanwhile. */
const MOST_ROUNDS = 10;

/** Whose monitors, and when. */
export type Moment = Pick<RequestContext, 'tenant' | 'now'>;

export type ManyDeps = Pick<MonitorDeps, 'monitors' | 'quota' | 'poke' | 'log'>;

/**
 * Changes up to AT_ONCE monitors as `plan` says (null: nothing to do), and gives back what was deleted. Those that somebody else
 * changes at the same time are looked at and planned again. The ids of those that changed.
 */
export async function changeMonitors(
  deps: ManyDeps, ctx: Moment, page: MonitorDoc[], plan: (seen: MonitorDoc) => MonitorChange | null,
): Promise<string[]> {
  const done: string[] = [];
  let left = page;
  for (let round = 0; left.length > 0 && round < MOST_ROUNDS; round += 1) {
    const planned = left.flatMap((seen) => {
      const change = plan(seen);
      return change === null ? [] : [{ seen, change: { ...change, updated_at: ctx.now } }];
    });
    if (planned.length === 0) break;
    const { ids, count } = await deps.monitors.changeMany(planned);
    for (const shard of new Set([...ids].map(shardOf))) deps.poke(shard);
    if (planned.some(({ change }) => typeof change.deleted_at === 'number')) await release(deps, ctx, count);
    done.push(...ids);
    const lost = planned.filter(({ seen }) => !ids.has(seen._id)).map(({ seen }) => seen._id);
    left = lost.length === 0 ? [] : await deps.monitors.findMany(ctx.tenant, lost);
  }
  return done;
}

async function release(deps: ManyDeps, ctx: Moment, deleted: number): Promise<void> {
  // The monitors are gone whether or not the counter hears of it; one left too high is set right when it next matters.
  await deps.quota.release(ctx.tenant.organizationId, 'monitors', deleted).catch((error: unknown) => {
    deps.log.warn({ err: error, organizationId: ctx.tenant.organizationId }, 'monitor count could not be lowered');
  });
}
