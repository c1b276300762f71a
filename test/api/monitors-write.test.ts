import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toCheckSpec, toMonitorConfig } from '../../controller/monitors/settings/registry.ts';
import { httpSpec } from '../../shared/contracts/check-spec.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { addRegion, makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';
import { shardMap } from '../helpers/shard-map.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
beforeAll(async () => {
  app = await makeApp();
});
afterAll(() => app.close());
const beginAsTenant = async () => {
  tenant = await newTenant(app);
  client = tenant.writeKey;
  app.owners.notifiedShards.length = 0;
};

const minimal = {
  name: 'Shop', type: 'HTTP', target: 'https://shop.example/health?deep=1#x', interval_seconds: 60,
};
const create = async (change: Loose = {}) => client.post('/api/monitors', { ...minimal, ...change });
const addDestination = (_id: string, { organizationId, projectId }: Tenant) =>
  app.db.collection<{ _id: string }>('destinations').insertOne(
    { _id, organization_id: organizationId, project_id: projectId } as { _id: string },
  );
const stored = (id: string) => app.monitors.findByIds([id]).then((docs) => docs[0]);

describe('a created monitor', () => {
  beforeEach(beginAsTenant);

  test('has all defaults when only the required fields are sent, and waits for its first result', async () => {
    const before = Math.floor(Date.now() / 1000);
    const response = await create();
    expect(response.status).toBe(201);
    const { id, created_at: createdAt, updated_at: updatedAt, ...rest } = response.data.monitor;
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(updatedAt).toBe(createdAt);
    expect(rest).toEqual({
      ...minimal, organization_id: tenant.organizationId, created_by: tenant.owner.userId, managed_by: null, status: 'active',
      configState: 'active',
      runtimeStatus: 'unknown', in_maintenance: false, timeout_ms: 10_000,
      confirmation_policy: { regions: 'majority', retries: 1, recoveries: 0 },
      is_inverted: false, method: 'GET', headers: {}, body: null,
      follow_redirects: true, max_redirects: 5, verify_ssl: true, expected_status: [],
    });
    expect((await client.get(`/api/monitors/${id}`)).data).toEqual(response.data);
  });

  test('is marked for its shard, whose owner is notified', async () => {
    const { id } = (await create()).data.monitor;
    expect(app.owners.notifiedShards).toEqual([shardMap.of(id)]);
    expect(await stored(id)).toMatchObject({
      revision: 1, unjournaled: shardMap.of(id), deleted_at: null, project_id: tenant.projectId,
    });
  });

  test('accepts every field in the nested form and in the flat form', async () => {
    const http = {
      method: 'POST', headers: { 'X-Api': 'ü', Accept: '*/*' }, body: '{"a":1}', follow_redirects: false,
      max_redirects: 2, verify_ssl: false,
      slow_response_threshold_ms: 800, auth: { type: 'basic', username: 'u', password: 'p:p' },
    };
    const flat = (await create({ ...http, expected_status: [200, 201, 200] })).data.monitor;
    const nested =
      (await create({ http_config: { ...http, expected_status_codes: [200, 201] } })).data.monitor;
    expect(flat).toMatchObject({ ...http, expected_status: [200, 201] });
    expect({ ...nested, id: flat.id }).toEqual({
      ...flat, updated_at: nested.updated_at, created_at: nested.created_at,
    });
    expect((await create({ expected_status_codes: [204] })).data.monitor.expected_status).toEqual([204]);
  });

  test('stores tags and regions, which no read returns', async () => {
    await addRegion(app, 'eu-west', { city: 'Dublin' });
    const { monitor } =
      (await create({ tags: ['prod', ' web ', 'prod'], monitoring_regions: ['eu-west', 'eu-west'] })).data;
    expect(monitor).not.toHaveProperty('tags');
    expect(monitor).not.toHaveProperty('monitoring_regions');
    expect(await stored(monitor.id)).toMatchObject({
      tags: ['prod', 'web'], monitoring_regions: ['eu-west'],
    });
  });

  test('has the given timeout, or else the lower of ten seconds and its interval', async () => {
    expect((await create({ interval_seconds: 3600 })).data.monitor.timeout_ms).toBe(10_000);
    expect((await create({ timeout_ms: 45_000 })).data.monitor.timeout_ms).toBe(45_000);
    expect((await create({ timeout_ms: null })).data.monitor.timeout_ms).toBe(10_000);
    const tooLong = await create({ interval_seconds: 60, timeout_ms: 60_001 });
    expect(tooLong.error.details[0]).toMatchObject({ path: ['timeout_ms'] });
  });

  test('belongs to the user of the session or to the user who created the key', async () => {
    const made = await tenant.owner.client.post('/api/monitors', minimal);
    expect(made.data.monitor.created_by).toBe(tenant.owner.userId);
  });

  test('reaches the probe and the state machine with the requested settings', async () => {
    const { id } = (await create({
      auth: { type: 'bearer', token: 'abc' }, headers: { A: 'b' },
      confirmation_policy: { regions: 2, retries: 0, recoveries: 3 },
    })).data.monitor;
    const doc = await stored(id);
    if (doc === undefined) throw new Error('not stored');
    const spec = httpSpec.strict().parse(toCheckSpec(doc));
    expect(spec).toMatchObject({
      url: minimal.target, method: 'GET', headers: { A: 'b', authorization: 'Bearer abc' },
      expected_status: [],
    });
    expect(toMonitorConfig(doc)).toMatchObject({
      monitor_id: id, interval_ms: 60_000, timeout_ms: 10_000, retries: 0, recoveries: 3, quorum: 2,
      status: 'active',
      revision: 1,
    });
    const basic = { ...doc, http: {
      ...(doc.http as NonNullable<typeof doc.http>),
      auth: { type: 'basic' as const, username: 'ü', password: 'a:b' },
    } };
    expect(httpSpec.parse(toCheckSpec(basic)).headers['authorization']).toBe(
      `Basic ${Buffer.from('ü:a:b').toString('base64')}`,
    );
  });
});

