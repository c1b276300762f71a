import type { CheckResult, TlsFacts } from '../../shared/contracts/result.ts';
import { DAY_MS, HOUR_MS } from './booking-rules.ts';
import { aboutExpiry, warnOfCertificates } from './certificate-warning-rules.ts';
import type { CertificateWarning, MonitorItem, SeenCertificate } from './monitor-state.ts';
import type { MonitorStep } from './monitor-step.ts';
import { isAsked } from './quorum-rules.ts';
import { isOfPresentCheck } from './region-rules.ts';
import { flawsOf } from './tls-flaw-rules.ts';

/** Probes repeat their facts once a day. A region that has not is no longer checked from. */
const FORGOTTEN_AFTER_MS = 3 * DAY_MS;
/** A repetition sooner than this is not noted: older probes send facts with every result. */
const NOTED_AGAIN_MS = 12 * HOUR_MS;

/**
 * Notes which certificates a monitor's regions see, and warns of them: once per certificate and threshold
 * before it expires (if several thresholds are crossed, of the nearest), and once of each flaw. Opens no
 * incident, because nothing is broken yet; what fails because of its certificate is alerted as an outage.
 */
export function watchCertificate(step: MonitorStep, item: MonitorItem): void {
  if (item.kind === 'config') return lookAgain(step);
  if (item.kind !== 'result' || item.result.outcome === 'missed') return;
  const { result, region, late } = item;
  if (!isOfPresentCheck(step.state.config, result)) return;
  if (result.tls) note(step, region, result, result.tls);
  const { certificate } = step.state;
  const { started_at: at } = result;
  if (late || certificate === null || certificate.due === null || at < certificate.due) return;
  warnOfCertificates(step, certificate, at);
}

/** A changed check forgets what was seen, but never what was told. */
function lookAgain(step: MonitorStep): void {
  const { certificate, config } = step.state;
  if (certificate === null) return;
  const isOther = step.before.config.check_revision !== config.check_revision;
  const seen = isOther ? [] : without(certificate.seen, (region) => !isAsked(config, region));
  step.state = { ...step.state, certificate: { ...certificate, seen, due: seen.length > 0 ? 0 : null } };
}

function note(step: MonitorStep, region: string, result: CheckResult, facts: TlsFacts): void {
  const { config, warned } = step.state;
  if (!isAsked(config, region)) return;
  const { started_at: at } = result;
  const certificate =
    step.state.certificate ?? { seen: [], told: toldBefore(warned?.tls ?? null), due: null };
  const before = certificate.seen.find((one) => one.regions[region] !== undefined);
  const notedAt = before?.regions[region] ?? -Infinity;
  const isSame = before !== undefined && isOf(before, facts);
  if (at <= notedAt || (isSame && at - notedAt < NOTED_AGAIN_MS)) return;
  const others = without(
    certificate.seen, (name, noted) => name === region || at - noted > FORGOTTEN_AFTER_MS,
  );
  const known = others.find((one) => isOf(one, facts));
  const seen = known
    ? others.map((one) => (one === known ? { ...one, regions: { ...one.regions, [region]: at } } : one))
    : [...others, seenOf(facts, region, at)];
  step.state = { ...step.state, certificate: { ...certificate, seen, due: 0 } };
  const sighting = { monitor_id: config.monitor_id, region, seen_at: at, facts };
  if (!isSame) step.effects.push({ kind: 'certificate', sighting });
}

/** Earlier versions remembered only the last expiry that they had warned of. */
function toldBefore(warned: { expires_at: number; days: number } | null): CertificateWarning[] {
  return warned === null ? [] : [{ about: aboutExpiry(warned.expires_at), days: warned.days, at: 0 }];
}

function isOf({ fingerprint256, protocol, problem }: SeenCertificate, facts: TlsFacts): boolean {
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

/** The certificates that regions still see when those of which `isGone` is true are left out. */
function without(
  seen: readonly SeenCertificate[], isGone: (region: string, notedAt: number) => boolean,
): SeenCertificate[] {
  return seen.flatMap((one) => {
    const left = Object.entries(one.regions).filter(([region, notedAt]) => !isGone(region, notedAt));
    if (left.length === Object.keys(one.regions).length) return [one];
    return left.length === 0 ? [] : [{ ...one, regions: Object.fromEntries(left) }];
  });
}
