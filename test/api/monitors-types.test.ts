import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toCheckSpec } from '../../controller/monitors/settings/registry.ts';
import { httpSpec } from '../../shared/contracts/check-spec.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { addRegion, makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
let tenant: Tenant;
let client: ApiClient;
beforeAll(async () => {
  app = await makeApp();
  tenant = await newTenant(app);
  client = tenant.writeKey;
});
afterAll(() => app.close());

const dns = {
  record_entries: [
    { type: 'A', expected_values: ['192.0.2.1'], match: 'exact' },
    { type: 'MX', expected_values: ['10 mail.shop.example'] },
    ...['AAAA', 'CNAME', 'NS', 'TXT', 'SOA', 'SRV', 'CAA', 'PTR'].map((type) => ({ type })),
  ],
  dns_server: '1.1.1.1', resolution_timeout_ms: 800,
};
const keyword = {
  keywords: [{ text: 'In stock', should_contain: true }, { text: 'Error', should_contain: false }],
  match_mode: 'any', case_sensitive: true,
};
const expectations = {
  expected_status_ranges: ['200-204', '301-302'], ip_family: 'ipv6', connect_to: '[2001:db8::1]:8443',
  assertions: [
    { source: 'header', property: 'Content-Type', comparison: 'contains', target: 'json' },
    { source: 'json', property: '$.items[0].price', comparison: 'less_than', target: 9.5 },
    { source: 'body', comparison: 'exists' },
  ],
};
const TYPES: [type: string, body: Loose, read: Loose][] = [
  [
    'KEYWORD', { target: 'https://shop.example/', keyword_config: keyword, method: 'POST', body: 'q' },
    { keyword_config: keyword, method: 'POST', body: 'q', expected_status: [] },
  ],
  ['HTTP', { target: 'https://shop.example/', ...expectations }, { ...expectations, expected_status: [] }],
  ['HTTP', { target: 'https://shop.example/', http_config: expectations }, expectations],
  [
    'KEYWORD', { target: 'https://shop.example/', keyword_config: { ...keyword, ...expectations } },
    { ...expectations, keyword_config: { ...keyword, ...expectations } },
  ],
  [
    'TCP', { target: 'mail.example', tcp_config: { port: 25, protocol: 'smtp', protocol_validation: true } },
    { tcp_config: { port: 25, protocol: 'smtp', protocol_validation: true }, port: 25 },
  ],
  [
    'TCP', { target: 'mail.example', tcp_config: { port: 587, protocol: 'smtp', tls: 'starttls' } },
    { tcp_config: { port: 587, protocol: 'smtp', tls: 'starttls' }, port: 587 },
  ],
  [
    'TCP', { target: 'redis.example:6379', send: 'PING\\r\\n', expect: '\\x2bPONG' },
    { tcp_config: { port: 6379, protocol: 'generic', send: 'PING\\r\\n', expect: '\\x2bPONG' } },
  ],
  ['TCP', { target: 'mail.example:587' }, { tcp_config: { port: 587, protocol: 'generic' }, port: 587 }],
  ['DNS', { target: '_sip._tcp.shop.example', dns_config: dns }, { dns_config: dns }],
  [
    'ICMP', { target: '192.0.2.1' },
    { icmp_config: { packet_count: 3, packet_size: 56, timeout_ms: 2000, ttl: 64 } },
  ],
  [
    'ICMP', { target: 'shop.example', icmp_config: { packet_count: 1, ttl: 9 } },
    { icmp_config: { packet_count: 1, packet_size: 56, timeout_ms: 2000, ttl: 9 } },
  ],
  [
    'HEARTBEAT', { heartbeat_interval: 90, grace_period: 5, interval_seconds: undefined },
    { heartbeat_interval: 90, grace_period: 5, interval_seconds: 90 },
  ],
];

