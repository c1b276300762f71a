import { derivedId } from '../../../shared/ids.ts';
import type { IncidentDoc } from '../../incidents/incident.ts';
import { inDisplayOrder } from '../page-rules.ts';
import type { PageDoc, Severity } from '../page.ts';
import type { PostDoc, PostStatus } from './post.ts';

const MAX_TITLE_LENGTH = 200;

const SEVERITY: Record<IncidentDoc['severity'], Severity> = {
  critical: 'critical', major: 'major', minor: 'minor', warning: 'minor',
};
const STATUS: Record<IncidentDoc['status'], PostStatus> = {
  open: 'investigating', acknowledged: 'identified', resolved: 'resolved', closed: 'resolved',
};
const MESSAGES: Partial<Record<PostStatus, string>> = {
  identified: 'Our team is aware of the problem and is working on it.', resolved: 'This incident has been resolved.',
};
/** A post's status never moves back. */
const STATUS_ORDER: readonly PostStatus[] = ['investigating', 'identified', 'monitoring', 'resolved'];

/**
 * Whether a page may still get its first post on an incident. Not if it was resolved when pages were last
 * notified, or before the maintenance in which it began.
 */
export function canStartPost(
  { status, notified_page_ids: notifiedPageIds, maintenance_until }: IncidentDoc, page: PageDoc,
): boolean {
  if (notifiedPageIds === undefined) return maintenance_until === undefined || STATUS[status] !== 'resolved';
  return STATUS[status] !== 'resolved' && !notifiedPageIds.includes(page._id);
}

/**
 * The first post on an incident that is public for these monitors; null if the page shows none of them or
 * ignores such incidents.
 */
export function automaticPost(
  incident: IncidentDoc, publicIds: readonly string[], page: PageDoc, now: number,
): PostDoc | null {
  const severity = SEVERITY[incident.severity];
  const affected = inDisplayOrder(page.components)
    .filter(({ monitor_id, is_visible }) => is_visible && publicIds.includes(monitor_id));
  if (affected.length === 0 || !page.auto_publish_severities.includes(severity)) return null;
  const { _id: incidentId, organization_id, project_id, status_page_update } = incident;
  return {
    _id: automaticPostId(incidentId, page._id), organization_id, project_id, page_id: page._id, revision: 1,
    incident_id: incidentId, title: titleOf(incident, affected), severity, status: 'investigating',
    message: status_page_update ?? 'We are investigating the problem.', updates: [],
    affected_monitor_ids: affected.map(({ monitor_id }) => monitor_id), is_automatic: true,
    is_taken_over: false, notified_count: 0, published_at: now, updated_at: now, resolved_at: null,
  };
}

/** Deterministic, so that an incident has at most one post on a page. */
export function automaticPostId(incidentId: string, pageId: string): string {
  return derivedId(incidentId, 'post', pageId);
}

/** The change that an incident causes in its post: a status update or another severity; null for none. */
export function followUpOf(post: PostDoc, { status, severity }: IncidentDoc) {
  if (post.is_taken_over) return null;
  const to = STATUS[status];
  const message = STATUS_ORDER.indexOf(to) > STATUS_ORDER.indexOf(post.status) ? MESSAGES[to] : undefined;
  if (message === undefined && post.severity === SEVERITY[severity]) return null;
  return { severity: SEVERITY[severity], update: message === undefined ? null : { status: to, message } };
}

/** Names monitors as the page does: internal names are not for readers. */
function titleOf(
  { source, title, type, check_id, monitor_name }: IncidentDoc, affected: PageDoc['components'],
): string {
  if (source === 'manual') return title.slice(0, MAX_TITLE_LENGTH);
  const own = affected.find(({ monitor_id }) => monitor_id === check_id);
  const name = own === undefined ? null : own.display_name ?? monitor_name;
  const problem = type === 'slow_response' ? 'slow' : 'down';
  if (name === null) return `Some systems are ${problem}`;
  return `${name} is ${problem}`.slice(0, MAX_TITLE_LENGTH);
}
