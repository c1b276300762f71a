import type { DeliveryDoc } from '../../delivery/delivery.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { CommentDoc } from '../comment.ts';
import type { IncidentDeps } from '../deps.ts';
import type { IncidentUpdateDoc } from '../incident.ts';
import type { TimelineResult, TimelineStatus } from '../ports.ts';
import { findIncident, listIncidentUpdates } from './read-incidents.ts';

/** `at` is Unix ms. */
export type TimelineEntry =
  | { kind: 'result'; at: number; result: TimelineResult }
  | { kind: 'state'; at: number; state: TimelineStatus }
  | { kind: 'update'; at: number; update: IncidentUpdateDoc }
  | { kind: 'notification'; at: number; notification: DeliveryDoc }
  | { kind: 'comment'; at: number; comment: CommentDoc };

/** A timeline has the newest entries of each kind, up to this number. */
export const MAX_PER_KIND = 200;

/** Order of entries at the same instant: causes before consequences. */
const ORDER: TimelineEntry['kind'][] = ['result', 'state', 'update', 'notification', 'comment'];

/**
 * Oldest first. Only sessions get comments and notifications. `isTruncated` means that some kind has more
 * entries. Throws RESOURCE_NOT_FOUND.
 */
export async function readTimeline(deps: IncidentDeps, ctx: ProjectContext, id: string) {
  const { history, notifications, comments } = deps;
  const { check_id: monitorId, started_at: from, resolved_at } = await findIncident(deps, ctx, id);
  const to = Math.max(from, resolved_at ?? ctx.now) + 1;
  const isSession = ctx.actor.kind === 'session';
  const limit = MAX_PER_KIND + 1;
  const [{ results }, spans, updates, { deliveries }, incidentComments] = await Promise.all([
    monitorId === null ? { results: [] } : history.results(monitorId, { from, to, limit }),
    monitorId === null ? [] : history.statusSpans(monitorId, to, limit),
    listIncidentUpdates(deps, ctx, id),
    isSession ? notifications.ofIncident(ctx.tenant, id, { page: 1, pageSize: limit }) : { deliveries: [] },
    isSession ? comments.list(ctx.tenant, id, MAX_PER_KIND * 5) : [],
  ]);
  const states = spans.filter((span) => span.from >= from);
  const max = MAX_PER_KIND;
  const entries = [
    results.slice(0, max).map((result) => ({ kind: 'result', at: result.started_at, result }) as const),
    states.slice(0, max).map((state) => ({ kind: 'state', at: state.from, state }) as const),
    updates.slice(-max).map((update) => ({ kind: 'update', at: update.created_at, update }) as const),
    deliveries.slice(0, max).map((notification) =>
      ({ kind: 'notification', at: notification.created_at, notification }) as const),
    incidentComments.slice(-max).map((comment) =>
      ({ kind: 'comment', at: comment.created_at, comment }) as const),
  ].flat();
  const lists = [results, states, updates, deliveries, incidentComments];
  const isTruncated = lists.some((list) => list.length > max);
  return { entries: entries.sort(byTime), isTruncated };
}

function byTime(one: TimelineEntry, other: TimelineEntry): number {
  return one.at - other.at || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind);
}
