import type { DeliveryDoc } from '../../delivery/delivery.ts';
import type { ProjectContext } from '../../http/route.ts';
import type { CommentDoc } from '../comment.ts';
import type { IncidentDeps } from '../deps.ts';
import type { IncidentUpdateDoc } from '../incident.ts';
import type { SeenResult, SeenStatus } from '../ports.ts';
import { findIncident, listIncidentUpdates } from './read-incidents.ts';

/** One thing that happened; `at` is Unix ms. */
export type TimelineEntry =
  | { kind: 'result'; at: number; result: SeenResult }
  | { kind: 'state'; at: number; state: SeenStatus }
  | { kind: 'update'; at: number; update: IncidentUpdateDoc }
  | { kind: 'notification'; at: number; notification: DeliveryDoc }
  | { kind: 'comment'; at: number; comment: CommentDoc };

/** A timeline has the newest of each kind. */
export const MOST_OF_A_KIND = 200;

/** At one instant, causes come before their consequences. */
const ORDER: TimelineEntry['kind'][] = ['result', 'state', 'update', 'notification', 'comment'];

/**
 * What happened around an incident, oldest first. API keys get no comments and notifications, which need a
 * session. `isTruncated`: there is more of some kind. Throws RESOURCE_NOT_FOUND.
 */
export async function readTimeline(deps: IncidentDeps, ctx: ProjectContext, id: string) {
  const { past, notifications, comments } = deps;
  const { check_id: monitorId, started_at: from, resolved_at } = await findIncident(deps, ctx, id);
  const to = Math.max(from, resolved_at ?? ctx.now) + 1;
  const isSession = ctx.actor.kind === 'session';
  const limit = MOST_OF_A_KIND + 1;
  const [{ results }, spans, updates, { deliveries }, said] = await Promise.all([
    monitorId === null ? { results: [] } : past.results(monitorId, { from, to, limit }),
    monitorId === null ? [] : past.statusSpans(monitorId, to, limit),
    listIncidentUpdates(deps, ctx, id),
    isSession ? notifications.ofIncident(ctx.tenant, id, { page: 1, pageSize: limit }) : { deliveries: [] },
    isSession ? comments.list(ctx.tenant, id, MOST_OF_A_KIND * 5) : [],
  ]);
  const states = spans.filter((span) => span.from >= from);
  const most = MOST_OF_A_KIND;
  const entries = [
    results.slice(0, most).map((result) => ({ kind: 'result', at: result.started_at, result }) as const),
    states.slice(0, most).map((state) => ({ kind: 'state', at: state.from, state }) as const),
    updates.slice(-most).map((update) => ({ kind: 'update', at: update.created_at, update }) as const),
    deliveries.slice(0, most).map((notification) =>
      ({ kind: 'notification', at: notification.created_at, notification }) as const),
    said.slice(-most).map((comment) => ({ kind: 'comment', at: comment.created_at, comment }) as const),
  ].flat();
  const isTruncated = [results, states, updates, deliveries, said].some((all) => all.length > most);
  return { entries: entries.sort(byTime), isTruncated };
}

function byTime(one: TimelineEntry, other: TimelineEntry): number {
  return one.at - other.at || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind);
}
