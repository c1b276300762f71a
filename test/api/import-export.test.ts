import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { addRegion, makeApp, type TestApp } from '../helpers/make-app.ts';
import { newTenant, type Tenant } from '../helpers/tenants.ts';

let app: TestApp;
beforeAll(async () => {
  app = await makeApp({ plansJson: '{"free":{"monitors":5}}' });
  await addRegion(app, 'eu-west', { city: 'Dublin' });
});
afterAll(() => app.close());

const yaml = { headers: { 'content-type': 'application/yaml' } };
const sendYaml = async (client: ApiClient, text: string, query = '') =>
  client.send('POST', `/api/import${query}`, { ...yaml, rawBody: text });
const http = { name: 'Shop', type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60 };
const DOCUMENT = {
  groups: [{ name: 'Checkout', parent: 'Front' }, { name: 'Front', description: 'What people see' }],
  monitors: [
    {
      ...http, group: 'Checkout', tags: ['prod'], monitoring_regions: ['eu-west'], headers: { A: 'b' },
      auth: { type: 'bearer', token: 't' }, slow_response_threshold_ms: 900,
      slow_response_action: 'down', runbook_url: 'https://wiki.example/', alert_severity: 'major',
    },
    {
      name: 'Words', type: 'KEYWORD', target: 'https://shop.example/', interval_seconds: 60,
      keyword_config: { keywords: [{ text: 'ok' }] }, status: 'paused',
    },
    {
      name: 'Mail', type: 'TCP', target: 'mail.example:25', interval_seconds: 60, protocol: 'smtp',
      timeout_ms: 5000,
    },
    {
      name: 'Names', type: 'DNS', target: 'shop.example', interval_seconds: 60,
      record_entries: [{ type: 'A', expected_values: ['192.0.2.1'] }], ssl_monitoring: null,
    },
    {
      name: 'Ping', type: 'ICMP', target: 'shop.example', interval_seconds: 60,
      confirmation_policy: { regions: 'any', retries: 0, recoveries: 2 }, is_inverted: true,
    },
    { name: 'Backup', type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60, group: 'Front' },
    {
      name: 'Backup', type: 'HEARTBEAT', heartbeat_schedule: '30 3 * * 1-5', heartbeat_timezone: 'Europe/Riga',
      grace_period: 60, max_runtime_seconds: 600,
    },
  ],
};
const actions = (items: Loose[]) => items.map((item) => item['action']);

