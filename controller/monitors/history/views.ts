import type { z } from 'zod';
import type { CheckResult, TlsFacts } from '../../../shared/contracts/result.ts';
import type { StoredResult } from '../../results/hours/stored-result.ts';
import type { RegionCertificate } from '../../results/reading/certificates.ts';
import type { MonitorLive } from '../../results/reading/recent/unwritten-monitor.ts';
import type { StatusSpan } from '../../results/reading/history/history-page.ts';
import type { Assigned } from '../../verdicts/monitor-state.ts';
import { votesOf } from '../../verdicts/votes/quorum-rules.ts';
import type { ReplayedIncident } from '../../verdicts/outage-replay.ts';
import type { MonitorDoc } from '../monitor.ts';
import type { RegionRun } from '../ports.ts';
import type {
  certificateResponse, certificateView, regionsResponse, resultView, simulationResponse,
  statusHistoryResponse,
} from './responses.ts';

type ResultView = z.input<typeof resultView>;
type ResultFields = Pick<
  CheckResult & StoredResult,
  'outcome' | 'degraded' | 'response_time_ms' | 'status_code' | 'error' | 'timings' | 'started_at' | 'missed'
> & Partial<Pick<StoredResult, 'late' | 'received'>>;

const NOT_REPORTED = {
  status: 'unknown', reason: null, last_check_at: null, response_time_ms: null, probe_id: null,
} as const;
const MISSED = {
  outcome: 'missed', degraded: false, response_time_ms: null, status_code: null, error: null, timings: null,
  missed: null,
} as const;

export function viewReplayed(incidents: ReplayedIncident[]): z.input<typeof simulationResponse>['incidents'] {
  return incidents.map(({ votes, ...rest }) => ({
    ...rest,
    votes: votes.map(({ at, region, probe_id, vote, weight, reason, error, attempt }) => ({
      at: at ?? null, region, probe_id: probe_id ?? null, vote, weight, reason: reason ?? null,
      error: error ?? null, attempt: attempt ?? null,
    })),
  }));
}

/** `probeId` is empty for a ping, which does not come from a probe. */
export function viewResult(
  monitorId: string, region: string, probeId: string | null, found: ResultFields,
): ResultView {
  const { outcome, degraded, response_time_ms, status_code, error, timings, started_at, missed } = found;
  const { late = false, received } = found;
  return {
    monitor_id: monitorId, region, probe_id: probeId === '' ? null : probeId,
    success: outcome === 'success', outcome, degraded, response_time_ms, status_code, error, timings,
    checked_at: started_at, reason: missed?.reason,
    late, received_at: received?.at, epoch: received?.epoch,
  };
}

/** Shows a region without a result as a missed check with the reason. */
export function viewRun(monitorId: string, run: RegionRun, now: number): ResultView {
  const { region, probe_id, result, reason } = run;
  if (result !== null) return viewResult(monitorId, region, probe_id, result);
  const missed = viewResult(monitorId, region, probe_id, { started_at: now, ...MISSED });
  return { ...missed, reason: reason ?? 'unreachable' };
}

type SpanView = z.input<typeof statusHistoryResponse>['history'][number];

export function viewSpan(span: StatusSpan, now: number): SpanView {
  return { duration_seconds: Math.max(0, Math.floor(((span.to ?? now) - span.from) / 1000)), ...span };
}

export function viewTlsFacts(facts: TlsFacts): z.input<typeof certificateView> {
  const { subject, issuer, names, more_names, valid_from, valid, protocol, key } = facts;
  const { expires_at: valid_to, fingerprint256: fingerprint_sha256, problem } = facts;
  return {
    subject, issuer, names, more_names, valid_from, valid_to, fingerprint_sha256, is_trusted: valid,
    problem: problem?.message ?? (valid ? null : 'The certificate cannot be verified'), protocol, key,
  };
}

type CertificateView = z.input<typeof certificateResponse>['certificate'];

export function viewCertificate(facts: TlsFacts, regions: RegionCertificate[]): CertificateView {
  const seen = regions.map(({ region, fingerprint256, expires_at, checked_at }) =>
    ({ region, fingerprint_sha256: fingerprint256, valid_to: expires_at, checked_at }));
  return { regions: seen, ...viewTlsFacts(facts) };
}

type RegionsView = z.input<typeof regionsResponse>['regions'];

/**
 * Regions that have reported or in which the monitor runs, by id. `runsIn` has the reason for a missing vote.
 */
export function viewRegions(
  live: MonitorLive | null, runsIn: ReadonlyMap<string, string | null>,
): RegionsView {
  const reported = new Map(live?.regions.map((region) => [region.region, region]));
  return [...new Set([...reported.keys(), ...runsIn.keys()])].sort().map((id) => {
    const { status, ...facts } =
      reported.get(id) ?? { ...NOT_REPORTED, region: id, reason: runsIn.get(id) ?? NOT_REPORTED.reason };
    return { status: status === 'paused' ? 'unknown' : status, ...facts };
  });
}

/** Why an active monitor is unknown; null if it is not unknown or is a heartbeat. */
export function whyUnknown(
  doc: Pick<MonitorDoc, 'status' | 'type' | 'confirmation_policy'>, live: MonitorLive | null,
  regions: RegionsView,
  { runsIn, domains }: { runsIn: ReadonlyMap<string, unknown> } & Pick<Assigned, 'domains'>,
): string | null {
  const isUnknown = (live?.status ?? 'unknown') === 'unknown';
  if (!isUnknown || doc.status !== 'active' || doc.type === 'HEARTBEAT') return null;
  const voters = regions.filter(({ region, status }) => status !== 'unknown' && runsIn.has(region));
  const votes = votesOf(domains, voters.map(({ region }) => region));
  const { regions: quorum } = doc.confirmation_policy;
  if (votes === 0) return 'No region has a vote';
  return typeof quorum === 'number' ? `${quorum} votes are needed, but only ${votes} can be counted` : null;
}
