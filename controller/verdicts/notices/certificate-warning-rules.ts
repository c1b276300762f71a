import type { TlsFacts } from '../../../shared/contracts/result.ts';
import type { MonitorConfig } from '../monitor-config.ts';
import type { CertificateState, SeenCertificate } from '../monitor-state.ts';
import type { MonitorStep } from '../monitor-step.ts';
import { DAY_MS, HOUR_MS } from '../time-accounting/time-accounting-rules.ts';

/** Warnings remembered per monitor, so that alternating certificates cause no repeated warnings. */
const MAX_WARNINGS = 16;
/** Certificate warnings per monitor in 24 hours. Further ones are delayed. */
const MAX_WARNINGS_PER_DAY = 4;

type Warning = Pick<Parameters<MonitorStep['alert']>[1], 'expiry' | 'problem'>;
type Warn = (of: SeenCertificate, about: string, warning: Warning) => void;

/**
 * Warns of new expiries and flaws seen at `at` (Unix ms) and computes when the next warning can be due: at
 * the next threshold, or in an hour if the daily limit is reached.
 */
export function warnOfCertificates(step: MonitorStep, certificate: CertificateState, at: number): void {
  const { config, regions } = step.state;
  // If the check fails because of the certificate, the outage covers it.
  const seen = certificate.seen.filter((one) =>
    Object.keys(one.regions).some((region) => regions[region]?.error?.type !== 'ssl_error'));
  const hasSeveral = certificate.seen.length > 1;
  let { warnings } = certificate;
  let isOverLimit = false;
  const warn = (of: SeenCertificate, about: string, warning: Warning): void => {
    const { days = null } = warning.expiry ?? {};
    if (warnings.some((one) => one.about === about && (days === null || (one.days ?? 0) <= days))) return;
    isOverLimit ||= warnings.filter((one) => at - one.at < DAY_MS).length >= MAX_WARNINGS_PER_DAY;
    if (isOverLimit) return;
    warnings = [...warnings, { about, days, at }].slice(-MAX_WARNINGS);
    const where = hasSeveral ? Object.keys(of.regions) : [];
    step.alert('monitor.ssl_expiring', { incident: null, error: null, regions: where, at, ...warning });
  };
  if (config.tls_validity) {
    for (const one of seen) {
      for (const problem of one.flaws) warn(one, `${problem.code} ${one.fingerprint256}`, { problem });
    }
  }
  const next = warnOfFirstExpiry(seen, config, at, warn);
  const due = isOverLimit ? at + HOUR_MS : next;
  step.state = { ...step.state, certificate: { ...certificate, warnings, due } };
}

/** Warns of the first certificate to expire. Returns the time of its next threshold, or null. */
function warnOfFirstExpiry(
  seen: readonly SeenCertificate[], config: MonitorConfig, at: number, warn: Warn,
): number | null {
  const dated = seen.filter((one) => one.expires_at !== null);
  const [first] = dated.sort((one, other) => (one.expires_at as number) - (other.expires_at as number));
  const thresholds = config.tls_warning_days;
  if (!first || thresholds.length === 0) return null;
  const expiresAt = first.expires_at as number;
  const crossed = thresholds.filter((days) => expiresAt - at <= days * DAY_MS);
  const isWarnedAsFlaw = config.tls_validity && first.problem === 'CERT_HAS_EXPIRED';
  if (crossed.length > 0 && !isWarnedAsFlaw) {
    warn(first, aboutExpiry(expiresAt), { expiry: { expires_at: expiresAt, days: Math.min(...crossed) } });
  }
  const upcoming = thresholds.map((days) => expiresAt - days * DAY_MS).filter((instant) => instant > at);
  return upcoming.length === 0 ? null : Math.min(...upcoming);
}

/** The key of an expiry among the warnings that were sent. */
export function aboutExpiry(expiresAt: number): string {
  return `expiry ${expiresAt}`;
}

/** A flaw of a TLS connection or its certificate: a code that never changes, and a sentence. */
export interface TlsFlaw {
  code: string;
  message: string;
}

const OUTDATED_PROTOCOLS = new Set(['SSLv3', 'TLSv1', 'TLSv1.1']);
/** Keys with fewer bits are weak, by type: the minimum that public authorities still sign. */
const MIN_KEY_BITS: Readonly<Record<string, number>> = Object.freeze({ RSA: 2048, DSA: 2048, EC: 256 });
const MAX_MESSAGE_LENGTH = 256;

/**
 * The flaws of a connection, in a fixed order: untrusted certificate, protocol older than TLS 1.2, short key,
 * signature with a broken hash. Empty if there are none.
 */
export function flawsOf({ valid, problem, protocol, key, weak_signature: hash }: TlsFacts): TlsFlaw[] {
  const flaws: TlsFlaw[] = [];
  if (problem) flaws.push({ code: problem.code, message: problem.message.slice(0, MAX_MESSAGE_LENGTH) });
  else if (!valid) flaws.push({ code: 'unknown', message: 'The certificate cannot be verified' });
  if (OUTDATED_PROTOCOLS.has(protocol)) {
    flaws.push({ code: 'weak_protocol', message: `The server uses ${protocol}, which is outdated` });
  }
  if (isWeak(key)) flaws.push({ code: 'weak_key', message: `The certificate has a weak key (${key})` });
  if (hash) {
    flaws.push({ code: 'weak_signature', message: `The certificate is signed with ${hash}, which is broken` });
  }
  return flaws;
}

/** `key` is a type and a size or curve: `RSA 1024`, `EC P-192`. */
function isWeak(key: string): boolean {
  const [type = '', size = ''] = key.split(' ');
  const bits = Number(/\d{3,5}/.exec(size)?.[0] ?? NaN);
  return bits < (MIN_KEY_BITS[type] ?? 0);
}
