import { derivedId } from '../../shared/ids.ts';
import { recoverySeconds } from './outbox-rules.ts';
import type { IncidentDoc, IncidentStatus, IncidentUpdateDoc, UpdateActor } from './incident.ts';
import type { IncidentChange } from './ports.ts';

/** Where an incident may go from each status. */
const TARGETS: Record<IncidentStatus, readonly IncidentStatus[]> = {
  open: ['acknowledged', 'resolved'],
  acknowledged: ['resolved', 'closed'],
  resolved: ['closed'],
  closed: [],
};

/** Why an incident that is closed takes no change; null for every other one. */
export function finalRefusal(status: IncidentStatus): string | null {
  return status === 'closed' ? 'Incident is closed, which is a final state: it cannot be changed any more' : null;
}

/** Why an incident may not go from one status to another; null when it may. */
export function moveRefusal(from: IncidentStatus, to: IncidentStatus): string | null {
  if (from === to) return `Incident is already in status: ${to}`;
  if (TARGETS[from].includes(to)) return null;
  return finalRefusal(from) ?? `Cannot change the status from ${from} to ${to}. Valid targets: ${TARGETS[from].join(', ')}`;
}

export interface StatusMove {
  to: IncidentStatus;
  note: string | undefined;
  actor: UpdateActor;
  /** Who has it from now on, when it is acknowledged. */
  assignee: { id: string | null; name: string };
}

export interface DecidedChange {
  change: IncidentChange;
  updates: IncidentUpdateDoc[];
}

/** What an allowed move writes. `now` is Unix ms. */
export function moveIncident(seen: IncidentDoc, move: StatusMove, now: number): DecidedChange {
  const at = nextInstant(seen, now);
  const { to, note, actor, assignee } = move;
  const line: IncidentUpdateDoc = { ...lineOf(seen, 0, actor, at), kind: 'status_change', field: 'status', from: seen.status, to };
  return {
    change: { status: to, updated_at: at, ...consequences(seen, to, actor, assignee, now) },
    updates: [note === undefined ? line : { ...line, note }],
  };
}

function consequences(seen: IncidentDoc, to: IncidentStatus, actor: UpdateActor, assignee: StatusMove['assignee'], now: number): Partial<IncidentChange> {
  if (to === 'acknowledged') return { acknowledged_at: now, assignee_id: assignee.id, acknowledged_by_name: assignee.name };
  if (to === 'resolved') return { resolved_at: now, resolved_by: actor.id, recovery_time_seconds: recoverySeconds(seen.started_at, now) };
  return {};
}

/** An instant for the next change: later than all before, also within one millisecond or when the clock went back. */
export function nextInstant(seen: IncidentDoc, now: number): number {
  return Math.max(now, seen.updated_at + 1);
}

/** A line of the history for the change that follows on what was seen; `index` tells the lines of one change apart. */
export function lineOf(seen: IncidentDoc, index: number, actor: UpdateActor, at: number) {
  const { _id, organization_id, project_id, revision } = seen;
  return { _id: derivedId(_id, 'update', revision, index), organization_id, project_id, incident_id: _id, actor, created_at: at };
}