describe.each(TYPES)('a monitor of type %s', (type, body, read) => {
  test(`made of ${JSON.stringify(body)
    .slice(0, 60)} is read back alike, also in the list, and can be put back and changed`, async () => {
    const made =
      await client.post('/api/monitors', { name: `${type} monitor`, type, interval_seconds: 60, ...body });
    expect(made.status, made.text).toBe(201);
    const { monitor } = made.data;
    expect(monitor).toMatchObject({ type, runtimeStatus: 'unknown', ...read });
    if (type === 'HEARTBEAT') expect(monitor.heartbeat_token).toBe(monitor.target);
    else expect(monitor.target).toBe(body['target']);
    const path = `/api/monitors/${monitor.id}`;
    expect((await client.get(path)).data.monitor).toEqual(monitor);
    const listed = (await client.get('/api/monitors?limit=1')).data.monitors[0];
    expect(listed).toMatchObject({ ...monitor, runtimeStatus: 'unknown' });
    for (const sent of [monitor, listed]) {
      expect((await client.put(path, sent)).data.monitor).toEqual(monitor);
    }
    expect((await app.monitors.findByIds([monitor.id]))[0]?.revision).toBe(1);
    expect((await client.put(path, { ...monitor, name: 'Other' })).data.monitor).toMatchObject({
      ...monitor, name: 'Other', updated_at: expect.any(Number),
    });
    const foreign =
      await client.patch(path, { [type === 'TCP' ? 'icmp_config' : 'tcp_config']: { ttl: undefined } });
    expect([foreign.status, foreign.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(foreign.error.message).toContain(`Does not apply to ${type} monitors`);
  });
});

describe('the expectations of an HTTP monitor', () => {
  const http = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
  const create = async (change: Loose) => client.post('/api/monitors', { ...http, ...change });
  const header = { source: 'header', property: 'ETag', comparison: 'exists' };

  test('change in either place of a KEYWORD monitor, and are removed by null or an empty list', async () => {
    const keywords = { keywords: [{ text: 'ok' }] };
    const { monitor } = (await create({ type: 'KEYWORD', keyword_config: keywords, connect_to: 'a.example' })).data;
    const path = `/api/monitors/${monitor.id}`;
    const { keyword_config: config } = monitor;
    expect(config.connect_to).toBe('a.example');
    const nested = await client.put(path, { ...monitor, keyword_config: { ...config, connect_to: 'b.example:81' } });
    expect(nested.data.monitor).toMatchObject({
      connect_to: 'b.example:81', keyword_config: { connect_to: 'b.example:81', keywords: [{ text: 'ok' }] },
    });
    const flat = await client.patch(path, { connect_to: null, assertions: [header], ip_family: 'any' });
    expect(flat.data.monitor).not.toHaveProperty('connect_to');
    expect(flat.data.monitor).toMatchObject({ assertions: [header], ip_family: 'any' });
    const both = { assertions: [], keyword_config: { assertions: [{ ...header, property: 'Age' }] } };
    expect((await client.patch(path, both)).error.details[0]).toMatchObject({
      path: ['http_config', 'assertions'], message: 'Given twice with different values',
    });
    expect((await client.patch(path, { assertions: [] })).data.monitor.assertions).toEqual([]);
  });

  test('reach the probe, and nothing else does if there are none', async () => {
    const specOf = async (change: Loose) => {
      const { id } = (await create(change)).data.monitor;
      const doc = (await app.monitors.findByIds([id]))[0];
      return httpSpec.strict().parse(toCheckSpec(doc ?? expect.unreachable()));
    };
    expect(await specOf(expectations)).toMatchObject({
      expected_ranges: [{ first: 200, last: 204 }, { first: 301, last: 302 }], ip_family: 'ipv6',
      connect_to: { host: '2001:db8::1', port: 8443 },
      assertions: [
        { source: 'header', property: 'Content-Type', comparison: 'contains', target: 'json' },
        { source: 'json', property: '$.items[0].price', comparison: 'less_than', target: '9.5' },
        { source: 'body', comparison: 'exists' },
      ],
    });
    expect((await specOf({ connect_to: 'münchen.example' })).connect_to).toEqual({ host: 'xn--mnchen-3ya.example' });
    const nothing = { expected_status_ranges: [], ip_family: 'any', connect_to: null, assertions: [] };
    expect(Object.keys(await specOf(nothing)).sort()).toEqual(Object.keys(await specOf({})).sort());
    expect(await specOf({})).not.toHaveProperty('ip_family');
  });

  const json = { source: 'json', property: '$.a', comparison: 'equals', target: 'x' };
  test.each<[Loose, string, string]>([
    [{ expected_status_ranges: ['2xx'] }, 'expected_status_ranges.0', 'Range must look like 200-299'],
    [{ expected_status_ranges: ['300-200'] }, 'expected_status_ranges.0', 'Range must not start after its end'],
    [{ expected_status_ranges: Array(21).fill('200-299') }, 'expected_status_ranges', ''],
    [{ ip_family: 'ipx' }, 'ip_family', ''],
    [{ connect_to: 'http://a.example' }, 'connect_to', 'Address must be a host name or an IP address, not a URL'],
    [{ connect_to: 'a.example:0' }, 'connect_to', ''], [{ connect_to: '0x7f.1' }, 'connect_to', ''],
    [{ assertions: Array(21).fill(header) }, 'assertions', ''],
    [{ assertions: [{ ...json, property: undefined }] }, 'assertions.0.property', 'Enter a path, such as $.status'],
    [{ assertions: [{ ...json, property: 'a.b' }] }, 'assertions.0.property', 'A path must start with $'],
    [{ assertions: [{ ...json, property: '$.*' }] }, 'assertions.0.property', ''],
    [{ assertions: [{ ...json, target: undefined }] }, 'assertions.0.target', 'Required'],
    [{ assertions: [{ ...json, comparison: 'less_than' }] }, 'assertions.0.target', 'Must be a number'],
    [{ assertions: [{ ...json, comparison: 'matches' }] }, 'assertions.0.comparison', ''],
    [{ assertions: [{ ...header, target: 'x' }] }, 'assertions.0.target', 'exists takes no value to compare'],
    [{ assertions: [{ ...header, property: 'a b' }] }, 'assertions.0.property', 'Must be the name of a header'],
    [{ assertions: [{ ...header, property: undefined }] }, 'assertions.0.property', 'Enter the name of the header'],
    [{ assertions: [{ ...header, source: 'body' }] }, 'assertions.0.property', 'Must be empty for the body'],
    [{ http_config: { assertions: [{ ...json, extra: 1 }] } }, 'http_config.assertions.0.extra', ''],
    [{ method: 'HEAD', assertions: [json] }, 'assertions', 'The response to a HEAD request has no body to check'],
  ])('are rejected as %j: %s %s', async (change, path, message) => {
    const response = await create(change);
    expect([response.status, response.code], response.text).toEqual([400, 'VALIDATION_ERROR']);
    const issues: Loose[] = response.error.details;
    const issue = issues.find((one) => one['path'].join('.') === path);
    expect(issue, response.text).toBeDefined();
    if (message !== '') expect(issue?.['message']).toBe(message);
  });
});

test('a heartbeat without its settings is rejected with its own error code', async () => {
  const response = await client.post('/api/monitors', { name: 'Backup', type: 'HEARTBEAT' });
  expect([response.status, response.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(response.error.details).toEqual([
    {
      code: 'custom', path: ['heartbeat_interval'],
      message: 'Required for HEARTBEAT monitors, unless heartbeat_schedule is set',
    },
    { code: 'custom', path: ['grace_period'], message: 'Required for HEARTBEAT monitors' },
  ]);
});

test('a heartbeat is found by its token until it is deleted', async () => {
  const { monitor } = (await client.post(
    '/api/monitors', { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 5 },
  )).data;
  expect((await app.monitors.findByHeartbeatToken(monitor.heartbeat_token))?._id).toBe(monitor.id);
  expect(await app.monitors.findByHeartbeatToken('0'.repeat(32))).toBeNull();
  await client.delete(`/api/monitors/${monitor.id}`);
  expect(await app.monitors.findByHeartbeatToken(monitor.heartbeat_token)).toBeNull();
});

describe('monitors in bulk', () => {
  const make = async (change: Loose = {}, as = client): Promise<Loose> =>
    (await as.post(
      '/api/monitors',
      { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, ...change },
    )).data.monitor;
  const bulk = async (body: Loose) => client.post('/api/monitors/bulk', body);

  test('are paused, resumed and deleted where that changes anything; failures are listed by monitor', async () => {
    const [one, two, off] = [await make(), await make(), await make()];
    await client.post(`/api/monitors/${off.id}/disable`);
    const foreignMonitor = await make({}, (await newTenant(app)).writeKey);
    const unknown = randomUUID();
    const ids = [two.id, one.id, off.id, foreignMonitor.id, unknown, one.id];
    const paused = await bulk({ action: 'pause', monitor_ids: ids });
    expect(paused.data).toEqual({
      affected_count: 2, monitor_ids: [two.id, one.id], message: '2 monitors paused',
      failures: [
        {
          monitor_id: off.id, code: 'CONFLICT',
          message: 'A disabled monitor cannot be paused; resume it first',
        },
        ...[foreignMonitor.id, unknown].map(
          (id) => ({ monitor_id: id, code: 'MONITOR_NOT_FOUND', message: 'Monitor not found' }),
        ),
      ],
    });
    expect((await bulk({ action: 'pause', monitor_ids: [one.id] })).data).toMatchObject({
      affected_count: 0, failures: [],
    });
    expect((await bulk({ action: 'resume', monitor_ids: [one.id, off.id] })).data).toMatchObject({
      affected_count: 2, message: '2 monitors resumed',
    });
    expect((await client.get(`/api/monitors/${off.id}`)).data.monitor.status).toBe('active');
    const deleted = await bulk({ action: 'delete', monitor_ids: [one.id, two.id, foreignMonitor.id] });
    expect(deleted.data).toMatchObject({ affected_count: 2, failures: [{ monitor_id: foreignMonitor.id }] });
    expect((await client.get(`/api/monitors/${one.id}`)).code).toBe('MONITOR_NOT_FOUND');
    expect((await app.monitors.findByIds([foreignMonitor.id]))[0]).toMatchObject({
      revision: 1, status: 'active', deleted_at: null,
    });
  });

  test('get additional tags, up to the limit', async () => {
    const [plain, full] =
      [await make({ tags: ['a'] }), await make({ tags: Array.from({ length: 20 }, (_, n) => `t${n}`) })];
    const tagged = await bulk({ action: 'tag', monitor_ids: [plain.id, full.id], tags: ['b', 'a', ' b '] });
    expect(tagged.data).toMatchObject({
      affected_count: 1, monitor_ids: [plain.id],
      failures: [{ monitor_id: full.id, code: 'VALIDATION_ERROR' }],
    });
    expect((await app.monitors.findByIds([plain.id]))[0]).toMatchObject({
      tags: ['a', 'b'], check_revision: 1, revision: 2,
    });
  });

  test('lose tags', async () => {
    const [tagged, plain] = [await make({ tags: ['a', 'b', 'c'] }), await make({ tags: ['b'] })];
    const { data } = await bulk({ action: 'untag', monitor_ids: [tagged.id, plain.id], tags: ['a', 'c'] });
    expect(data).toMatchObject({ affected_count: 1, monitor_ids: [tagged.id], failures: [] });
    expect((await app.monitors.findByIds([tagged.id]))[0]).toMatchObject({ tags: ['b'], revision: 2 });
  });

  test('move into and out of a group, but not into another organization\'s', async () => {
    const monitor = await make();
    const group = (await client.post('/api/groups', { name: 'Front' })).data;
    expect(
      (await bulk({ action: 'move', monitor_ids: [monitor.id], group_id: group.id })).data,
    ).toMatchObject({ affected_count: 1, message: '1 monitor moved' });
    expect((await client.get(`/api/monitors/${monitor.id}`)).data.monitor.group_id).toBe(group.id);
    const foreign = (await (await newTenant(app)).writeKey.post('/api/groups', { name: 'Theirs' })).data;
    const refused = await bulk({ action: 'move', monitor_ids: [monitor.id], group_id: foreign.id });
    expect([refused.code, refused.error.message]).toEqual([
      'VALIDATION_ERROR', 'Validation failed: group_id: Unknown group',
    ]);
    expect(
      (await bulk({ action: 'move', monitor_ids: [monitor.id], group_id: null })).data.affected_count,
    ).toBe(1);
    expect((await client.get(`/api/monitors/${monitor.id}`)).data.monitor).not.toHaveProperty('group_id');
  });

  test.each<[Loose, string]>([
    [{ action: 'explode' }, 'action'], [{ monitor_ids: [] }, 'monitor_ids'], [
      { monitor_ids: ['x'] }, 'monitor_ids.0',
    ], [{ action: 'tag' }, 'tags'], [{ action: 'move' }, 'group_id'],
    [{ tags: ['x'] }, 'tags'],
    [{ monitor_ids: Array.from({ length: 501 }, () => randomUUID()) }, 'monitor_ids'],
  ])('are not changed by the invalid body %j', async (change, path) => {
    const response = await bulk({ action: 'pause', monitor_ids: [randomUUID()], ...change });
    expect([response.status, response.error.details[0].path.join('.')], response.text).toEqual([400, path]);
  });
});

test('fair use limits how often the regions of a monitor contact its target, on every plan', async () => {
  const private_ = await makeApp({ env: { MIN_INTERVAL_SECONDS: '1' } });
  const owner = (await newTenant(private_)).writeKey;
  const regions = Array.from({ length: 11 }, (_, at) => `eu-${at}`);
  for (const id of regions) await addRegion(private_, id, { city: 'X' });
  const icmp = {
    name: 'Ping', type: 'ICMP', target: 'shop.example', interval_seconds: 1,
    icmp_config: { packet_count: 10 },
  };
  const made = await owner.post('/api/monitors', icmp);
  expect(made.status).toBe(201);
  const wide =
    await owner.patch(`/api/monitors/${made.data.monitor.id}`, { monitoring_regions: regions.slice(0, 2) });
  expect([wide.status, wide.code, wide.error.details]).toEqual([
    403, 'FAIR_USE_LIMIT_REACHED', { limit: 600, usage: 1200 },
  ]);
  const http = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 1 };
  expect((await owner.post('/api/monitors', { ...http, monitoring_regions: regions })).code).toBe(
    'FAIR_USE_LIMIT_REACHED',
  );
  expect((await owner.post('/api/monitors', { ...http, monitoring_regions: regions.slice(1) })).status).toBe(
    201,
  );
  await private_.close();
});
