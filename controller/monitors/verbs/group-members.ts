import { fieldError } from '../../http/validation.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { MonitorChange } from '../store.ts';
import { planChange, type BulkChange } from './bulk-monitors.ts';
import { AT_ONCE, changeMembers, changeMonitors, type ManyDeps, type Moment } from './change-many.ts';

/** Unknown monitors that an error names. */
const MOST_NAMED = 10;

/** Changes the monitors of a group as long as they are in it; returns the ids of those that changed. */
export function changeGroupMonitors(deps: ManyDeps, ctx: Moment, groupId: string, change: BulkChange) {
  return changeMembers(deps, ctx, groupId, (seen) => planForGroup(change, seen, ctx.now));
}

/** What does not apply to a monitor is left out without an error; a disabled monitor stays disabled. */
function planForGroup(change: BulkChange, seen: MonitorDoc, now: number): MonitorChange | null {
  if (change.action === 'resume' && seen.status === 'disabled') return null;
  const planned = planChange(change, seen, now);
  return planned === null || 'code' in planned ? null : planned;
}

/**
 * Puts monitors into a group; returns the ids of those that were not in it.
 * Throws VALIDATION_ERROR (`monitor_ids`) for unknown monitors before any is changed.
 */
export async function assignToGroup(deps: ManyDeps, ctx: Moment, ids: string[], groupId: string) {
  const seen = await deps.monitors.findMany(ctx.tenant, ids);
  const known = new Set(seen.map((doc) => doc._id));
  const unknown = ids.filter((id) => !known.has(id)).slice(0, MOST_NAMED);
  if (unknown.length > 0) throw fieldError('monitor_ids', `Unknown monitor: ${unknown.join(', ')}`);
  const move = { action: 'move', group_id: groupId } as const;
  const changed: string[] = [];
  for (let at = 0; at < seen.length; at += AT_ONCE) {
    const page = seen.slice(at, at + AT_ONCE);
    changed.push(...(await changeMonitors(deps, ctx, page, (doc) => planForGroup(move, doc, ctx.now))));
  }
  return changed;
}
