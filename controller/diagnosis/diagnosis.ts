import type { Examination } from '../../shared/contracts/examination.ts';

/** Where an outage comes from. */
export const CLASSIFICATIONS = ['target', 'path', 'dns', 'certificate', 'edge', 'probe', 'unknown'] as const;
export type Classification = (typeof CLASSIFICATIONS)[number];

/** The examination by the probe of one region. */
export interface RegionExamination {
  region: string;
  probe_id: string;
  examination: Examination;
}

/** A document of `diagnoses`. Instants are Unix ms. */
export interface DiagnosisDoc {
  _id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
  classification: Classification;
  /** One sentence. */
  summary: string;
  /** The observations that decided, one sentence each. */
  decided_by: string[];
  /** When the failure counted, or somebody requested the diagnosis. */
  failed_at: number;
  diagnosed_at: number;
  /** Requested while no probe saw the target down, so it says nothing about later incidents. */
  is_healthy?: true;
  /** The monitor checks DNS records. */
  is_dns?: true;
  regions: RegionExamination[];
}

/** The part of a diagnosis that incidents show. */
export interface DiagnosisSummary {
  id: string;
  classification: Classification;
  summary: string;
}

export function summaryOf({ _id: id, classification, summary }: DiagnosisDoc): DiagnosisSummary {
  return { id, classification, summary };
}
