import { describe, expect, test } from 'vitest';
import { featuresOf } from '../../../../controller/verdicts/features/feature-rules.ts';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import type { CheckResult, ErrorType } from '../../../../shared/contracts/result.ts';
import { BARE_FACTS } from '../../../helpers/tls-facts.ts';
import { MonitorRun } from '../build.ts';

const HOUR_S = 3600;
const [HERE, THERE] = ['192.0.2.7', '198.51.100.8'];

const addressesOf = (run: MonitorRun): string[] => featuresOf(run.state)
  .flatMap((feature) => (feature.startsWith('address:') ? feature.slice('address:'.length) : []));
const seen = (address: string): Partial<CheckResult> => ({ remote_address: address });

describe('a monitor', () => {
  test.each<[of: Partial<MonitorConfig>, features: string[]]>([
    [{ target: 'https://shop.example/' }, []],
    [{ target: 'https://192.0.2.7:8443/x' }, ['address:192.0.2.7', 'network:192.0.2.0/24']],
    [{ target: 'https://[2001:DB8:1:2::7]/' }, ['address:2001:db8:1:2::7', 'network:2001:db8:1::/48']],
    [{ type: 'TCP', target: '192.0.2.7:25' }, ['address:192.0.2.7', 'network:192.0.2.0/24']],
    [{ type: 'ICMP', target: '192.0.2.7' }, ['address:192.0.2.7', 'network:192.0.2.0/24']],
    [{ type: 'ICMP', target: '2001:db8:1:2::7' }, ['address:2001:db8:1:2::7', 'network:2001:db8:1::/48']],
    [{ type: 'DNS', target: 'shop.example', name_server: '192.0.2.53' }, ['name_server:192.0.2.53']],
    [{ type: 'HEARTBEAT', target: '', assigned: ['eu'], group_id: 'jobs' }, ['group:jobs']],
    [{ depends_on: ['router', 'uplink'], group_id: 'shops' }, ['dependency:router', 'dependency:uplink', 'group:shops']],
    [{ assigned: ['eu'] }, ['region:eu']],
    [{ assigned: ['eu', 'us'] }, []],
    [{ monitoring_regions: ['eu'] }, ['region:eu']],
    [{ monitoring_regions: ['eu'], assigned: ['eu', 'us'] }, []],
    [{ target: 'https://192.0.2.7/', group_id: 'shops', status: 'paused' }, []],
  ])('with %o has %j', (of, features) => {
    expect(featuresOf(new MonitorRun(of).state)).toEqual(features);
  });

  test('has the addresses of its results, and their networks', () => {
    const run = new MonitorRun();
    run.result(1, seen(THERE));
    run.result(2, seen(HERE));
    run.result(3, seen('::ffff:192.0.2.7'));
    expect(featuresOf(run.state)).toEqual([
      `address:${HERE}`, `address:${THERE}`, 'network:192.0.2.0/24', 'network:198.51.100.0/24',
    ]);
  });

  test('loses an address that no result had for two hours once another one is seen', () => {
    const run = new MonitorRun();
    run.result(0, seen(THERE));
    for (let hour = 1; hour < 3; hour += 1) run.result(hour * HOUR_S, seen(HERE));
    expect(addressesOf(run)).toEqual([HERE]);
  });

  test('has at most eight addresses', () => {
    const run = new MonitorRun();
    for (let at = 1; at < 12; at += 1) run.result(at, seen(`192.0.2.${at}`));
    expect(addressesOf(run)).toHaveLength(8);
  });

  test('has no address of another check, a late result, a region without the monitor, or a DNS server', () => {
    const run = new MonitorRun({ assigned: ['eu'] });
    run.result(1, seen(HERE));
    run.change(2, { target: 'https://other.example/' });
    run.result(3, { ...seen(HERE), assignment_rev: 1 });
    run.result(4, { ...seen(HERE), late: true });
    run.result(5, { ...seen(HERE), region: 'us' });
    expect(addressesOf(run)).toEqual([]);
    const dns = new MonitorRun({ type: 'DNS' });
    dns.result(1, seen(HERE));
    expect(addressesOf(dns)).toEqual([]);
  });
});

describe('an outage', () => {
  const common = { depends_on: ['router'], assigned: ['eu'], group_id: 'shops' };
  const certificate = (problem: string | null): CheckResult['tls'] => ({
    ...BARE_FACTS, valid: problem === null, expires_at: null, issuer: 'ca', subject: 'shop', fingerprint256: 'AA',
    protocol: 'TLSv1.3', problem: problem === null ? null : { code: problem, message: problem },
  });

  /** The features of the incident that a failure opens after a check that saw the address and the certificate. */
  function featuresAfter(of: Partial<MonitorConfig>, type: ErrorType, tls: CheckResult['tls'] = certificate(null)): string[] {
    const run = new MonitorRun({ ...common, ...of });
    run.result(1, { ...seen(HERE), tls });
    run.result(2, { outcome: 'failure', error: { type, message: type } });
    const [opening] = run.effects.flatMap((effect) => (effect.kind === 'open' ? effect.opening : []));
    return opening?.features ?? [];
  }

  const ADDRESS = [`address:${HERE}`, 'network:192.0.2.0/24'];
  test.each<[type: ErrorType, of: Partial<MonitorConfig>, rare: string[]]>([
    ['connection_error', {}, ADDRESS],
    ['timeout', {}, ADDRESS],
    ['status_code', {}, ADDRESS],
    ['dns_error', {}, []],
    ['ssl_error', {}, ADDRESS],
    ['dns_validation_error', { type: 'DNS', name_server: '192.0.2.53' }, ['name_server:192.0.2.53']],
    ['timeout', { type: 'DNS', name_server: '192.0.2.53' }, ['name_server:192.0.2.53']],
  ])('of type %s of %o can be about its dependency, region and group, and %j', (type, of, rare) => {
    expect(featuresAfter(of, type)).toEqual(['dependency:router', ...rare, 'region:eu', 'group:shops']);
  });

  test('of a handshake can be about the certificate instead of the address if that is invalid', () => {
    expect(featuresAfter({}, 'ssl_error', certificate('CERT_HAS_EXPIRED')))
      .toEqual(['dependency:router', 'certificate:AA', 'region:eu', 'group:shops']);
    expect(featuresAfter({}, 'timeout', certificate('CERT_HAS_EXPIRED')))
      .toEqual(['dependency:router', ...ADDRESS, 'region:eu', 'group:shops']);
  });
});
