import type { Assignment, AssignmentChange } from '../../shared/contracts/assignment.ts';

/** A document of `assignments`: what one probe should do about one monitor. */
export interface AssignmentDoc {
  /** `<probe_id>:<monitor_id>`, so that a range of `_id` selects a probe's items. */
  _id: string;
  probe_id: string;
  monitor_id: string;
  organization_id: string;
  region: string;
  /** The probe's revision that includes this item; 0 until its first change has one. */
  rev: number;
  /** A tombstone: the probe must drop the monitor. */
  gone: boolean;
  /** The monitor revision that this item was derived from. An older one never overwrites a newer one. */
  monitor_rev: number;
  /** Null in a tombstone. */
  assignment: Assignment | null;
  /** The probe's id while the change has no revision yet. */
  pending?: string;
  /** Identifies the pending write. */
  token?: string;
  /** Unix ms. */
  changed_at: number;
}

/** Whether a probe has a monitor, or when (`changed_at`) it lost it. */
export type AssignmentHistoryEntry = Pick<AssignmentDoc, 'probe_id' | 'monitor_id' | 'rev' | 'gone' | 'changed_at'>;

/** A planned change of one probe's set. Without an assignment, the monitor leaves the set. */
export type PlannedChange = Pick<
  AssignmentDoc,
  'probe_id' | 'region' | 'organization_id' | 'monitor_id' | 'monitor_rev' | 'assignment'
>;

/** The change in the format that probes receive. */
export function toAssignmentChange(change: Pick<PlannedChange, 'monitor_id' | 'assignment'>): AssignmentChange {
  return change.assignment === null ? { gone: change.monitor_id } : { set: change.assignment };
}
