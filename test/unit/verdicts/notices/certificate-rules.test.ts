import { describe, expect, test } from 'vitest';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import type { TlsFacts } from '../../../../shared/contracts/result.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun } from '../build.ts';
import { BARE_FACTS } from '../../../helpers/tls-facts.ts';

const DAY_S = 86_400;
const atDay = (day: number): number => HOUR + day * DAY_S * 1000;
const SELF_SIGNED = { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', message: 'The certificate is self-signed' };

/** A valid certificate that expires on that day, which also is its fingerprint. */
function tls(expiresOnDay: number, overrides: Partial<TlsFacts> = {}): TlsFacts {
  return {
    ...BARE_FACTS, valid: true, expires_at: atDay(expiresOnDay), issuer: 'ca', subject: 'host',
    fingerprint256: `${expiresOnDay}`, protocol: 'TLSv1.3', key: 'EC P-256', ...overrides,
  };
}
const selfSigned = (overrides: Partial<TlsFacts> = {}) => tls(90, { valid: false, problem: SELF_SIGNED, ...overrides });

const warning = (days: number[], rest: Partial<MonitorConfig> = {}) =>
  new MonitorRun({ tls_warning_days: days, tls_validity: true, ...rest });

/** The warnings: the threshold or the flaw, and the day. */
function warnings(run: MonitorRun): string[] {
  return run.effects.flatMap((effect) => {
    if (effect.kind !== 'alert' || effect.alert.event !== 'monitor.ssl_expiring') return [];
    const { expiry, problem, at } = effect.alert;
    return [`${expiry ? `${expiry.days} days` : problem?.code} @${Math.floor((at - HOUR) / DAY_S / 1000)}`];
  });
}

const sightings = (run: MonitorRun): string[] => run.effects.flatMap((effect) =>
  (effect.kind === 'certificate' ? [`${effect.sighting.region} ${effect.sighting.facts.fingerprint256}`] : []));

describe('an expiring certificate', () => {
  test('causes one warning per threshold, although only the first result carries it', () => {
    const run = warning([30, 14, 7, 1]);
    run.result(1, { tls: tls(60) });
    for (let hour = 1; hour < 60 * 24; hour += 1) run.result(1 + hour * 3600);
    expect(warnings(run)).toEqual(['30 days @30', '14 days @46', '7 days @53', '1 days @59']);
    expect(run.lines.filter((one) => one.startsWith('open'))).toEqual([]);
  });

  test('causes no further warning when its facts are repeated, daily or with each result', () => {
    const run = warning([30, 14, 7, 1]);
    for (let hour = 0; hour < 60 * 24; hour += 6) run.result(1 + hour * 3600, { tls: tls(60) });
    expect(warnings(run)).toHaveLength(4);
    expect(sightings(run)).toEqual(['eu 60']);
  });

  test('first seen late causes one warning, at the nearest threshold', () => {
    const run = warning([30, 14, 7, 1]);
    for (let at = 1; at < 5; at += 1) run.result(at, { tls: tls(5) });
    expect(warnings(run)).toEqual(['7 days @0']);
  });

  test('seen in two regions causes one warning, and a new certificate causes another', () => {
    const run = warning([30, 7]);
    run.result(1, { tls: tls(20) });
    run.result(2, { tls: tls(20), region: 'us' });
    run.result(3, { tls: tls(90) });
    run.result(4, { tls: tls(90), region: 'us' });
    run.result(60 + 70 * DAY_S);
    expect(warnings(run)).toEqual(['30 days @0', '30 days @70']);
  });

  test('counts as long as any region sees it, and the warning names that region', () => {
    const run = warning([7]);
    run.result(1, { tls: tls(20) });
    run.result(2, { tls: tls(20), region: 'us' });
    run.result(3, { tls: tls(90) });
    for (let day = 1; day < 20; day += 1) {
      run.result(day * DAY_S, { tls: tls(90) });
      run.result(1 + day * DAY_S, { tls: tls(20), region: 'us' });
    }
    expect(warnings(run)).toEqual(['7 days @13']);
    const [alert] = run.effects.flatMap((effect) => (effect.kind === 'alert' ? [effect.alert] : []));
    expect(alert?.regions).toEqual(['us']);
  });

  test('no longer counts when its region has not reported it for three days', () => {
    const run = warning([7]);
    run.result(1, { tls: tls(20), region: 'us' });
    for (let day = 1; day < 60; day += 1) run.result(day * DAY_S, { tls: tls(90) });
    expect(warnings(run)).toEqual([]);
  });

  test('that alternates with another one behind a load balancer causes no repeated warning', () => {
    const run = warning([30, 7]);
    for (let at = 0; at < 50; at += 1) run.result(1 + at * 60, { tls: tls(at % 2 === 0 ? 5 : 20) });
    expect(warnings(run)).toEqual(['7 days @0', '30 days @0']);
  });

  test('causes a warning exactly at the threshold, not a millisecond earlier', () => {
    const run = warning([7]);
    run.result(1, { tls: tls(10) });
    run.result(3 * DAY_S - 0.001);
    expect(warnings(run)).toEqual([]);
    run.result(3 * DAY_S);
    expect(warnings(run)).toEqual(['7 days @3']);
  });

  test('causes a warning at once when a threshold is added, and none when another setting changes', () => {
    const run = warning([]);
    run.result(1, { tls: tls(10) });
    run.change(10, { tls_warning_days: [14], check_revision: 1 });
    run.result(11);
    run.change(12, { name: 'renamed', check_revision: 1 });
    run.result(13);
    run.change(14, {});
    run.result(15, { tls: tls(10) });
    expect(warnings(run)).toEqual(['14 days @0']);
  });

  test('causes no warning from late results only, during a pause or after a changed check', () => {
    const late = warning([7]);
    late.result(1, { tls: tls(5), late: true });
    const paused = warning([7], { status: 'paused' });
    paused.result(1, { tls: tls(5) });
    const changed = warning([7]);
    changed.result(1, { tls: tls(10) });
    changed.change(2, {});
    changed.result(5 * DAY_S);
    expect([late, paused, changed].map(warnings)).toEqual([[], [], []]);
    late.result(2);
    expect(warnings(late)).toEqual(['7 days @0']);
  });
});

describe('a flaw', () => {
  test('causes one warning per certificate', () => {
    const run = warning([]);
    for (let day = 0; day < 5; day += 1) run.result(1 + day * DAY_S, { tls: selfSigned() });
    run.result(6 * DAY_S, { tls: selfSigned({ fingerprint256: 'other' }) });
    expect(warnings(run)).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT @0', 'DEPTH_ZERO_SELF_SIGNED_CERT @6']);
  });

  test('of the protocol, the key or the signature causes a warning in addition to one of the certificate', () => {
    const run = warning([]);
    run.result(1, { tls: selfSigned({ protocol: 'TLSv1.1', key: 'RSA 1024', weak_signature: 'SHA-1' }) });
    expect(warnings(run)).toEqual([
      'DEPTH_ZERO_SELF_SIGNED_CERT @0', 'weak_protocol @0', 'weak_key @0', 'weak_signature @0',
    ]);
  });

  test('causes no warning if the monitor has these disabled', () => {
    const run = warning([7], { tls_validity: false });
    run.result(1, { tls: selfSigned({ protocol: 'TLSv1' }) });
    expect(warnings(run)).toEqual([]);
  });

  test('that makes the check fail is alerted only as an outage', () => {
    const run = warning([7]);
    const error = { type: 'ssl_error' as const, layer: 'tls' as const, message: SELF_SIGNED.message };
    for (let at = 1; at < 5; at += 1) {
      run.result(at, { outcome: 'failure', error, tls: selfSigned({ expires_at: atDay(5) }) });
    }
    expect(warnings(run)).toEqual([]);
    expect(run.lines.filter((one) => one.startsWith('monitor.down'))).toHaveLength(1);
  });

  test('causes a warning although the check fails for another reason', () => {
    const run = warning([]);
    run.result(1, { outcome: 'failure', tls: selfSigned() });
    expect(warnings(run)).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT @0']);
  });

  test('of expiry causes no second warning', () => {
    const run = warning([7, 1]);
    const expired = { valid: false, problem: { code: 'CERT_HAS_EXPIRED', message: 'expired' } };
    run.result(1, { tls: tls(-1, expired) });
    run.result(2, { tls: tls(-1, expired) });
    expect(warnings(run)).toEqual(['CERT_HAS_EXPIRED @0']);
  });

  test('of constantly changing certificates causes at most four warnings a day', () => {
    const run = warning([]);
    for (let hour = 0; hour < 48; hour += 1) {
      run.result(1 + hour * 3600, { tls: selfSigned({ fingerprint256: `number ${hour}` }) });
    }
    expect(warnings(run)).toHaveLength(8);
    expect(run.state.certificate?.seen).toHaveLength(1);
    expect(run.state.certificate?.warnings.length).toBeLessThanOrEqual(16);
  });
});

test('a certificate is stored when a region sees a different one, not while it stays the same', () => {
  const run = warning([]);
  run.result(1, { tls: tls(60) });
  run.result(2, { tls: tls(60), region: 'us' });
  run.result(3);
  run.result(DAY_S, { tls: tls(60) });
  run.result(DAY_S + 1, { tls: tls(90) });
  run.result(DAY_S + 2, { tls: tls(90, { valid: false, problem: SELF_SIGNED }) });
  expect(sightings(run)).toEqual(['eu 60', 'us 60', 'eu 90', 'eu 90']);
});

test('an older result does not change the known certificate', () => {
  const run = warning([]);
  run.result(10, { tls: tls(90) });
  run.result(5, { tls: tls(60), late: true });
  expect(run.state.certificate?.seen.map(({ fingerprint256 }) => fingerprint256)).toEqual(['90']);
});
