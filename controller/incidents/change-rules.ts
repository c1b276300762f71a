import { derivedId } from '../../shared/ids.ts';
import { searchText } from '../monitors/monitor.ts';
import type {
  IncidentChange, IncidentDoc, IncidentStatus, IncidentUpdateDoc, UpdateActor,
} from './incident.ts';
import type { IncidentChangeInput } from './schema.ts';

/** Allowed status transitions. */
const TARGETS: Record<IncidentStatus, readonly IncidentStatus[]> = {
  open: ['acknowledged', 'resolved'],
  acknowledged: ['resolved', 'closed'],
  resolved: ['closed'],
  closed: [],
};

export interface DecidedChange {
  change: IncidentChange;
  /** History entries that record the change. */
  updates: IncidentUpdateDoc[];
}

/** Why an incident in this status cannot be changed; null if it can. */
export function finalRefusal(status: IncidentStatus): string | null {
  if (status !== 'closed') return null;
  return 'Incident is closed, which is a final state; it can no longer be changed';
}

/** Why the status transition is not allowed; null if it is. */
export function moveRefusal(from: IncidentStatus, to: IncidentStatus): string | null {
  if (from === to) return `Incident is already in status: ${to}`;
  if (TARGETS[from].includes(to)) return null;
  const targets = TARGETS[from].join(', ');
  return finalRefusal(from) ?? `Cannot change the status from ${from} to ${to}. Valid targets: ${targets}`;
}

export interface StatusMove {
  to: IncidentStatus;
  note: string | undefined;
  actor: UpdateActor;
  /** Becomes the assignee if the move is an acknowledgement. */
  assignee: { id: string | null; name: string };
  shardOf(monitorId: string): number;
}

/** Returns the writes of an allowed move. `now` is Unix ms. */
export function moveIncident(seen: IncidentDoc, move: StatusMove, now: number): DecidedChange {
  const { to, note, actor, assignee, shardOf } = move;
  const at = nextInstant(seen, now);
  const change: IncidentChange = { status: to, updated_at: at };
  if (to === 'acknowledged') {
    change.acknowledged_at = now;
    change.assignee_id = assignee.id;
    change.acknowledged_by_name = assignee.name;
  } else if (to === 'resolved') {
    change.resolved_at = now;
    change.resolved_by = actor.id;
    change.recovery_time_seconds = recoverySeconds(seen.started_at, now);
  }
  const isEnd = (to === 'resolved' || to === 'closed') && seen.status !== 'resolved';
  // Checks opened the incident and did not resolve it, so the state machine must learn of its end.
  const isOfChecks = seen.created_by === null && seen.check_id !== null;
  if (isEnd && isOfChecks) change.unjournaled = shardOf(seen.check_id as string);
  const line = lineOf(seen, 0, actor, at, { kind: 'status_change', field: 'status', from: seen.status, to });
  return { change, updates: [note === undefined ? line : { ...line, note }] };
}

const FIELDS = ['severity', 'error_message', 'affected_regions', 'description'] as const;

/** Descriptive fields that people can change. */
export type Description = Pick<IncidentChangeInput, (typeof FIELDS)[number]>;

/** True when no field is given. */
export function isEmpty(wanted: Description): boolean {
  return FIELDS.every((field) => wanted[field] === undefined);
}

/** Returns the changed fields with a history entry for each; null if nothing changes. */
export function describeIncident(seen: IncidentDoc, wanted: Description, actor: UpdateActor, now: number) {
  const isNew = (field: (typeof FIELDS)[number]) => {
    return wanted[field] !== undefined && JSON.stringify(wanted[field]) !== JSON.stringify(seen[field]);
  };
  const changed = FIELDS.filter(isNew);
  if (changed.length === 0) return null;
  const at = nextInstant(seen, now);
  const message = wanted.error_message ?? seen.error_message;
  const search_text = searchText(seen.title, seen.monitor_name ?? '', message);
  const updates = changed.map((field, index) => {
    const values = { field, from: seen[field], to: wanted[field] ?? null };
    return lineOf(seen, index, actor, at + index, { kind: 'field_change', ...values });
  });
  const fields = Object.fromEntries(changed.map((field) => [field, wanted[field]]));
  return { change: { search_text, updated_at: at + changed.length - 1, ...fields }, updates };
}

/** Sets the postmortem, or removes it if the text is empty; null if it stays the same. */
export function rewritePostmortem(seen: IncidentDoc, text: string, author: UpdateActor, now: number) {
  if (text === (seen.postmortem?.text ?? '')) return null;
  const updated_at = nextInstant(seen, now);
  const postmortem = text === '' ? null : { text, author, updated_at };
  return { change: { postmortem, updated_at }, updates: [] };
}

/** Seconds from start to resolution; 0 if clock skew puts the resolution before the start. */
export function recoverySeconds(startedAt: number, resolvedAt: number): number {
  return Math.max(0, Math.round((resolvedAt - startedAt) / 1000));
}

/** Later than every earlier change, even within a millisecond and after clock changes. */
function nextInstant(seen: IncidentDoc, now: number): number {
  return Math.max(now, seen.updated_at + 1);
}

type Recorded = Pick<IncidentUpdateDoc, 'kind' | 'field' | 'from' | 'to'>;

/** A history entry for a change to `seen`. `index` distinguishes the entries of one change. */
function lineOf(seen: IncidentDoc, index: number, actor: UpdateActor, at: number, recorded: Recorded) {
  const { _id, organization_id, project_id, revision } = seen;
  const id = derivedId(_id, 'update', revision, index);
  return { _id: id, organization_id, project_id, incident_id: _id, actor, created_at: at, ...recorded };
}
