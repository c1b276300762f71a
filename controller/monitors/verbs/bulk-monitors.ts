import type { ErrorCode } from '../../../shared/errors.ts';
import type { RequestContext } from '../../http/route.ts';
import { fieldError } from '../../http/validation.ts';
import type { MonitorWriteDeps } from '../deps.ts';
import type { MonitorDoc } from '../monitor.ts';
import { nextStatus } from '../rules.ts';
import { MOST_TAGS, type BulkInput } from '../schema.ts';
import type { MonitorChange } from '../store.ts';
import { changeMonitors } from './change-many.ts';

export interface BulkFailure {
  monitor_id: string;
  code: ErrorCode;
  message: string;
}

export interface BulkOutcome {
  /** Those that changed, in the order in which they were named; what was so already is in neither list. */
  changed: string[];
  failures: BulkFailure[];
}

type Refusal = Pick<BulkFailure, 'code' | 'message'>;

/** Does the same to each monitor that is named, as far as it can. Throws VALIDATION_ERROR (`group_id`) before anything is done. */
export async function changeInBulk(deps: MonitorWriteDeps, ctx: RequestContext, input: BulkInput): Promise<BulkOutcome> {
  if (input.action === 'move' && input.group_id !== null && !(await deps.groups.names(ctx.tenant, [input.group_id])).has(input.group_id)) {
    throw fieldError('group_id', 'Unknown group');
  }
  const seen = await deps.monitors.findMany(ctx.tenant, input.monitor_ids);
  const refused = new Map<string, Refusal>(input.monitor_ids.map((id) => [id, { code: 'MONITOR_NOT_FOUND', message: 'Monitor not found' }]));
  const changed = new Set(await changeMonitors(deps, ctx, seen, (doc) => {
    const planned = planOf(input, doc, ctx.now);
    if (planned === null) refused.delete(doc._id);
    else refused.set(doc._id, 'code' in planned ? planned : { code: 'CONFLICT', message: 'The monitor is being changed by other requests' });
    return planned === null || 'code' in planned ? null : planned;
  }));
  return {
    changed: input.monitor_ids.filter((id) => changed.has(id)),
    failures: [...refused].filter(([id]) => !changed.has(id)).map(([id, refusal]) => ({ monitor_id: id, ...refusal })),
  };
}

/** What is to be written, null when all is so already, or why not. */
function planOf(input: BulkInput, doc: MonitorDoc, now: number): MonitorChange | Refusal | null {
  switch (input.action) {
    case 'delete': return { deleted_at: now };
    case 'move': return (doc.group_id ?? null) === input.group_id ? null : { group_id: input.group_id };
    case 'tag': {
      const tags = [...new Set([...doc.tags, ...input.tags])];
      if (tags.length > MOST_TAGS) return { code: 'VALIDATION_ERROR', message: `A monitor has at most ${MOST_TAGS} tags` };
      return tags.length === doc.tags.length ? null : { tags };
    }
    case 'pause':
    case 'resume': {
      const status = nextStatus(doc.status, input.action);
      if (status === 'refused') return { code: 'CONFLICT', message: 'A disabled monitor cannot be paused; resume it first' };
      return status === 'same' ? null : { status };
    }
  }
}