describe('a document', () => {
  test('is planned and applied; applying it or its export again changes nothing', async () => {
    const { writeKey: client, projectId, organizationId } = await newTenant(app);
    const dry = await client.post('/api/import?dry_run=true', DOCUMENT);
    expect(dry.status, dry.text).toBe(200);
    expect(dry.data).toMatchObject({
      dry_run: true, summary: { created: 9, updated: 0, unchanged: 0 },
      monitors: DOCUMENT.monitors.map(({ name }) => ({ name, action: 'create', id: null })),
    });
    expect((await client.get('/api/monitors')).data.pagination.total_count).toBe(0);
    expect((await client.get('/api/groups')).data.total).toBe(0);

    const done = await client.post('/api/import', DOCUMENT);
    expect(done.data.summary, done.text).toEqual({ created: 9, updated: 0, unchanged: 0 });
    const stored = await app.monitors.findMany(
      { organizationId, projectId }, done.data.monitors.map((item: Loose) => item['id']),
    );
    expect(stored).toHaveLength(7);
    const keywordMonitor = stored.find((doc) => doc.name === 'Words');
    expect(keywordMonitor).toMatchObject({ status: 'paused', revision: 1, keyword: { match_mode: 'all' } });
    const tree = (await client.get('/api/groups/hierarchy')).data.groups;
    expect(tree).toMatchObject([
      { name: 'Front', check_count: 1, children: [{ name: 'Checkout', check_count: 1 }] },
    ]);

    const exported = (await client.get('/api/export')).data;
    const text = (await client.get('/api/export?format=yaml')).text;
    expect(parse(text)).toEqual(exported);
    expect(exported.monitors.map((monitor: Loose) => monitor['name'])).toEqual(
      DOCUMENT.monitors.map(({ name }) => name),
    );
    for (const doc of stored.filter(({ type }) => type === 'HEARTBEAT')) {
      expect(text).not.toContain(doc.target);
    }
    for (const again of [
      () => client.post('/api/import', DOCUMENT), () => client.post('/api/import', exported),
      () => client.post('/api/import', { success: true, data: exported }), () => sendYaml(client, text),
    ]) {
      const response = await again();
      expect(response.data?.summary, response.text).toEqual({ created: 0, updated: 0, unchanged: 9 });
    }
    const after = await app.monitors.findMany({ organizationId, projectId }, stored.map((doc) => doc._id));
    expect(after.map(({ revision }) => revision)).toEqual([1, 1, 1, 1, 1, 1, 1]);

    const { writeKey: elsewhere } = await newTenant(app);
    expect((await sendYaml(elsewhere, text)).data.summary).toEqual({ created: 9, updated: 0, unchanged: 0 });
    expect((await elsewhere.get('/api/export')).data).toEqual(exported);
  });

  test('changes only differing fields, and keeps those it does not mention', async () => {
    const { writeKey: client } = await newTenant(app);
    await client.post('/api/import', DOCUMENT);
    const change = {
      groups: [{ name: 'Checkout', parent: null, description: 'Pay' }],
      monitors: [{ ...http, target: 'https://other.example/', group: 'Front' }, {
        name: 'Words', type: 'KEYWORD', target: 'https://shop.example/', interval_seconds: 60,
        status: 'active',
      }],
    };
    for (const query of ['?dry_run=true', '']) {
      const { data } = await client.post(`/api/import${query}`, change);
      expect(data.groups).toMatchObject([{ action: 'update', changes: ['description', 'parent'] }]);
      expect(data.monitors).toMatchObject([
        { action: 'update', changes: ['target', 'group'] }, { action: 'update', changes: ['status'] },
      ]);
    }
    const { monitors } = (await client.get('/api/export')).data;
    expect(monitors[0]).toMatchObject({
      target: 'https://other.example/', group: 'Front', tags: ['prod'], auth: { token: 't' },
      headers: { A: 'b' },
    });
    expect(monitors[1]).toMatchObject({ status: 'active' });
    expect(monitors).toHaveLength(7);
    expect(actions((await client.post('/api/import', change)).data.monitors)).toEqual([
      'unchanged', 'unchanged',
    ]);
  });

  test('keeps the tokens of heartbeats, unless another monitor has them', async () => {
    const { writeKey: client } = await newTenant(app);
    const [token, foreign] = ['kuma-token-0123456789', 'ee3a4e0c-9f0d-4a5f-8d8c-000000000001'];
    const job = { type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 60 };
    const { writeKey: other } = await newTenant(app);
    await other.post('/api/import', { monitors: [{ name: 'Theirs', heartbeat_token: foreign, ...job }] });
    const document = { monitors: [
      { name: 'Backup', heartbeat_token: token, ...job }, { name: 'Twin', heartbeat_token: token, ...job },
      { name: 'Taken', heartbeat_token: foreign, ...job },
    ] };
    expect((await client.post('/api/import', document)).data.summary.created).toBe(3);
    const tokens = async () => {
      const { monitors } = (await client.get('/api/monitors?sort_by=name&sort_order=asc')).data;
      return monitors.map((monitor: Loose) => monitor['heartbeat_token']);
    };
    const [backup, taken, twin] = await tokens();
    expect(backup).toBe(token);
    expect([token, foreign]).not.toContain(taken);
    expect([token, foreign, taken]).not.toContain(twin);
    expect((await client.post('/api/import', document)).data.summary).toEqual({ created: 0, updated: 0, unchanged: 3 });
    expect((await other.get(`/ping/${foreign}`)).status).toBe(200);

    const change = { monitors: [{ name: 'Backup', heartbeat_token: 'another-token', ...job }] };
    const { data } = await client.post('/api/import', change);
    expect(data.monitors[0].differences).toEqual([{ field: 'heartbeat_token', before: '***', after: '***' }]);
    expect(await tokens()).toEqual(['another-token', taken, twin]);
    expect((await client.get(`/ping/${token}`)).status).toBe(404);
    const concealed = { monitors: [{ name: 'Backup', heartbeat_token: '***', ...job }] };
    expect((await client.post('/api/import', concealed)).data.summary.unchanged).toBe(1);
    const short = await client.post('/api/import', { monitors: [{ name: 'Short', heartbeat_token: 'short', ...job }] });
    expect(short.error.details).toMatchObject([{ path: ['monitors', 0, 'heartbeat_token'] }]);
  });

  test('lists the values before and after, but no credentials', async () => {
    const { writeKey: client } = await newTenant(app);
    await client.post('/api/import', DOCUMENT);
    const change = { monitors: [{
      ...http, interval_seconds: 300, headers: { A: 'new', Accept: 'text/html' }, method: 'POST', body: 'secret=1',
      auth: { type: 'bearer', token: 'another' }, confirmation_policy: { regions: 'all' }, group: null,
    }, {
      ...DOCUMENT.monitors[1], keyword_config: { keywords: [{ text: 'fine' }], ip_family: 'ipv4' },
    }, { ...DOCUMENT.monitors[2], target: 'mail.example:587', protocol: undefined }] };
    const { data, text } = await client.post('/api/import?dry_run=true', change);
    expect(data?.monitors[0].differences, text).toEqual([
      { field: 'interval_seconds', before: 60, after: 300 },
      { field: 'group', before: 'Checkout', after: null },
      { field: 'auth.token', before: '***', after: '***' },
      { field: 'method', before: 'GET', after: 'POST' },
      { field: 'headers.A', before: '***', after: '***' },
      { field: 'headers.Accept', before: null, after: 'text/html' },
      { field: 'body', before: '', after: '***' },
      { field: 'confirmation_policy.regions', before: 'majority', after: 'all' },
    ]);
    expect(data.monitors[0].changes).toEqual([
      'interval_seconds', 'group', 'auth', 'method', 'headers', 'body', 'confirmation_policy',
    ]);
    expect(data.monitors[1].differences).toMatchObject([
      { field: 'keyword_config.keywords', before: [{ text: 'ok' }], after: [{ text: 'fine' }] },
      { field: 'ip_family', before: null, after: 'ipv4' },
    ]);
    expect(data.monitors[2].differences).toEqual([
      { field: 'target', before: 'mail.example:25', after: 'mail.example:587' },
      { field: 'tcp_config.port', before: 25, after: 587 },
    ]);
    expect(text).not.toMatch(/secret=1|another|"new"|"b"/);
  });

  test('with errors is rejected as a whole, with a path for each error', async () => {
    const { writeKey: client } = await newTenant(app);
    await client.post('/api/monitors', { ...http, name: 'Taken' });
    const paths = async (body: object) => {
      const response = await client.post('/api/import', body);
      expect([response.status, response.code], response.text).toEqual([400, 'VALIDATION_ERROR']);
      return response.error.details.map(
        (issue: { path: unknown[]; message: string }) => `${issue.path.join('.')}: ${issue.message}`,
      );
    };
    expect(await paths({
      monitors: [http, { ...http, interval_seconds: 5 }, { ...http, extra: 1 }, { name: 'X', type: 'HTTP' }],
    }))
      .toEqual([
      'monitors.1.interval_seconds: Interval must be at least 30 seconds',
      'monitors.2.extra: Unrecognized key', 'monitors.3.target: Required',
      'monitors.3.interval_seconds: Required',
    ]);
    expect(await paths({
      monitors: [http, { ...http, target: 'ftp://x/' }, {
        ...http, name: 'Taken', type: 'ICMP', target: 'x.example',
      }, { ...http, monitoring_regions: ['nowhere'] }, { ...http, port: 1 },
        { name: 'B', type: 'HEARTBEAT', grace_period: 5 }],
    })).toEqual([
      'monitors.1.target: Target must be an http or https URL',
      'monitors.2.type: Type cannot be changed; the monitor with this name has type HTTP',
      'monitors.3.monitoring_regions: Unknown region: nowhere',
      'monitors.4.port: Does not apply to HTTP monitors',
      'monitors.5.heartbeat_interval: Required for HEARTBEAT monitors, unless heartbeat_schedule is set',
    ]);
    expect(await paths({ groups: [
      { name: 'A', parent: 'B' }, { name: 'B', parent: 'A' }, { name: 'C', parent: 'Z' }, { name: 'C' },
    ], monitors: [{ ...http, group: 'Y' }] }))
      .toEqual([
      'groups.3.name: Listed twice',
      'groups.0.parent: A group cannot be inside itself or more than 10 levels deep',
      'groups.1.parent: A group cannot be inside itself or more than 10 levels deep',
      'groups.2.parent: Unknown group', 'monitors.0.group: Unknown group',
    ]);
    expect((await client.get('/api/monitors')).data.pagination.total_count).toBe(1);
    expect((await client.get('/api/groups')).data.total).toBe(0);
  });

  test('does not push other groups below ten levels', async () => {
    const { writeKey: client } = await newTenant(app);
    const chain =
      Array.from({ length: 9 }, (_, at) => ({ name: `L${at + 1}`, parent: at === 0 ? null : `L${at}` }));
    await client.post(
      '/api/import', { groups: [...chain, { name: 'Top' }, { name: 'Below', parent: 'Top' }] },
    );
    for (const query of ['?dry_run=true', '']) {
      const refused = await client.post(
        `/api/import${query}`, { groups: [{ name: 'New' }, { name: 'Top', parent: 'L9' }] },
      );
      expect([refused.status, refused.code], refused.text).toEqual([400, 'VALIDATION_ERROR']);
      expect(refused.error.details).toMatchObject([
        { path: ['groups', 1, 'parent'], message: 'Its child groups would be more than 10 levels deep' },
      ]);
    }
    expect((await client.get('/api/groups')).data.total).toBe(11);
    const fits = await client.post(
      '/api/import', { groups: [{ name: 'Top', parent: 'L9' }, { name: 'Below', parent: null }] },
    );
    expect(fits.data?.summary, fits.text).toEqual({ created: 0, updated: 2, unchanged: 0 });
  });

  test.each([
    ['aliases', 'a: &a [x]\nmonitors: *a\n'],
    ['a bomb', `a: &a [x]\n${'bcdefghij'.split('')
      .map((name, at) => `${name}: &${name} [${`*${'abcdefghi'[at]},`.repeat(9)}]`)
      .join('\n')}\n`],
    ['tags', 'monitors: !!js/function "x"\n'], [
      'a duplicate key', 'monitors: []\nmonitors: []\n',
    ], ['two documents', 'version: 1\n---\nversion: 1\n'], ['a fault', 'monitors: [\n'],
    ['a key of the prototype', '__proto__: {}\n'],
    ['too deep a nesting', `monitors: ${'['.repeat(100)}${']'.repeat(100)}\n`],
  ])('in YAML with %s is rejected', async (_what, text) => {
    const { writeKey: client } = await newTenant(app);
    const response = await sendYaml(client, text);
    expect([response.status, response.code], response.text).toEqual([400, 'JSON_PARSE_ERROR']);
  });

  test('is rejected at its first YAML anchor, before thousands of them are expanded', async () => {
    const { writeKey: client } = await newTenant(app);
    const anchors = Array.from({ length: 20_000 }, (_none, at) => `- &a${at} 1\n`).join('');
    const response = await sendYaml(client, `monitors:\n${anchors}- *a0\n  bad: [`);
    expect(response.error.message).toBe('Request body is not valid YAML: Anchors and aliases are not supported');
    const names = 'name: |-\n    &not *anchors\n  tags: ["&c", x&y]';
    const rest = 'type: HTTP\n  target: "https://shop.example/"\n  interval_seconds: 60';
    const plain = await sendYaml(client, `monitors:\n- ${names}\n  ${rest}\n`);
    expect(plain.data?.summary, plain.text).toEqual({ created: 1, updated: 0, unchanged: 0 });
  });

  test('may be larger than other bodies, up to 32 MB', async () => {
    const { writeKey: client } = await newTenant(app);
    const padded = (megabytes: number) =>
      `${JSON.stringify({ monitors: [http] })}${' '.repeat(megabytes * 1024 * 1024)}`;
    const large = await client.send('POST', '/api/import', { rawBody: padded(31) });
    expect(large.data?.summary, large.text).toEqual({ created: 1, updated: 0, unchanged: 0 });
    const tooLarge = await client.send('POST', '/api/import', { rawBody: padded(32) });
    expect([tooLarge.code, tooLarge.error.message]).toEqual([
      'BAD_REQUEST', 'Request body is larger than 32 MB',
    ]);
    expect((await client.send('POST', '/api/monitors', { rawBody: padded(2) })).error.message).toBe(
      'Request body is larger than 1 MB',
    );
    expect((await client.send(
      'POST', '/api/import', { rawBody: 'a=b', headers: { 'content-type': 'text/plain' } },
    )).code)
      .toBe('INVALID_INPUT');
    expect((await client.post(
      '/api/import', { monitors: Array.from({ length: 10_001 }, () => http) },
    )).error.details[0].path)
      .toEqual(['monitors']);
  });

  test('yields to other requests after every hundred monitors', async () => {
    let sinceTurn = 0;
    let maxPerTurn = 0;
    let isDone = false;
    const turn = () => {
      maxPerTurn = Math.max(maxPerTurn, sinceTurn);
      sinceTurn = 0;
      if (!isDone) setImmediate(turn);
    };
    const countRead = () => {
      sinceTurn += 1;
      return http.name;
    };
    const monitors = Array.from({ length: 1050 }, () => ({ ...http, get name() { return countRead(); } }));
    setImmediate(turn);
    await app.routes.find(({ method, path }) => method === 'POST' && path === '/api/import')?.parseBody?.({
      monitors,
    });
    isDone = true;
    turn();
    expect(maxPerTurn).toBe(100);
  });

  test('requires write access', async () => {
    const { readKey } = await newTenant(app);
    expect((await readKey.post('/api/import', DOCUMENT)).code).toBe('READ_ONLY_API_KEY');
  });
});