describe('a monitor is rejected', () => {
  beforeAll(beginAsTenant);

  const big = 'x'.repeat(8192);
  test.each<[Loose, string]>([
    [{ name: undefined }, 'name'], [
      { name: ' ' }, 'name',
    ], [{ name: 'x'.repeat(256) }, 'name'], [{ name: 'a\nb' }, 'name'], [{ name: 'a\u2028b' }, 'name'],
    [{ type: 'FTP' }, 'type'], [{ type: 'http' }, 'type'], [{ type: undefined }, 'type'],
    [
      { target: 'shop.example' }, 'target',
    ], [{ target: 'ftp://shop.example/' }, 'target'], [{ target: 'file:///etc/passwd' }, 'target'],
    [
      { target: 'gopher://x/' }, 'target',
    ], [{ target: 'javascript:alert(1)' }, 'target'], [{ target: 'http:shop.example' }, 'target'],
    [{ target: 'https://user:pw@shop.example/' }, 'target'], [
      { target: 'https://user@shop.example/' }, 'target',
    ], [{ target: 'https://shop.example/\r\nX: y' }, 'target'],
    [
      { target: 'http://shop.example\\@evil.example/' }, 'target',
    ], [{ target: 'http://[::1' }, 'target'], [{ target: 'http://' }, 'target'],
    [
      { target: 'http://a:99999/' }, 'target',
    ], [{ target: `https://a/${'x'.repeat(2048)}` }, 'target'], [{ target: '' }, 'target'],
    [
      { interval_seconds: undefined }, 'interval_seconds',
    ], [{ interval_seconds: 29 }, 'interval_seconds'], [{ interval_seconds: 86_401 }, 'interval_seconds'],
    [{ interval_seconds: 0 }, 'interval_seconds'], [{ interval_seconds: -60 }, 'interval_seconds'],
    [
      { timeout_ms: 999 }, 'timeout_ms',
    ], [{ timeout_ms: 60_001 }, 'timeout_ms'], [{ timeout_ms: 1.5 }, 'timeout_ms'],
    [{ method: 'TRACE' }, 'method'], [{ method: 'CONNECT' }, 'method'], [{ method: 'get' }, 'method'],
    [
      { headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers.X-A',
    ], [{ headers: { 'X-A': 'a\nb' } }, 'headers.X-A'], [{ headers: { 'X A': 'a' } }, 'headers.X A'],
    [
      { headers: { '': 'a' } }, 'headers',
    ], [{ headers: { 'X-A:': 'a' } }, 'headers.X-A:'], [{ headers: { 'X-A': '\u{1f600}' } }, 'headers.X-A'],
    [
      { headers: { Host: 'x' } }, 'headers.Host',
    ], [{ headers: { 'content-length': '1' } }, 'headers.content-length'],
    [
      { headers: { 'Transfer-Encoding': 'chunked' } }, 'headers.Transfer-Encoding',
    ], [{ headers: { Connection: 'x' } }, 'headers.Connection'],
    [
      { headers: { 'X-A': big } }, 'headers.X-A',
    ], [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, 'headers.x-a'], [{ headers: { 'X-A': 1 } }, 'headers.X-A'],
    [{ headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`X-${n}`, 'a'])) }, 'headers'],
    [{ http_config: { headers: { 'X-A': 'a\r\nb' } } }, 'http_config.headers.X-A'],
    [
      { body: 'x'.repeat(65_537) }, 'body',
    ], [{ expected_status: [99] }, 'expected_status.0'], [{ expected_status: ['200'] }, 'expected_status.0'],
    [
      { http_config: { expected_status_codes: [600] } }, 'http_config.expected_status_codes.0',
    ], [{ http_config: { method: 'GET', extra: 1 } }, 'http_config.extra'],
    [
      { slow_response_threshold_ms: 0 }, 'slow_response_threshold_ms',
    ], [{ max_redirects: 11 }, 'max_redirects'],
    [
      { auth: { type: 'basic', username: 'a:b', password: 'c' } }, 'auth.username',
    ], [{ auth: { type: 'digest' } }, 'auth.type'],
    [
      { auth: { type: 'bearer', token: 'a b' } }, 'auth.token',
    ], [{ auth: { type: 'bearer', token: 'x' }, headers: { Authorization: 'y' } }, 'auth'],
    [{ method: 'GET', http_config: { method: 'POST' } }, 'http_config.method'],
    [
      { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'tags',
    ], [{ tags: ['x'.repeat(51)] }, 'tags.0'], [{ tags: ['a,b'] }, 'tags.0'], [{ tags: [''] }, 'tags.0'],
    [
      { monitoring_regions: ['nowhere'] }, 'monitoring_regions',
    ], [{ monitoring_regions: ['No'] }, 'monitoring_regions.0'],
    [
      { notification_target_ids: ['x'] }, 'notification_target_ids.0',
    ], [{ notification_target_ids: [randomUUID()] }, 'notification_target_ids'],
    [
      { confirmation_policy: { regions: 'most' } }, 'confirmation_policy.regions',
    ], [{ confirmation_policy: { retries: 6 } }, 'confirmation_policy.retries'],
    [{ confirmation_policy: { recoveries: 11 } }, 'confirmation_policy.recoveries'],
    [{ confirmation_policy: { recoveries: -1 } }, 'confirmation_policy.recoveries'],
    [{ confirmation_policy: { regions: 0 } }, 'confirmation_policy.regions'],
    [{ monitoring_regions: ['local'], confirmation_policy: { regions: 2 } }, 'confirmation_policy.regions'],
    [{ ssl_monitoring: { check_expiry: true } }, 'ssl_monitoring.enabled'], [
      { ssl_monitoring: { enabled: true, expiry_warning_days: [0] } }, 'ssl_monitoring.expiry_warning_days.0',
    ],
    [
      { type: 'ICMP', target: 'a.example', icmp_config: { packet_size: 65_507 } }, 'icmp_config.packet_size',
    ], [{ type: 'ICMP', target: 'a.example', icmp_config: { ttl: 0 } }, 'icmp_config.ttl'],
    [
      { type: 'ICMP', target: 'a.example', icmp_config: { packet_count: 1_000_000 } },
      'icmp_config.packet_count',
    ],
    [{ domain_monitoring: { enabled: 'yes' } }, 'domain_monitoring.enabled'],
    [{ type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 5, is_inverted: true }, 'is_inverted'],
    [{ runbook_url: 'javascript:alert(1)' }, 'runbook_url'], [{ runbook_url: 'wiki' }, 'runbook_url'],
    [{ runbook_url: ' ' }, 'runbook_url'], [{ alert_severity: 'minor' }, 'alert_severity'],
    [{ keyword_config: {} }, 'keyword_config'], [{ organisation_id: 'x' }, 'organisation_id'],
  ])('for %j: %s', async (change, path) => {
    const response = await create(change);
    expect([response.status, response.code], response.text).toEqual([400, 'VALIDATION_ERROR']);
    expect(
      response.error.details.map((issue: { path: string[] }) => issue.path.join('.')), response.text,
    ).toContain(path);
    expect(response.error.message.startsWith('Validation failed: ')).toBe(true);
  });

  test('with the message in the specification', async () => {
    expect((await create({ interval_seconds: 5 })).error).toEqual({
      code: 'VALIDATION_ERROR',
      message: 'Validation failed: interval_seconds: Interval must be at least 30 seconds',
      details: [
        { code: 'too_small', path: ['interval_seconds'], message: 'Interval must be at least 30 seconds' },
      ],
    });
  });

  test('without storing anything', async () => {
    await create({ name: '' });
    expect(await app.monitors.countOfOrganization(tenant.organizationId)).toBe(0);
  });
});

