import type { ErrorType } from '../../shared/contracts/result.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import type { IncidentDoc } from './incident.ts';

/** An incident as it was opened by checks. Instants are Unix ms. */
export interface PastIncident {
  id: string;
  monitor_id: string;
  project_id: string;
  severity: Severity;
  type: ErrorType;
  error_message: string;
  features: string[];
  started_at: number;
  opened_at: number;
  acknowledged_at: number | null;
  /** When it ended, whether a person ended it, and when it was changed last; null while it has not ended. */
  ended: { at: number; by_hand: boolean; changed_at: number } | null;
  late: boolean;
  /** End of the maintenance in which it began; null if it did not. */
  maintenance_until: number | null;
}

/** The fields of a document that it is made from. */
export const PAST = {
  project_id: 1, check_id: 1, status: 1, severity: 1, type: 1, error_message: 1, features: 1, started_at: 1,
  acknowledged_at: 1, resolved_at: 1, resolved_by: 1, late: 1, maintenance_until: 1, created_at: 1,
  updated_at: 1,
} as const;
export type PastDoc = Pick<IncidentDoc, '_id' | keyof typeof PAST>;

export function viewPast(doc: PastDoc): PastIncident {
  const { _id: id, check_id, project_id, severity, type, error_message, features = [], started_at } = doc;
  const { created_at: opened_at, acknowledged_at = null, maintenance_until = null, late = false } = doc;
  const { status, resolved_at, resolved_by, updated_at } = doc;
  const isOver = status === 'resolved' || status === 'closed';
  return {
    id, monitor_id: check_id ?? '', project_id, severity, type, error_message, features, started_at, opened_at,
    acknowledged_at, maintenance_until, late,
    ended: isOver
      ? { at: resolved_at ?? updated_at, by_hand: resolved_by !== 'system', changed_at: updated_at } : null,
  };
}
