import { fieldError } from '../../http/validation.ts';
import type { MonitorDoc } from '../monitor.ts';
import { nextStatus } from '../rules.ts';
import type { MonitorChange } from '../store.ts';
import { AT_ONCE, changeMembers, changeMonitors, type ManyDeps, type Moment } from './change-many.ts';

export type GroupChange = { kind: 'pause' } | { kind: 'resume' } | { kind: 'delete' } | { kind: 'move'; to: string | null };

/** Changes the monitors of a group, each on condition that it is still in it and is as it was seen; the ids of those that changed. */
export function changeGroupMonitors(deps: ManyDeps, ctx: Moment, groupId: string, change: GroupChange): Promise<string[]> {
  return changeMembers(deps, ctx, groupId, (seen) => planOf(change, seen, ctx.now));
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