describe('a changed monitor', () => {
  let monitor: Loose;
  beforeEach(beginAsTenant);
  beforeEach(async () => {
    await addRegion(app, 'eu-west', { city: 'Dublin' });
    monitor = (await create({
      tags: ['prod'], monitoring_regions: ['eu-west'], headers: { A: 'b' }, slow_response_threshold_ms: 500,
      ssl_monitoring: { enabled: true },
      domain_monitoring: { enabled: true, expiry_warning_days: [7, 30, 7] },
    })).data.monitor;
  });
  const path = () => `/api/monitors/${monitor.id}`;

  test.each(['PUT', 'PATCH'])('keeps every field that a %s does not mention', async (method) => {
    const response = await client.send(method, path(), { body: { name: 'Renamed' } });
    expect(response.status).toBe(200);
    expect(response.data.monitor).toEqual({
      ...monitor, name: 'Renamed', updated_at: response.data.monitor.updated_at,
    });
    expect(await stored(monitor.id)).toMatchObject({
      revision: 2, tags: ['prod'], monitoring_regions: ['eu-west'], name: 'Renamed',
    });
    expect(app.owners.notifiedShards).toEqual([shardMap.of(monitor.id), shardMap.of(monitor.id)]);
  });

  test('cannot require more regions than it selects', async () => {
    await addRegion(app, 'us-east', { city: 'Ashburn' });
    const both = { monitoring_regions: ['eu-west', 'us-east'], confirmation_policy: { regions: 2 } };
    expect((await client.patch(path(), { confirmation_policy: { regions: 2 } })).error.message)
      .toBe('Validation failed: confirmation_policy.regions: Requires 2 regions, but the monitor has 1');
    expect((await client.patch(path(), both)).status).toBe(200);
    expect((await client.patch(path(), { monitoring_regions: ['us-east'] })).error.details)
      .toMatchObject([{ path: ['confirmation_policy', 'regions'] }]);
  });

  test('shows each of its warning days once, in the given order', () => {
    expect(monitor.domain_monitoring).toEqual({ enabled: true, expiry_warning_days: [7, 30] });
  });

  test('keeps warning settings that are not sent', async () => {
    const ssl = { enabled: true, check_expiry: true, check_validity: false, expiry_warning_days: [60] };
    expect((await client.patch(path(), { ssl_monitoring: ssl })).data.monitor.ssl_monitoring).toEqual(ssl);
    const off = await client.patch(
      path(), { ssl_monitoring: { enabled: false }, domain_monitoring: { enabled: false } },
    );
    expect(off.data.monitor).toMatchObject({
      ssl_monitoring: { ...ssl, enabled: false },
      domain_monitoring: { enabled: false, expiry_warning_days: [7, 30] },
    });
    expect((await client.put(
      path(), { ssl_monitoring: { expiry_warning_days: [1] } },
    )).data.monitor.ssl_monitoring)
      .toEqual({ ...ssl, enabled: false, expiry_warning_days: [1] });
    await client.patch(path(), { ssl_monitoring: null });
    expect(
      (await client.patch(path(), { ssl_monitoring: { check_expiry: true } })).error.details,
    ).toMatchObject([{ path: ['ssl_monitoring', 'enabled'], message: 'Required' }]);
    expect(
      (await client.patch(path(), { ssl_monitoring: { enabled: true } })).data.monitor.ssl_monitoring,
    ).toEqual({
      enabled: true, check_expiry: true, check_validity: true, expiry_warning_days: [30, 14, 7, 1],
    });
  });

  test('accepts its own representation, which changes nothing', async () => {
    const read = (await client.get(path())).data.monitor;
    const same = await client.put(path(), read);
    expect(same.data.monitor).toEqual(read);
    expect(await stored(monitor.id)).toMatchObject({ revision: 1, timeout_ms: null });
    const listed = (await client.get('/api/monitors')).data.monitors[0];
    expect((await client.put(path(), listed)).status).toBe(200);
    expect(await stored(monitor.id)).toMatchObject({ revision: 1, timeout_ms: null, tags: ['prod'] });
  });

  test('accepts its own representation with edits, also in the nested form', async () => {
    const read = (await client.get(path())).data.monitor;
    const edited =
      await client.put(path(), { ...read, method: 'HEAD', http_config: { expected_status_codes: [204] } });
    expect(edited.data.monitor).toMatchObject({
      method: 'HEAD', expected_status: [204], headers: { A: 'b' }, slow_response_threshold_ms: 500,
    });
    const clash = await client.put(path(), { ...read, method: 'POST', http_config: { method: 'PUT' } });
    expect(clash.error.details[0].path).toEqual(['http_config', 'method']);
  });

  test('gets a new check revision only when the check itself changes', async () => {
    const revisionOf = async () => (await stored(monitor.id))?.check_revision;
    const same = {
      name: 'N', tags: ['x'], monitoring_regions: [], interval_seconds: 120,
      confirmation_policy: { retries: 3 }, ssl_monitoring: null,
    };
    for (const [name, value] of Object.entries(same)) await client.patch(path(), { [name]: value });
    expect([await revisionOf(), (await stored(monitor.id))?.revision]).toEqual([1, 7]);
    const other = {
      target: 'https://other.example/', timeout_ms: 5000, method: 'HEAD',
      auth: { type: 'bearer', token: 't' }, slow_response_threshold_ms: 600,
    };
    for (const [at, [name, value]] of Object.entries(other).entries()) {
      await client.patch(path(), { [name]: value });
      expect(await revisionOf(), name).toBe(8 + at);
    }
    await client.post(`${path()}/pause`);
    await client.patch(path(), { target: 'https://third.example/' });
    expect(await revisionOf()).toBe(12);
    await client.post(`${path()}/resume`);
    expect(await revisionOf()).toBe(15);
  });

  test('ignores read-only fields', async () => {
    const foreign = randomUUID();
    const response = await client.patch(path(), {
      id: foreign, organization_id: foreign, created_by: foreign, status: 'disabled', configState: 'disabled',
      runtimeStatus: 'up', created_at: 1, updated_at: 1,
    });
    expect(response.data.monitor).toEqual(monitor);
  });

  test('drops a setting that is set to null or an empty list', async () => {
    const cleared = await client.patch(path(), {
      slow_response_threshold_ms: null, ssl_monitoring: null, domain_monitoring: null, headers: {}, tags: [],
      monitoring_regions: [],
    });
    for (const name of ['slow_response_threshold_ms', 'ssl_monitoring', 'domain_monitoring']) {
      expect(cleared.data.monitor).not.toHaveProperty(name);
    }
    expect(await stored(monitor.id)).toMatchObject({
      tags: [], monitoring_regions: [], http: { headers: {} },
    });
  });

  test('keeps its type', async () => {
    expect((await client.patch(path(), { type: 'HTTP' })).status).toBe(200);
    const response = await client.patch(path(), { type: 'TCP' });
    expect([response.code, response.error.details[0].path]).toEqual(['VALIDATION_ERROR', ['type']]);
  });

  test('lets its timeout follow the interval until a timeout is set', async () => {
    expect((await client.patch(path(), { interval_seconds: 3600 })).data.monitor.timeout_ms).toBe(10_000);
    expect((await client.patch(path(), { timeout_ms: 60_000 })).data.monitor.timeout_ms).toBe(60_000);
    expect((await client.patch(path(), { interval_seconds: 59 })).code).toBe('VALIDATION_ERROR');
    expect((await client.patch(path(), { interval_seconds: 60 })).data.monitor.timeout_ms).toBe(60_000);
    expect((await client.patch(path(), { timeout_ms: null })).data.monitor.timeout_ms).toBe(10_000);
  });

  test('keeps every concurrent change', async () => {
    const changes = [
      { name: 'N' }, { interval_seconds: 90 }, { method: 'HEAD' }, { tags: ['x'] }, { verify_ssl: false },
      { max_redirects: 1 },
    ];
    const responses = await Promise.all(changes.map((change) => client.patch(path(), change)));
    expect(responses.map((response) => response.status)).toEqual(Array(6).fill(200));
    expect(await stored(monitor.id)).toMatchObject({
      name: 'N', interval_seconds: 90, tags: ['x'], revision: 7,
      http: { method: 'HEAD', verify_ssl: false, max_redirects: 1, headers: { A: 'b' } },
    });
  });

  test('can be inverted, which changes what its probes expect', async () => {
    expect((await client.patch(path(), { is_inverted: true })).data.monitor.is_inverted).toBe(true);
    const inverted = await stored(monitor.id);
    expect(inverted).toMatchObject({ is_inverted: true, check_revision: 2 });
    expect(toCheckSpec(inverted as NonNullable<typeof inverted>)).toMatchObject({ is_inverted: true });
    await client.patch(path(), { is_inverted: false });
    const regular = await stored(monitor.id);
    expect(toCheckSpec(regular as NonNullable<typeof regular>)).not.toHaveProperty('is_inverted');
  });

  test('has a runbook and a severity of its incidents, until they are removed', async () => {
    const alerting = { runbook_url: 'https://wiki.example/shop?down#steps', alert_severity: 'major' };
    expect((await client.patch(path(), alerting)).data.monitor).toMatchObject(alerting);
    const doc = await stored(monitor.id);
    expect(toMonitorConfig(doc as NonNullable<typeof doc>)).toMatchObject(alerting);
    expect(doc?.check_revision).toBe(1);
    const removed = await client.put(path(), { runbook_url: null, alert_severity: null });
    expect(removed.data.monitor).not.toHaveProperty('runbook_url');
    expect(removed.data.monitor).not.toHaveProperty('alert_severity');
    expect(await stored(monitor.id)).toMatchObject({ runbook_url: null, alert_severity: null });
  });

  test('may keep a region and a destination that were deleted', async () => {
    const target = randomUUID();
    await addDestination(target, tenant);
    await client.patch(path(), { notification_target_ids: [target] });
    await app.db.collection<{ _id: string }>('destinations').deleteOne({ _id: target });
    await app.db.collection<{ _id: string }>('regions').deleteOne({ _id: 'eu-west' });
    await app.controller.fleet.directory.refresh();
    const read = (await client.get(path())).data.monitor;
    expect(read.notification_target_ids).toEqual([target]);
    expect((await client.put(path(), { ...read, name: 'Still' })).status).toBe(200);
    expect(
      (await client.patch(path(), { monitoring_regions: ['eu-west', 'nowhere'] })).error.message,
    ).toContain('nowhere');
  });
});

