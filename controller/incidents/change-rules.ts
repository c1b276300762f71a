import { derivedId, shardOf } from '../../shared/ids.ts';
import { searchText } from '../../shared/search-text.ts';
import type {
  IncidentChange, IncidentDoc, IncidentStatus, IncidentUpdateDoc, UpdateActor,
} from './incident.ts';
import type { IncidentChangeInput } from './schema.ts';

/** The statuses that an incident may go to from each status. */
const TARGETS: Record<IncidentStatus, readonly IncidentStatus[]> = {
  open: ['acknowledged', 'resolved'],
  acknowledged: ['resolved', 'closed'],
  resolved: ['closed'],
  closed: [],
};

export interface DecidedChange {
  change: IncidentChange;
  /** The lines of history that record it. */
  updates: IncidentUpdateDoc[];
}

/** Why an incident in this status takes no change; null when it does. */
export function finalRefusal(status: IncidentStatus): string | null {
  if (status !== 'closed') return null;
  return 'Incident is closed, which is a final state; it can no longer be changed';
}

/** Why an incident may not go from one status to another; null when it may. */
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
  /** The assignee from an acknowledgement on. */
  assignee: { id: string | null; name: string };
}

/** What an allowed move writes. `now` is Unix ms. */
export function moveIncident(seen: IncidentDoc, move: StatusMove, now: number): DecidedChange {
  const { to, note, actor, assignee } = move;
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
  // The checks have not ended it, so its outage may go on.
  const isOfChecks = seen.created_by === null && seen.check_id !== null;
  if (isEnd && isOfChecks) change.unjournaled = shardOf(seen.check_id as string);
  const line = lineOf(seen, 0, actor, at, { kind: 'status_change', field: 'status', from: seen.status, to });
  return { change, updates: [note === undefined ? line : { ...line, note }] };
}

const FIELDS = ['severity', 'error_message', 'affected_regions', 'description'] as const;

/** The descriptive fields that people can change. */
export type Description = Pick<IncidentChangeInput, (typeof FIELDS)[number]>;

/** True when no field is given. */
export function isEmpty(wanted: Description): boolean {
  return FIELDS.every((field) => wanted[field] === undefined);
}

/** Writes the fields that get another value, with a line of history for each; null when none does. */
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

/** Writes the postmortem, or removes it when the text is empty; null when it stays the same. */
export function rewritePostmortem(seen: IncidentDoc, text: string, author: UpdateActor, now: number) {
  if (text === (seen.postmortem?.text ?? '')) return null;
  const updated_at = nextInstant(seen, now);
  const postmortem = text === '' ? null : { text, author, updated_at };
  return { change: { postmortem, updated_at }, updates: [] };
}

/** Whole seconds from start to resolution; 0 where clocks differ and it ended before it began. */
export function recoverySeconds(startedAt: number, resolvedAt: number): number {
  return Math.max(0, Math.round((resolvedAt - startedAt) / 1000));
}

/** Later than every earlier change, also within a millisecond and when the clock is set back. */
function nextInstant(seen: IncidentDoc, now: number): number {
  return Math.max(now, seen.updated_at + 1);
}

type Recorded = Pick<IncidentUpdateDoc, 'kind' | 'field' | 'from' | 'to'>;

/** A line of history for the change to `seen`; `index` tells the lines of one change apart. */
function lineOf(seen: IncidentDoc, index: number, actor: UpdateActor, at: number, recorded: Recorded) {
  const { _id, organization_id, project_id, revision } = seen;
  const id = derivedId(_id, 'update', revision, index);
  return { _id: id, organization_id, project_id, incident_id: _id, actor, created_at: at, ...recorded };
}
