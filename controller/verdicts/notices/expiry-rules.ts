import type { CheckResult, TlsFacts } from '../../../shared/contracts/result.ts';
import type { MonitorItem, SeenCertificate } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { DAY_MS, HOUR_MS } from '../time-accounting/time-accounting-rules.ts';
import { isAssigned } from '../votes/quorum-rules.ts';
import { isOfCurrentCheck } from '../votes/region-rules.ts';
import { flawsOf, warnOfCertificates } from './certificate-warning-rules.ts';

/** Probes repeat their facts once a day. A region that has not is no longer checked from. */
const FORGET_REGION_AFTER_MS = 3 * DAY_MS;
/** Earlier repetitions are ignored: a restarted probe sends its facts again. */
const MIN_SIGHTING_INTERVAL_MS = 12 * HOUR_MS;

/**
 * Records which certificates a monitor's regions see and warns once per flaw and once per certificate and
 * expiry threshold (the nearest one crossed). Opens no incident, because checks still pass.
 */
export function trackCertificate(step: MonitorStep, item: MonitorItem): void {
  if (item.kind === 'config') return applyConfigChange(step);
  if (item.kind !== 'result' || item.result.outcome === 'missed') return;
  const { result, region, late } = item;
  if (!isOfCurrentCheck(step.state.config, result)) return;
  if (result.tls) recordCertificate(step, region, result, result.tls);
  const { certificate } = step.state;
  const { started_at: at } = result;
  if (late || certificate === null || certificate.due === null || at < certificate.due) return;
  warnOfCertificates(step, certificate, at);
}

/** A changed check clears the certificates but not the warnings that were sent. */
function applyConfigChange(step: MonitorStep): void {
  const { certificate, config } = step.state;
  if (certificate === null) return;
  const isOther = step.before.config.check_revision !== config.check_revision;
  const seen = isOther ? [] : withoutRegions(certificate.seen, (region) => !isAssigned(config, region));
  step.state = { ...step.state, certificate: { ...certificate, seen, due: seen.length > 0 ? 0 : null } };
}

function recordCertificate(step: MonitorStep, region: string, result: CheckResult, facts: TlsFacts): void {
  const { config } = step.state;
  if (!isAssigned(config, region)) return;
  const { started_at: at } = result;
  const certificate = step.state.certificate ?? { seen: [], warnings: [], due: null };
  const before = certificate.seen.find((one) => one.regions[region] !== undefined);
  const notedAt = before?.regions[region] ?? -Infinity;
  const isSame = before !== undefined && isSameCertificate(before, facts);
  if (at <= notedAt || (isSame && at - notedAt < MIN_SIGHTING_INTERVAL_MS)) return;
  const others = withoutRegions(
    certificate.seen, (name, noted) => name === region || at - noted > FORGET_REGION_AFTER_MS,
  );
  const existing = others.find((one) => isSameCertificate(one, facts));
  const seen = existing
    ? others.map((one) => (one === existing ? { ...one, regions: { ...one.regions, [region]: at } } : one))
    : [...others, seenOf(facts, region, at)];
  step.state = { ...step.state, certificate: { ...certificate, seen, due: 0 } };
  const sighting = { monitor_id: config.monitor_id, region, seen_at: at, facts };
  if (!isSame) step.effects.push({ kind: 'certificate', sighting });
}

function isSameCertificate({ fingerprint256, protocol, problem }: SeenCertificate, facts: TlsFacts): boolean {
  return fingerprint256 === facts.fingerprint256 && protocol === facts.protocol
    && problem === problemOf(facts);
}

function problemOf({ valid, problem }: TlsFacts): string | null {
  return problem?.code ?? (valid ? null : 'unknown');
}

function seenOf(facts: TlsFacts, region: string, at: number): SeenCertificate {
  const { fingerprint256, protocol, expires_at } = facts;
  return {
    fingerprint256, protocol, problem: problemOf(facts), expires_at, flaws: flawsOf(facts),
    regions: { [region]: at },
  };
}

/** The certificates that regions still see, without the regions for which `isGone` is true. */
function withoutRegions(
  seen: readonly SeenCertificate[], isGone: (region: string, notedAt: number) => boolean,
): SeenCertificate[] {
  return seen.flatMap((one) => {
    const remaining = Object.entries(one.regions).filter(([region, notedAt]) => !isGone(region, notedAt));
    if (remaining.length === Object.keys(one.regions).length) return [one];
    return remaining.length === 0 ? [] : [{ ...one, regions: Object.fromEntries(remaining) }];
  });
}

/**
 * Warns before a domain expires, once per expiry date and threshold (the nearest one crossed). Opens no
 * incident, because checks still pass. The expiry is part of the configuration, so the rule runs when that
 * changes and hourly.
 */
export function warnOfDomainExpiry(step: MonitorStep, item: MonitorItem): void {
  const { config, domain_warning: last } = step.state;
  if (config.status !== 'active' || (item.kind !== 'config' && item.kind !== 'hour')) return;
  const at = item.kind === 'hour' ? item.until : config.changed_at;
  const { domain_expires_at: expiresAt, domain_warning_days: thresholds } = config;
  if (expiresAt === null) return;
  const crossed = thresholds.filter((days) => expiresAt - at <= days * DAY_MS);
  if (crossed.length === 0) return;
  const days = Math.min(...crossed);
  if (last?.expires_at === expiresAt && last.days <= days) return;
  const expiry = { expires_at: expiresAt, days };
  step.alert('monitor.domain_expiring', { incident: null, error: null, regions: [], at, expiry });
  step.state = { ...step.state, domain_warning: expiry };
}