describe('the state of a monitor', () => {
  let path: string;
  let id: string;
  beforeEach(beginAsTenant);
  beforeEach(async () => {
    id = (await create()).data.monitor.id;
    path = `/api/monitors/${id}`;
    app.owners.notifiedShards.length = 0;
  });
  const move = async (transition: string) => {
    const response = await client.post(`${path}/${transition}`);
    return response.code ??
      [response.data.monitor.status, response.data.monitor.configState, response.data.monitor.runtimeStatus];
  };

  test('changes by pausing, resuming and disabling; repeating one changes nothing', async () => {
    expect(await move('resume')).toEqual(['active', 'active', 'unknown']);
    expect(app.owners.notifiedShards).toEqual([]);
    expect(await move('pause')).toEqual(['paused', 'paused', 'paused']);
    expect(await move('pause')).toEqual(['paused', 'paused', 'paused']);
    expect((await stored(id))?.revision).toBe(2);
    expect(app.owners.notifiedShards).toEqual([shardMap.of(id)]);
    expect(await move('resume')).toEqual(['active', 'active', 'unknown']);
    expect(await move('disable')).toEqual(['disabled', 'disabled', 'paused']);
    expect(await move('pause')).toBe('CONFLICT');
    expect(await move('resume')).toEqual(['active', 'active', 'unknown']);
    expect(await stored(id)).toMatchObject({ revision: 5, unjournaled: shardMap.of(id) });
  });

  test('ends with deletion, which is marked for the journal', async () => {
    expect((await client.delete(path)).data).toEqual({ message: 'Monitor deleted successfully' });
    for (const response of [
      await client.get(path), await client.patch(path, { name: 'x' }), await client.post(`${path}/pause`),
      await client.delete(path),
    ]) {
      expect([response.status, response.code]).toEqual([404, 'MONITOR_NOT_FOUND']);
    }
    expect((await client.get('/api/monitors')).data.pagination.total_count).toBe(0);
    const doc = await stored(id);
    expect(doc).toMatchObject({ revision: 2, unjournaled: shardMap.of(id) });
    expect(toMonitorConfig(doc as NonNullable<typeof doc>)).toMatchObject({
      status: 'deleted', changed_at: doc?.deleted_at,
    });
  });

  test('stays marked for the journal until exactly that revision is journaled', async () => {
    const shard = shardMap.of(id);
    const mine = async () => (await app.monitors.findUnjournaled([shard], 1000)).filter(
      (doc) => doc._id === id,
    ).map((doc) => doc.revision);
    expect(await mine()).toEqual([1]);
    await client.post(`${path}/pause`);
    await app.monitors.clearUnjournaled([{ monitor_id: id, revision: 1 }]);
    expect(await mine()).toEqual([2]);
    await app.monitors.clearUnjournaled([{ monitor_id: id, revision: 2 }]);
    expect(await mine()).toEqual([]);
  });
});

