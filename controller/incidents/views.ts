import type { z } from 'zod';
import { derivedId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import type { DeliveryDoc } from '../delivery/delivery.ts';
import type { LiveEvent } from '../events/event.ts';
import type * as responses from './responses.ts';
import { commentRefusal, type CommentDoc } from './comment.ts';
import type { IncidentDoc, IncidentUpdateDoc, ListedIncident } from './incident.ts';
import type { VoteDoc } from './history-store.ts';
import type { TimelineEntry } from './verbs/read-timeline.ts';

type View<Name extends keyof typeof responses> = z.input<(typeof responses)[Name]>;

/** Omits internal fields and the postmortem. */
export function viewIncident(doc: ListedIncident | IncidentDoc): View<'incidentView'> {
  const { _id, recovery_time_seconds, revision: _revision, ...rest } = doc as IncidentDoc;
  const { search_text: _search, pending_updates: _pending, postmortem: _postmortem, ...more } = rest;
  const { unjournaled: _shard, pages_due: _due, claim: _claim, ...further } = more;
  const { notified_page_ids: _notified, features: _features, maintenance_until, ...known } = further;
  const { held_by = null, ...shown } = known;
  const isOngoing = doc.status === 'open' || doc.status === 'acknowledged';
  return {
    id: _id,
    ...shown,
    cause_id: doc.cause_id ?? null, diagnosis: viewDiagnosis(doc),
    late: doc.late ?? false, in_maintenance: maintenance_until !== undefined,
    held_by: isOngoing ? held_by : null,
    started_at: isoTime(doc.started_at),
    acknowledged_at: isoTime(doc.acknowledged_at),
    resolved_at: isoTime(doc.resolved_at),
    created_at: isoTime(doc.created_at), updated_at: isoTime(doc.updated_at),
    recovery_time_seconds: recovery_time_seconds ?? undefined,
  };
}

function viewDiagnosis({ diagnosis }: ListedIncident): View<'incidentView'>['diagnosis'] {
  return diagnosis ? { classification: diagnosis.classification, summary: diagnosis.summary } : null;
}

export function viewFullIncident(doc: IncidentDoc): View<'fullIncidentView'> {
  const { postmortem } = doc;
  const shown = postmortem && { ...postmortem, updated_at: isoTime(postmortem.updated_at) };
  return { postmortem: shown, ...viewIncident(doc) };
}

export function viewVotes(records: VoteDoc[]): View<'incidentVotesView'> {
  const votes = records.flatMap(({ verdict, votes: cast }) => cast.map((vote) => ({
    at: isoTime(vote.at ?? null), verdict, region: vote.region, probe_id: vote.probe_id ?? null,
    vote: vote.vote, weight: vote.weight, reason: vote.reason ?? null, error: vote.error ?? null,
    attempt: vote.attempt ?? null, engine: vote.engine ?? null,
  })));
  const latest = records.at(-1);
  return { votes, policy: latest?.policy ?? null, verdict: latest?.verdict ?? null };
}

/** A live event. Its id is derived from the revision, so repeated calls produce the same event. */
export function incidentEvent(incident: ListedIncident): LiveEvent {
  const { _id, organization_id, project_id, revision, updated_at } = incident;
  const id = derivedId(_id, 'event', revision);
  return { id, kind: 'incident', organization_id, project_id, at: updated_at, data: viewIncident(incident) };
}

export function viewIncidentUpdate(doc: IncidentUpdateDoc): View<'incidentUpdateView'> {
  const { _id, organization_id: _organization, project_id: _project, ...rest } = doc;
  return { id: _id, ...rest, created_at: isoTime(doc.created_at) };
}

export function viewNotification(doc: DeliveryDoc): View<'notificationView'> {
  const { _id, incident_id, channel, recipient, status, error_message, retry_count, max_retries } = doc;
  return {
    id: _id, incident_id: incident_id ?? '', channel, recipient, status,
    delivered_at: isoTime(doc.delivered_at), error_message, retry_count, max_retries,
    last_retry_at: isoTime(doc.last_retry_at),
    created_at: isoTime(doc.created_at), updated_at: isoTime(doc.updated_at),
  };
}

export function viewComment(doc: CommentDoc): View<'commentView'> {
  const { _id, organization_id: _organization, project_id: _project, ...rest } = doc;
  const [created_at, updated_at] = [isoTime(doc.created_at), isoTime(doc.updated_at)];
  return { id: _id, ...rest, created_at, updated_at, deleted_at: isoTime(doc.deleted_at) };
}

/** Adds whether the user may edit or delete the comment at `now`, Unix ms. */
export function viewListedComment(doc: CommentDoc, userId: string, now: number): View<'listedCommentView'> {
  const can_edit = commentRefusal(doc, 'edit', userId, now) === null;
  const can_delete = commentRefusal(doc, 'delete', userId, now) === null;
  return { can_edit, can_delete, ...viewComment(doc) };
}

export function viewTimelineEntry(entry: TimelineEntry): View<'timelineEntryView'> {
  const at = isoTime(entry.at);
  switch (entry.kind) {
    case 'result': {
      const { region, outcome, degraded, response_time_ms, status_code, error } = entry.result;
      const probe_id = entry.result.probe_id === '' ? null : entry.result.probe_id;
      const success = outcome === 'success';
      const check = { success, outcome, degraded, response_time_ms, status_code, error };
      return { kind: 'result', at, result: { region, probe_id, ...check } };
    }
    case 'state': {
      const { status, in_maintenance, reason, incident_id } = entry.state;
      return { kind: 'state', at, state: { status, in_maintenance, reason, incident_id } };
    }
    case 'update':
      return { kind: 'update', at, update: viewIncidentUpdate(entry.update) };
    case 'notification':
      return { kind: 'notification', at, notification: viewNotification(entry.notification) };
    case 'comment':
      return { kind: 'comment', at, comment: viewComment(entry.comment) };
  }
}
