import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeBatch } from '../../shared/contracts/result-pack.ts';
import type { CheckResult, TlsFacts } from '../../shared/contracts/result.ts';
import { BARE_FACTS } from '../helpers/tls-facts.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Loose } from '../helpers/api-client.ts';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { shardMap } from '../helpers/shard-map.ts';

let rig: ControllerRig;
const probes = new Map<string, TestProbe>();
const DAY_MS = 86_400_000;

beforeAll(async () => {
  rig = await startControllerRig();
  await rig.session.ok('POST', '/api/regions', { id: 'eu', name: 'Europe', city: 'Oslo', country: 'NO' });
  for (const region of ['local', 'eu']) {
    const probe = await rig.probe(region, { session: rig.session, region });
    probe.beat();
    await probe.follow();
    probes.set(region, probe);
  }
});
afterAll(() => rig?.stop());

async function create(): Promise<string> {
  const { monitor } = await rig.session.ok<Loose>('POST', '/api/monitors', {
    name: 'Shop', type: 'HTTP', target: 'https://127.0.0.1:9/', interval_seconds: 60,
    monitoring_regions: ['local', 'eu'],
  });
  for (const probe of probes.values()) await until(() => probe.held.has(monitor.id), { what: 'a probe has it' });
  return monitor.id;
}

const seqs = new Map<string, number>();

async function send(region: string, monitorId: string, at: number, tls: TlsFacts | null): Promise<void> {
  const probe = probes.get(region) as TestProbe;
  const lane = `${region} ${shardMap.of(monitorId)}`;
  const seq = (seqs.get(lane) ?? 0) + 1;
  seqs.set(lane, seq);
  const result: CheckResult = {
    seq, monitor_id: monitorId, assignment_rev: 1, attempt: 1, reason: 'schedule', scheduled_at: at, started_at: at,
    response_time_ms: 1, outcome: 'success', degraded: false, status_code: 200, error: null, missed: null,
    timings: null, remote_address: null, tls, detail: null,
  };
  const bytes =
    encodeBatch({ epoch: 'e', engine: 'test', first: seq, last: seq, results: [result], dropped: [] });
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  await probe.nats.request(subjects.results(shardMap.of(monitorId), region_id, probe_id), bytes, { timeout: 60_000 });
}

function facts(fingerprint256: string, overrides: Partial<TlsFacts> = {}): TlsFacts {
  return {
    valid: true, expires_at: 30 * DAY_MS, issuer: 'CN=CA', subject: 'CN=shop.test', fingerprint256,
    protocol: 'TLSv1.3', ...BARE_FACTS, ...overrides,
  };
}

const read = (id: string) => rig.session.ok<Loose>('GET', `/api/monitors/${id}/certificate`);

test('the certificate of each region is shown, confirmed by later checks, and survives a restart', async () => {
  const id = await create();
  const before = await rig.session.call('GET', `/api/monitors/${id}/certificate`);
  expect(before).toMatchObject({ status: 404, error: { code: 'STATS_NOT_FOUND' } });
  const now = Date.now();
  await send('local', id, now, facts('AA'));
  await send('eu', id, now + 1000, facts('BB', {
    names: ['shop.test', '192.0.2.1'], more_names: 2, valid_from: DAY_MS, key: 'RSA 2048', valid: false,
    problem: { code: 'CERT_NOT_YET_VALID', message: 'The certificate is not valid yet' },
  }));
  await send('local', id, now + 2000, null);
  const regions = [
    { region: 'eu', fingerprint_sha256: 'BB', valid_to: 30 * DAY_MS, checked_at: now + 1000 },
    { region: 'local', fingerprint_sha256: 'AA', valid_to: 30 * DAY_MS, checked_at: now + 2000 },
  ];
  const certificate = {
    subject: 'CN=shop.test', issuer: 'CN=CA', names: ['shop.test', '192.0.2.1'], more_names: 2,
    valid_from: DAY_MS, valid_to: 30 * DAY_MS, fingerprint_sha256: 'BB', is_trusted: false,
    problem: 'The certificate is not valid yet', protocol: 'TLSv1.3', key: 'RSA 2048', regions,
  };
  const shown = await until(async () => {
    const found = await read(id);
    return found.certificate.regions.length === 2 && found;
  }, { what: 'both regions' });
  expect(shown.certificate).toEqual(certificate);
  await rig.restart(() => Promise.resolve());
  // Without an owner, the response comes from the state document, with the times of its last write.
  const again = async () => (await read(id)).certificate as typeof certificate;
  expect((await again()).regions).toHaveLength(2);
  await until(async () => isDeepStrictEqual(await again(), certificate), { what: 'the new owner responds' });
});

test('a certificate with few known facts is shown without the others', async () => {
  const id = await create();
  await send('local', id, Date.now(), facts('CC', { valid: false }));
  const { certificate } = await until(() => read(id).catch(() => false as const), { what: 'a certificate' });
  expect(certificate).toMatchObject({
    names: [], more_names: 0, valid_from: null, key: '', is_trusted: false,
    problem: 'The certificate cannot be verified',
  });
});

test('a changed check has no certificate until it sees one', async () => {
  const id = await create();
  await send('local', id, Date.now(), facts('DD'));
  await until(() => read(id).catch(() => false as const), { what: 'a certificate' });
  await rig.session.ok('PATCH', `/api/monitors/${id}`, { target: 'https://127.0.0.1:10/' });
  await until(
    async () => (await rig.session.call('GET', `/api/monitors/${id}/certificate`)).status === 404,
    { what: 'the old certificate is gone' },
  );
});