test('a monitor of another organization or project is as unknown as a nonexistent one, in every request', async () => {
  const other = await newTenant(app);
  const { id } = (await other.writeKey.post('/api/monitors', minimal)).data.monitor;
  const unknown = randomUUID();
  for (const [method, suffix] of [
    ['GET', ''], ['GET', '/stats'], ['PUT', ''], ['PATCH', ''], ['DELETE', ''], ['POST', '/pause'],
    ['POST', '/resume'], ['POST', '/disable'],
  ] as const) {
    const body = method === 'PUT' || method === 'PATCH' ? { body: { name: 'Mine' } } : {};
    const foreign = await client.send(method, `/api/monitors/${id}${suffix}`, body);
    expect([foreign.status, foreign.code], `${method} ${suffix}`).toEqual([404, 'MONITOR_NOT_FOUND']);
    expect(foreign.body).toEqual((await client.send(method, `/api/monitors/${unknown}${suffix}`, body)).body);
  }
  expect((await other.readKey.get(`/api/monitors/${id}`)).data.monitor.name).toBe('Shop');
  await addDestination(id, other);
  await addRegion(app, 'their-region', { organization_id: other.organizationId, visibility: 'private' });
  expect((await create({ notification_target_ids: [id] })).code).toBe('VALIDATION_ERROR');
  expect((await create({ monitoring_regions: ['their-region'] })).code).toBe('VALIDATION_ERROR');
});
