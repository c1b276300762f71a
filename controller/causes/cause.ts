import type { Feature, FeatureKind } from '../verdicts/features/feature-rules.ts';

/**
 * A document of `causes`: what several incidents of an organization have in common. Its incidents have its
 * id. Instants are Unix ms.
 */
export interface CauseDoc {
  _id: string;
  organization_id: string;
  /** Projects with an incident of it. */
  project_ids: string[];
  kind: FeatureKind;
  value: string;
  /** How many monitors of the organization had the feature at the last decision. */
  monitors_having: number;
  /** When the first of its incidents began. */
  started_at: number;
  /** When the last of its incidents ended; null while one is open or acknowledged. */
  ended_at: number | null;
}

/** An incident that may have a cause. */
export interface StartedIncident {
  id: string;
  project_id: string;
  monitor_id: string;
  started_at: number;
  /** What the outage can be about. */
  features: readonly string[];
  cause_id: string | null;
}

/** Incidents that get a cause, which may be new. */
export interface CauseDecision {
  cause_id: string;
  feature: Feature;
  incident_ids: string[];
}
