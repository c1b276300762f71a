import type { ResultItem } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { isAssigned } from '../votes/quorum-rules.ts';
import { isOfCurrentCheck } from '../votes/region-rules.ts';

/** Reports the facts that a result carries, and a certificate that is new in its region. */
export function reportSighting(step: MonitorStep, { result, region, late }: ResultItem): void {
  const { config } = step.state;
  if (late || !isOfCurrentCheck(config, result) || !isAssigned(config, region)) return;
  const { facts, tls, started_at } = result;
  const isNew = step.effects.some(({ kind }) => kind === 'certificate');
  const certificate = isNew && tls !== null && tls.fingerprint256 !== '' ? tls : null;
  if (facts === undefined && certificate === null) return;
  const { monitor_id, organization_id, project_id, check_revision } = config;
  step.effects.push({ kind: 'sighting', sighting: {
    monitor_id, organization_id, project_id, check_revision, region, seen_at: Math.round(started_at),
    position: step.position,
    ...(facts && { facts }), ...(certificate && { certificate: shownOf(certificate) }),
  } });
}

function shownOf({ subject, issuer, expires_at, fingerprint256 }: NonNullable<ResultItem['result']['tls']>) {
  return { subject, issuer, expires_at, fingerprint256 };
}
