import type { ProjectContext } from '../../http/route.ts';
import type { CommentRepository, MonitorPast } from '../ports.ts';
import { mergeTimeline, spanOf, type TimelineEntry, type TimelineParts } from './rules.ts';
import type { FailureDeps } from '../verbs/failures.ts';
import { findIncident, listIncidentUpdates, type IncidentDeps } from '../verbs/read-incidents.ts';

export interface TimelineDeps extends Omit<IncidentDeps, keyof FailureDeps> {
  comments: Pick<CommentRepository, 'list'>;
  past: MonitorPast;
}

/** Of each kind at most so many, the newest. */
export const MOST_OF_A_KIND = 200;

/**
 * What happened around an incident, oldest first. An API key is not shown comments and notifications, which are for
 * sessions. `isTruncated`: there is more of some kind. Throws RESOURCE_NOT_FOUND.
 */
export async function readTimeline(deps: TimelineDeps, ctx: ProjectContext, id: string): Promise<{ entries: TimelineEntry[]; isTruncated: boolean }> {
  const incident = await findIncident(deps, ctx, id);
  const { from, to } = spanOf(incident, ctx.now);
  const { check_id: monitorId } = incident;
  const isSession = ctx.actor.kind === 'session';
  const limit = MOST_OF_A_KIND;
  const [results, spans, updates, log, comments] = await Promise.all([
    monitorId === null ? [] : deps.past.results(monitorId, { from, to, limit: limit + 1 }).then((page) => page.results),
    monitorId === null ? [] : deps.past.statusSpans(monitorId, to, limit + 1),
    listIncidentUpdates(deps, ctx, id),
    isSession ? deps.notifications.ofIncident(ctx.tenant, id, { page: 1, pageSize: limit + 1 }).then(({ entries }) => entries) : [],
    isSession ? deps.comments.list(ctx.tenant, id, limit * 5) : [],
  ]);
  const states = spans.filter((span) => span.from >= from);
  const parts: TimelineParts = {
    results: results.slice(0, limit), states: states.slice(0, limit), updates: updates.slice(-limit),
    notifications: log.slice(0, limit), comments: comments.slice(-limit),
  };
  return { entries: mergeTimeline(parts), isTruncated: [results, states, updates, log, comments].some((all) => all.length > limit) };
}