describe('the plan', () => {
  const many = (count: number, change: Loose = {}) => ({ monitors: Array.from(
    { length: count }, (_, at) => ({ ...http, name: `m${at}`, interval_seconds: 300, ...change }),
  ) });
  const limited = async (): Promise<Tenant> => {
    const tenant = await newTenant(app);
    await tenant.owner.client.put('/api/billing/plan', { plan: 'free' });
    return tenant;
  };

  test('limits an import, which then changes nothing, and a dry run', async () => {
    const { writeKey: client } = await limited();
    await client.post('/api/monitors', { ...http, interval_seconds: 300 });
    for (const query of ['', '?dry_run=true']) {
      const refused = await client.post(`/api/import${query}`, { groups: [{ name: 'G' }], ...many(5) });
      expect([refused.status, refused.code, refused.error.details]).toEqual([
        403, 'MONITOR_LIMIT_REACHED', { limit: 5, usage: 1 },
      ]);
    }
    expect((await client.get('/api/groups')).data.total).toBe(0);
    const short = await client.post('/api/import', many(2, { interval_seconds: 60 }));
    expect([short.code, short.error.details]).toEqual([
      'INTERVAL_TOO_SHORT', { limit: 300, usage: 60, path: ['monitors', 0] },
    ]);
    // The interval of pings is not a check interval, even where an export contains both.
    await client.post(
      '/api/import',
      { monitors: [{ name: 'Job', type: 'HEARTBEAT', heartbeat_interval: 60, grace_period: 60 }] },
    );
    const { monitors: [, job] } = (await client.get('/api/export')).data;
    expect(job).toMatchObject({ name: 'Job', interval_seconds: 60 });
    expect(
      (await client.post('/api/import', { monitors: [{ ...job, name: 'Other job' }] })).data?.summary,
    ).toEqual({ created: 1, updated: 0, unchanged: 0 });
    const faster =
      await client.post('/api/import', { monitors: [{ ...job, name: 'Faster', interval_seconds: 90 }] });
    expect([faster.code, faster.error.details]).toEqual([
      'INTERVAL_TOO_SHORT', { limit: 300, usage: 90, path: ['monitors', 0] },
    ]);
    for (const { id } of (await client.get('/api/monitors?type=HEARTBEAT')).data.monitors) {
      await client.delete(`/api/monitors/${id}`);
    }
    expect((await client.post('/api/import', many(4))).data.summary.created).toBe(4);
    expect((await client.post('/api/import', many(4))).data.summary.unchanged).toBe(4);
  });

  test('limits concurrent imports and creations', async () => {
    const { writeKey: client, organizationId } = await limited();
    await Promise.all(Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? client.post(
      '/api/import', { monitors: [{ ...http, name: `i${at}`, interval_seconds: 300 }] },
    )
      : client.post('/api/monitors', { ...http, interval_seconds: 300 }))));
    expect(await app.monitors.countOfOrganization(organizationId)).toBe(5);
  });
});
