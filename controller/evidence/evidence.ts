import type { EvidenceMessage, ResponseEvidence } from '../../shared/contracts/evidence.ts';
import type { ProbeAddress } from '../../shared/contracts/subjects.ts';
import { derivedId } from '../../shared/ids.ts';
import type { Tenant } from '../access/tenant.ts';
import type { AssignmentHistoryEntry } from '../assignments/assignment-doc.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';

/** A document of `evidence`: what a failed check saw. Timestamps are Unix ms, corrected for clock skew. */
export interface EvidenceDoc extends ResponseEvidence {
  _id: string;
  organization_id: string;
  project_id: string;
  monitor_id: string;
  region: string;
  probe_id: string;
  error: EvidenceMessage['error'];
  /** Groups failures of one type after the same good check: usually one outage in one region. */
  series: string;
  /** The probe's previous successful check of the monitor; null if it had none. */
  last_good: ResponseEvidence | null;
}

/** Evidence as a probe has sent it. */
export interface ReceivedEvidence {
  from: ProbeAddress;
  message: EvidenceMessage;
  /** Length of the message, bytes. */
  size: number;
  /** When it arrived, Unix ms. */
  at: number;
  /** Added to the probe's timestamps, ms. */
  shiftMs: number;
}

/** Deterministic: a repeated message gives the same document, so duplicates are detected. */
export function evidenceOf({ from, message, shiftMs }: ReceivedEvidence, monitor: MonitorDoc): EvidenceDoc {
  const { monitor_id, error, last_good } = message;
  const { region, probeId: probe_id } = from;
  const { organization_id, project_id } = monitor;
  return {
    _id: derivedId('evidence', monitor_id, probe_id, message.checked_at),
    organization_id, project_id, monitor_id, region, probe_id, error,
    series: `${last_good?.checked_at ?? ''} ${error.type}`,
    ...withCorrectedTime(message, shiftMs), last_good: last_good && withCorrectedTime(last_good, shiftMs),
  };
}

function withCorrectedTime(response: ResponseEvidence, shiftMs: number): ResponseEvidence {
  const { checked_at, remote_address, addresses, status_line, headers, body_excerpt, certificate, timings } =
    response;
  return {
    checked_at: checked_at + shiftMs,
    remote_address, addresses, status_line, headers, body_excerpt, certificate, timings,
  };
}

/** What evidence needs of monitors. */
export interface MonitorLookup {
  /** The monitor if it exists and belongs to this tenant; otherwise null. */
  find(tenant: Tenant, id: string): Promise<MonitorDoc | null>;
  /** Monitors of all tenants, including deleted ones, unordered. */
  findByIds(ids: string[]): Promise<MonitorDoc[]>;
}

/** What evidence needs of assignments. */
export interface AssignmentLookup {
  /** The items of these pairs; `gone` if the probe no longer has the monitor. */
  historyOf(pairs: { probeId: string; monitorId: string }[]): Promise<AssignmentHistoryEntry[]>;
}
