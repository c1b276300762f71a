import type { ErrorCode } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import { contended } from '../../platform/mongo/mongo-errors.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import { type MonitorDoc, nextStatus, PAUSES_DISABLED } from '../monitor.ts';
import { MAX_TAGS, type BulkInput } from '../schema.ts';
import { refuseUnknownGroup } from '../settable.ts';
import type { MonitorChange } from '../monitor-change.ts';
import {
  BATCH_SIZE, changeMembers, changeMonitors, type BulkDeps, type ChangeContext,
} from './change-many.ts';

/** One change to many monitors. */
export type BulkChange =
  | { action: 'pause' | 'resume' | 'delete' }
  | { action: 'tag' | 'untag'; tags: string[] }
  | { action: 'move'; group_id: string | null };

/** Why a monitor cannot be changed. */
interface Refusal {
  code: ErrorCode;
  message: string;
}

const NOT_FOUND: Refusal = { code: 'MONITOR_NOT_FOUND', message: 'Monitor not found' };

/** Changes as many of the monitors as possible. Throws VALIDATION_ERROR for an unknown group. */
export async function changeInBulk(deps: MonitorWriteDeps, ctx: ProjectContext, input: BulkInput) {
  if (input.action === 'move') await refuseUnknownGroup(deps, ctx.tenant, input.group_id);
  const seen = await deps.monitors.findMany(ctx.tenant, input.monitor_ids);
  const refused = new Map(input.monitor_ids.map((id) => [id, NOT_FOUND]));
  const changed = new Set(await changeMonitors(deps, ctx, seen, (doc) => {
    const planned = planChange(input, doc, ctx.now);
    const isRefused = planned !== null && 'code' in planned;
    if (planned === null) refused.delete(doc._id);
    else refused.set(doc._id, isRefused ? planned : { code: 'CONFLICT', message: contended('The monitor is') });
    return isRefused ? null : planned;
  }));
  const failed = [...refused].filter(([id]) => !changed.has(id));
  return {
    changed: input.monitor_ids.filter((id) => changed.has(id)),
    failures: failed.map(([id, refusal]) => ({ monitor_id: id, ...refusal })),
  };
}

/** Null if the monitor needs no change. */
function planChange(change: BulkChange, doc: MonitorDoc, now: number): MonitorChange | Refusal | null {
  switch (change.action) {
    case 'delete': return { deleted_at: now };
    case 'move': return (doc.group_id ?? null) === change.group_id ? null : { group_id: change.group_id };
    case 'tag': {
      const tags = [...new Set([...doc.tags, ...change.tags])];
      const message = `A monitor can have at most ${MAX_TAGS} tags`;
      if (tags.length > MAX_TAGS) return { code: 'VALIDATION_ERROR', message };
      return tags.length === doc.tags.length ? null : { tags };
    }
    case 'untag': {
      const tags = doc.tags.filter((tag) => !change.tags.includes(tag));
      return tags.length === doc.tags.length ? null : { tags };
    }
    case 'pause':
    case 'resume': {
      const status = nextStatus(doc.status, change.action);
      if (status === 'refused') return { code: 'CONFLICT', message: PAUSES_DISABLED };
      return status === 'same' ? null : { status };
    }
  }
}

/** Unknown monitors listed in an error message. */
const MAX_NAMED_IDS = 10;

/**
 * Changes the monitors of a group, except those that leave it meanwhile. Returns the ids of changed monitors.
 */
export function changeGroupMonitors(deps: BulkDeps, ctx: ChangeContext, groupId: string, change: BulkChange) {
  return changeMembers(deps, ctx, groupId, (seen) => planForGroup(change, seen, ctx.now));
}

/** Skips monitors to which the change does not apply. Disabled monitors stay disabled. */
function planForGroup(change: BulkChange, seen: MonitorDoc, now: number): MonitorChange | null {
  if (change.action === 'resume' && seen.status === 'disabled') return null;
  const planned = planChange(change, seen, now);
  return planned === null || 'code' in planned ? null : planned;
}

/**
 * Moves monitors into a group and returns the ids of those that were not in it. Throws VALIDATION_ERROR
 * (`monitor_ids`) for unknown monitors, before it changes any.
 */
export async function assignToGroup(deps: BulkDeps, ctx: ChangeContext, ids: string[], groupId: string) {
  const seen = await deps.monitors.findMany(ctx.tenant, ids);
  const foundIds = new Set(seen.map((doc) => doc._id));
  const unknown = ids.filter((id) => !foundIds.has(id)).slice(0, MAX_NAMED_IDS);
  if (unknown.length > 0) throw fieldError('monitor_ids', `Unknown monitor: ${unknown.join(', ')}`);
  const move = { action: 'move', group_id: groupId } as const;
  const changed: string[] = [];
  for (let at = 0; at < seen.length; at += BATCH_SIZE) {
    const page = seen.slice(at, at + BATCH_SIZE);
    changed.push(...(await changeMonitors(deps, ctx, page, (doc) => planForGroup(move, doc, ctx.now))));
  }
  return changed;
}
