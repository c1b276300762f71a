import type { CommentDoc } from '../comments/comment.ts';
import type { IncidentDoc, IncidentUpdateDoc } from '../incident.ts';
import type { NotificationEntry, SeenResult, SeenStatus } from '../ports.ts';

/** One thing that happened; `at` is Unix ms. */
export type TimelineEntry =
  | { kind: 'result'; at: number; result: SeenResult }
  | { kind: 'state'; at: number; state: SeenStatus }
  | { kind: 'update'; at: number; update: IncidentUpdateDoc }
  | { kind: 'notification'; at: number; notification: NotificationEntry }
  | { kind: 'comment'; at: number; comment: CommentDoc };

export interface TimelineParts {
  results: SeenResult[];
  states: SeenStatus[];
  updates: IncidentUpdateDoc[];
  notifications: NotificationEntry[];
  comments: CommentDoc[];
}

/** What stands first of what happened at one instant: the cause before what followed from it. */
const ORDER: TimelineEntry['kind'][] = ['result', 'state', 'update', 'notification', 'comment'];

/** The stretch of time whose checks belong to an incident: from its start to its end, both included. */
export function spanOf(incident: IncidentDoc, now: number): { from: number; to: number } {
  return { from: incident.started_at, to: Math.max(incident.started_at, incident.resolved_at ?? now) + 1 };
}

/** Everything in one list, oldest first. */
export function mergeTimeline(parts: TimelineParts): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...parts.results.map((result) => ({ kind: 'result' as const, at: result.started_at, result })),
    ...parts.states.map((state) => ({ kind: 'state' as const, at: state.from, state })),
    ...parts.updates.map((update) => ({ kind: 'update' as const, at: update.created_at, update })),
    ...parts.notifications.map((notification) => ({ kind: 'notification' as const, at: notification.created_at, notification })),
    ...parts.comments.map((comment) => ({ kind: 'comment' as const, at: comment.created_at, comment })),
  ];
  return entries.sort((one, other) => one.at - other.at || ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
}
