import type { RequestContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import { shardOf } from '../../../shared/ids.ts';
import type { MonitorDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import { nextStatus } from '../rules.ts';
import type { MonitorChange } from '../store.ts';

/** Monitors that are written at once. */
const AT_ONCE = 500;
/** Rounds over those that others changed meanwhile. */
const MOST_ROUNDS = 10;

export type GroupChange = { kind: 'pause' } | { kind: 'resume' } | { kind: 'delete' } | { kind: 'move'; to: string | null };

/** Whose monitors, and when. */
type Moment = Pick<RequestContext, 'tenant' | 'now'>;

export type ManyDeps = Pick<MonitorDeps, 'monitors' | 'quota' | 'poke' | 'log'>;

/** Changes the monitors of a group, each on condition that it is still in it and is as it was seen; the ids of those that changed. */
export async function changeGroupMonitors(deps: ManyDeps, ctx: Moment, groupId: string, change: GroupChange): Promise<string[]> {
  const changed: string[] = [];
  for (let after = ''; ;) {
    const page = await deps.monitors.ofGroup(ctx.tenant, groupId, after, AT_ONCE);
    changed.push(...(await changeMonitors(deps, ctx, page, (seen) => (seen.group_id === groupId ? planOf(change, seen, ctx.now) : null))));
    if (page.length < AT_ONCE) return changed;
    after = page[page.length - 1]?._id ?? after;
  }
}

/**
 * Puts monitors into a group; the ids of those that were not in it. Throws VALIDATION_ERROR (`monitor_ids`) when one of
 * them is not there, before any is changed.
 */
export async function assignToGroup(deps: ManyDeps, ctx: Moment, ids: string[], groupId: string): Promise<string[]> {
  const seen = await deps.monitors.findMany(ctx.tenant, ids);
  const known = new Set(seen.map((doc) => doc._id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw fieldError('monitor_ids', `Unknown monitor: ${unknown.slice(0, 10).join(', ')}`);
  const changed: string[] = [];
  for (let at = 0; at < seen.length; at += AT_ONCE) {
    changed.push(...(await changeMonitors(deps, ctx, seen.slice(at, at + AT_ONCE), (doc) => (doc.group_id === groupId ? null : { group_id: groupId }))));
  }
  return changed;
}

/** Null: there is nothing to do. */
function planOf(change: GroupChange, seen: MonitorDoc, now: number): MonitorChange | null {
  switch (change.kind) {
    case 'move': return { group_id: change.to };
    case 'delete': return { deleted_at: now };
    case 'resume': return seen.status === 'paused' ? { status: 'active' } : null;
    case 'pause': {
      const status = nextStatus(seen.status, 'pause');
      return status === 'same' || status === 'refused' ? null : { status };
    }
  }
}

/** Those that somebody else changes at the same time are looked at and planned again. */
async function changeMonitors(
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
