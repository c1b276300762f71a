import type { Assignment, AssignmentChange } from '../../shared/contracts/assignment.ts';

/** A document of `assignments`: what one probe should do about one monitor. */
export interface AssignmentDoc {
  /** `<probe_id>:<monitor_id>`: a probe's items are a range of `_id`. */
  _id: string;
  probe_id: string;
  monitor_id: string;
  organization_id: string;
  region: string;
  /** The probe's revision that this item came with; 0 until its first change has one. */
  rev: number;
  /** A tombstone: the probe is to drop the monitor. */
  gone: boolean;
  /** Revision of the monitor that this follows from: an older one never overwrites it. */
  monitor_rev: number;
  /** Null in a tombstone. */
  assignment: Assignment | null;
  /** The probe's id while the change has no revision yet. */
  pending?: string;
  /** Names the write that is pending. */
  token?: string;
  /** Unix ms. */
  changed_at: number;
}

/** Whether a probe has a monitor, or when (`changed_at`) it lost it. */
export type AssignmentHistoryEntry = Pick<AssignmentDoc, 'probe_id' | 'monitor_id' | 'rev' | 'gone' | 'changed_at'>;

/** A change of one probe's set, as decided; without an assignment the monitor leaves it. */
export type PlannedChange = Pick<
  AssignmentDoc,
  'probe_id' | 'region' | 'organization_id' | 'monitor_id' | 'monitor_rev' | 'assignment'
>;

/** A change as it travels. */
export function toAssignmentChange(change: Pick<PlannedChange, 'monitor_id' | 'assignment'>): AssignmentChange {
  return change.assignment === null ? { gone: change.monitor_id } : { set: change.assignment };
}
