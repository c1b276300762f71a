import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryDoc } from '../../controller/delivery/delivery.ts';
import type { QueueDoc } from '../../controller/delivery/queue-store.ts';
import { DeliveryStore } from '../../controller/delivery/store.ts';
import { newId } from '../../shared/ids.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { startReceiver, type ReceivedRequest, type Receiver } from '../helpers/receiver.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { newMember, newTenant, type Tenant } from '../helpers/tenants.ts';

/** The IP addresses of the tests' host names; no others exist. */
const NAMES: Record<string, string[]> = {
  'example.com': ['93.184.216.34'], '127.0.0.1.nip.io': ['127.0.0.1'],
  'two.example': ['93.184.216.34', '10.0.0.1'], 'meta.example': ['169.254.169.254'],
};

let receiver: Receiver;
let smtp: TestSmtpServer;

async function appWith(allowPrivate: boolean, smtpUrl = 'smtp://127.0.0.1:1'): Promise<TestApp> {
  const resolve = async (host: string) => {
    const addresses = NAMES[host];
    if (!addresses) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return addresses;
  };
  const env = {
    ALLOW_PRIVATE_DESTINATIONS: String(allowPrivate), SMTP_URL: smtpUrl,
    MAIL_FROM: 'Farwatch <farwatch@example.com>',
  };
  return makeApp({ env, resolve });
}

const hook = (change: object = {}): Loose =>
  ({ name: 'On-call', type: 'webhook', config: { url: 'https://example.com/hook' }, ...change });

describe('the deliveries of an integration', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWith(false);
  });
  afterAll(() => app.close());

  test('are listed, newest first, whatever their outcome, and only for callers who may see the integration', async () => {
    const [tenant, other] = [await newTenant(app), await newTenant(app)];
    const admin = tenant.owner.client;
    const made = async (): Promise<string> => (await admin.post('/api/integrations', hook())).data.integration.id;
    const [id, unused] = [await made(), await made()];
    const at = Date.UTC(2026, 5, 1);
    const outcomes = ['delivered', 'failed', 'pending', 'bounced', 'delivered'] as const;
    const docs = outcomes.map((status, index) => ({
      _id: newId(at + index), organization_id: tenant.organizationId, project_id: tenant.projectId, destination_id: id,
      monitor_id: 'm', incident_id: index === 0 ? null : 'i', channel: 'webhook', recipient: 'https://example.com/…',
      alert: { event: 'monitor.down' }, status, retry_count: index, max_retries: 5, next_attempt_at: null, claim: null,
      queued_at: at + index, delivered_at: status === 'delivered' ? at + 9 : null, last_retry_at: null,
      error_message: status === 'failed' ? 'HTTP 500' : null, created_at: at + index, updated_at: at + index,
    }));
    await new DeliveryStore(app.db).insertAbsent(docs as unknown as DeliveryDoc[]);
    const read = (path: string, by = admin) => by.get(`/api/integrations/${path}`);
    const { deliveries } = (await read(`${id}/deliveries`)).data;
    expect(deliveries.map((one: Loose) => one.status)).toEqual([...outcomes].reverse());
    expect(deliveries[3]).toEqual({
      id: docs[1]?._id, event: 'monitor.down', monitor_id: 'm', incident_id: 'i', recipient: 'https://example.com/…',
      status: 'failed', error_message: 'HTTP 500', retry_count: 1, max_retries: 5, delivered_at: null, last_retry_at: null,
      created_at: '2026-06-01T00:00:00.001Z',
    });
    expect((await read(`${id}/deliveries?limit=2`)).data.deliveries).toEqual(deliveries.slice(0, 2));
    expect((await read(`${unused}/deliveries`)).data.deliveries).toEqual([]);
    expect((await read(`${id}/deliveries?limit=101`)).status).toBe(400);
    expect((await read(`${id}/deliveries`, other.owner.client)).status).toBe(404);
  });
});

describe('webhook integrations', () => {
  let app: TestApp;
  let tenant: Tenant;
  let admin: ApiClient;
  beforeAll(async () => {
    app = await appWith(false);
    tenant = await newTenant(app);
    admin = tenant.owner.client;
  });
  afterAll(() => app.close());

  const create = async (change: object = {}): Promise<Loose> => {
    const response = await admin.post('/api/integrations', hook(change));
    expect(response.status, response.text).toBe(201);
    return response.data.integration;
  };

  test('are created with defaults and read back', async () => {
    const made = await create();
    expect(made).toMatchObject({
      name: 'On-call', type: 'webhook', enabled: true, is_default: false,
      organization_id: tenant.organizationId, project_id: tenant.projectId,
      created_by: tenant.owner.userId,
      config: { url: 'https://example.com/hook', method: 'POST', headers: {} },
      events: [
        'monitor.down', 'monitor.up', 'monitor.ssl_expiring', 'monitor.domain_expiring',
        'monitor.slow_response', 'monitor.slow_response_resolved',
      ],
      health: {
        status: 'unknown', failing_since: null, consecutive_failures: 0, failing_recipients: [], suppressed_recipients: [],
        last_error: null, last_delivered_at: null,
      },
    });
    expect((await admin.get(`/api/integrations/${made.id}`)).data.integration).toEqual(made);
    expect((await admin.get('/api/integrations')).data.integrations[0]).toEqual(made);
    expect(JSON.stringify(made)).not.toContain('whsec');
  });

  test('accept their own representation in a PUT', async () => {
    const headers = {
      'X-Team': 'ops', 'x.dotted$name': '1', Authorization: 'Bearer x', 'X-Service-Signature': 'kept',
    };
    const made = await create({
      config: { url: 'https://example.com/', method: 'PUT', headers }, is_default: true,
      events: ['monitor.up', 'monitor.down'],
    });
    expect(made.config.headers).toEqual(headers);
    const back = await admin.put(`/api/integrations/${made.id}`, made);
    expect(back.status).toBe(200);
    expect(back.data.integration).toEqual({ ...made, updated_at: back.data.integration.updated_at });
  });

  test('change only the given fields', async () => {
    const made = await create({ config: { url: 'https://example.com/a', headers: { 'X-A': '1' } } });
    const renamed = (await admin.patch(
      `/api/integrations/${made.id}`, { name: ' Night ', enabled: false },
    )).data.integration;
    expect(renamed).toMatchObject({
      name: 'Night', enabled: false, config: made.config, events: made.events,
    });
    const moved = (await admin.patch(
      `/api/integrations/${made.id}`, { config: { url: 'https://example.com/b' } },
    )).data.integration;
    expect(moved.config).toEqual({ url: 'https://example.com/b', method: 'POST', headers: { 'X-A': '1' } });
    const bare = (await admin.put(
      `/api/integrations/${made.id}`, { config: { headers: {} }, events: ['monitor.up'] },
    )).data.integration;
    expect([bare.config.headers, bare.events]).toEqual([{}, ['monitor.up']]);
  });

  test('keep every concurrent change', async () => {
    const made = await create();
    const changes =
      [{ name: 'N' }, { enabled: false }, { is_default: true }, { config: { url: 'https://example.com/n' } }];
    expect((await Promise.all(
      changes.map((change) => admin.patch(`/api/integrations/${made.id}`, change)),
    )).map((response) => response.status))
      .toEqual([200, 200, 200, 200]);
    expect((await admin.get(`/api/integrations/${made.id}`)).data.integration).toMatchObject({
      name: 'N', enabled: false, is_default: true, config: { url: 'https://example.com/n' },
    });
  });

  test('stop counting as failing when they are disabled or changed', async () => {
    const queues = app.db.collection<QueueDoc>('delivery_queues');
    for (const [change, isForgotten] of [
      [{ name: 'Night' }, false], [{ enabled: false }, true], [{ config: { headers: { A: '1' } } }, true],
    ] as const) {
      const { id } = await create();
      await queues.insertOne({
        _id: id, organization_id: tenant.organizationId, project_id: tenant.projectId, shard: 0, wakes: 1,
        failing_since: 1, consecutive_failures: 3, failing_recipients: [],
        last_error: 'the receiver responded with status 500', last_delivered_at: null,
      });
      expect((await admin.get(`/api/integrations/${id}`)).data.integration.health).toMatchObject({
        status: 'failing', consecutive_failures: 3,
      });
      expect((await admin.patch(`/api/integrations/${id}`, change)).data.integration.health.status).toBe(
        isForgotten ? 'unknown' : 'failing',
      );
    }
  });

  test('are deleted', async () => {
    const made = await create();
    expect((await admin.delete(`/api/integrations/${made.id}`)).status).toBe(200);
    for (const response of [
      await admin.get(`/api/integrations/${made.id}`), await admin.delete(`/api/integrations/${made.id}`),
    ]) {
      expect([response.code, response.error.message, response.error.details]).toEqual([
        'RESOURCE_NOT_FOUND', 'Integration not found', { resourceType: 'Integration' },
      ]);
    }
  });

  describe('an address', () => {
    test.each([
      'localhost', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '１２７.０.０.１', '[::1]', '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]', '169.254.169.254', '100.64.0.1', 'localhost.',
      'a.localhost', '127.0.0.1.nip.io', 'two.example', 'meta.example', '10.0.0.1', '192.168.0.1',
      '172.16.0.1', '0.0.0.0', '[fd00::1]', '[fe80::1]', '[::]', '100.100.100.200',
    ])('of %s is rejected when it is saved', async (host) => {
      const url = `https://${host}/hook`;
      const responses = [
        await admin.post('/api/integrations', hook({ config: { url } })),
        await admin.patch(`/api/integrations/${(await create()).id}`, { config: { url } }),
      ];
      for (const response of responses) {
        expect(response.code, response.text).toBe('VALIDATION_ERROR');
        expect(response.error.details[0]).toMatchObject({ path: ['config', 'url'] });
      }
    });

    test.each([
      ['localhost', true], ['10.0.0.1', true], ['127.0.0.1.nip.io', true], ['two.example', true],
      ['169.254.169.254', false], ['meta.example', false], ['[::ffff:127.0.0.1]', false],
    ])('of %s is rejected with the setting that would allow it: %s', async (host, isNamed) => {
      const responses = [
        await admin.post('/api/integrations', hook({ config: { url: `https://${host}/hook` } })),
        await admin.post('/api/integrations', { name: 'S', type: 'slack', config: { webhook_url: `https://${host}/` } }),
      ];
      for (const { error } of responses) {
        const message = String(error.details[0].message);
        expect(message).toContain('must be publicly reachable: ');
        expect(message.includes('Set ALLOW_PRIVATE_DESTINATIONS=true on the server'), message).toBe(isNamed);
      }
    });

    test.each([
      'http://user@example.com/', 'http://u:p@example.com/', 'file:///etc/passwd', 'gopher://example.com/',
      'example.com', '', 'http://', 'http://example.com:25/', 'http://example.com:6379/',
      'http://example.com/\r\nX: y', `https://example.com/${'a'.repeat(2048)}`, 7, null, { $gt: '' },
    ])(
      '%j is rejected',
      async (url) => expect((await admin.post('/api/integrations', hook({ config: { url } }))).code).toBe(
        'VALIDATION_ERROR',
      ),
    );

    test('with an unresolvable name can be saved', async () => {
      await create({ config: { url: 'https://soon.example/' } });
    });
  });

  describe('a body', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${at}`, 'v']));
    const url = 'https://example.com/';
    test.each([
      [{ name: '' }], [{ name: '  ' }], [{ name: 'a'.repeat(101) }], [
        { name: 'a\nb' },
      ], [{ name: 7 }], [{ name: undefined }], [{ type: undefined }], [{ type: 'fax' }], [{ type: 'email' }],
      [{ type: 'slack' }], [{ config: undefined }], [{ config: {} }], [
        { config: { url, method: 'GET' } },
      ], [{ config: { url, method: 'post' } }], [{ config: { url, headers: many(51) } }],
      [{ config: { url, headers: { ['A'.repeat(101)]: 'v' } } }], [
        { config: { url, headers: { A: 'v'.repeat(1001) } } },
      ], [{ config: { url, headers: { A: 'x\r\ny' } } }],
      [{ config: { url, headers: { 'A B': 'v' } } }], [
        { config: { url, headers: { Host: 'v' } } },
      ], [{ config: { url, headers: { A: '1', a: '2' } } }], [{ config: { url, headers: ['x'] } }],
      [{ config: { url, headers: { A: 7 } } }], [{ config: { url, secret: 'x' } }], [{ events: [] }],
      [{ events: ['monitor.sideways'] }], [{ events: 'monitor.up' }], [{ enabled: 'yes' }],
      [{ secret: 'whsec_mine' }], [{ organization_id: 'x', extra: 1 }], [{ revision: 9 }],
    ])('%j is rejected', async (change) => {
      const response = await admin.post('/api/integrations', hook(change));
      expect(response.code, response.text).toBe('VALIDATION_ERROR');
      expect(Array.isArray(response.error.details)).toBe(true);
    });

    test('is accepted at its limits, also with reserved headers', async () => {
      await create({ name: 'a'.repeat(100), config: { url, headers: many(50) } });
      await create({ config: {
        url, headers: { ['A'.repeat(100)]: 'v'.repeat(1000), 'content-type': 'x', 'X-Service-Event': 'y' },
      } });
    });

    test('cannot move an integration or change its type', async () => {
      const made = await create();
      const response = await admin.patch(
        `/api/integrations/${made.id}`,
        { organization_id: 'other', project_id: 'other', created_by: 'me', id: newId(1) },
      );
      expect(response.data.integration).toMatchObject({
        id: made.id, organization_id: tenant.organizationId, project_id: tenant.projectId,
        created_by: tenant.owner.userId,
      });
      expect((await admin.patch(`/api/integrations/${made.id}`, { type: 'email' })).code).toBe(
        'VALIDATION_ERROR',
      );
    });
  });

  describe('the signing secret', () => {
    test('is created on the first read and stays the same, even for concurrent reads', async () => {
      const { id } = await create();
      const opened =
        await Promise.all(Array.from({ length: 10 }, () => admin.get(`/api/integrations/${id}/secret`)));
      expect(new Set(opened.map((response) => response.data.secret)).size).toBe(1);
      expect(opened[0]?.data.secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    });

    test('is replaced by rotation', async () => {
      const { id } = await create();
      const before = (await admin.get(`/api/integrations/${id}/secret`)).data.secret;
      const rotated = (await admin.post(`/api/integrations/${id}/rotate-secret`)).data.secret;
      expect(rotated).not.toBe(before);
      expect((await admin.get(`/api/integrations/${id}/secret`)).data.secret).toBe(rotated);
    });
  });

  describe('every route', () => {
    const routes = (id: string): [string, string, object?][] => [
      ['GET', '/api/integrations'], [
        'POST', '/api/integrations', hook(),
      ], ['GET', `/api/integrations/${id}`], ['PATCH', `/api/integrations/${id}`, { name: 'x' }],
      ['PUT', `/api/integrations/${id}`, { name: 'x' }], ['POST', `/api/integrations/${id}/test`],
      ['GET', `/api/integrations/${id}/secret`],
      ['POST', `/api/integrations/${id}/rotate-secret`], ['DELETE', `/api/integrations/${id}`],
    ];

    test('rejects missing credentials, API keys, and members below project admin', async () => {
      const { id } = await create();
      const editor = await newMember(app, tenant, 'member', { [tenant.projectId]: 'editor' });
      const viewer = await newMember(app, tenant, 'viewer');
      for (const [method, path, body] of routes(id)) {
        expect((await app.client.send(method, path, { body })).code, `${method} ${path}`).toBe(
          'MISSING_AUTH',
        );
        expect((await tenant.readKey.send(method, path, { body })).code).toBe('JWT_REQUIRED');
        expect((await tenant.writeKey.send(method, path, { body })).code).toBe('JWT_REQUIRED');
        for (const person of [editor, viewer]) {
          expect((await person.client.send(method, path, { body })).code).toBe('INSUFFICIENT_PERMISSIONS');
        }
      }
      expect((await admin.get(`/api/integrations/${id}`)).data.integration.name).toBe('On-call');
    });

    test('is closed to outsiders for reads and changes', async () => {
      const { id } = await create();
      const outsider = await newTenant(app);
      for (const [method, path, body] of routes(id).filter(([, path]) => path.includes(id))) {
        const response = await outsider.owner.client.send(method, path, { body });
        const unknown = await outsider.owner.client.send(method, path.replace(id, newId(7)), { body });
        expect([response.code, response.error], `${method} ${path}`).toEqual([
          'RESOURCE_NOT_FOUND', unknown.error,
        ]);
      }
      expect((await outsider.owner.client.get('/api/integrations')).data.integrations).toEqual([]);
      expect((await admin.get(`/api/integrations/${id}`)).data.integration.name).toBe('On-call');
    });
  });

  test('have a limit per project', async () => {
    const full = await newTenant(app);
    for (let count = 0; count < 100; count += 1) {
      expect((await full.owner.client.post('/api/integrations', hook())).status).toBe(201);
    }
    expect((await full.owner.client.post('/api/integrations', hook())).code).toBe('FAIR_USE_LIMIT_REACHED');
    expect((await full.owner.client.get('/api/integrations')).data.integrations).toHaveLength(100);
  });
});

describe('integrations of other types', () => {
  let app: TestApp;
  let admin: ApiClient;
  beforeAll(async () => {
    app = await appWith(false);
    admin = (await newTenant(app)).owner.client;
  });
  afterAll(() => app.close());

  const SLACK = 'https://example.com/services/T0/B0/secret';
  const made = async (body: object): Promise<Loose> => {
    const response = await admin.post('/api/integrations', { name: 'Ops', ...body });
    expect(response.status, response.text).toBe(201);
    return response.data.integration;
  };

  test.each([
    ['email', { to: ['ops@example.com', 'o.n-call+night@mail.example.com'] }, { to: ['night@example.com'] }],
    ['slack', { webhook_url: SLACK }, { webhook_url: `${SLACK}2` }],
  ])('%s can be read, changed, sent back as it was read, and deleted', async (type, config, other) => {
    const one = await made({ type, config, events: ['monitor.down'], is_default: true });
    expect(one).toMatchObject({
      type, config, events: ['monitor.down'], is_default: true, enabled: true, health: { status: 'unknown' },
    });
    expect((await admin.get(`/api/integrations/${one.id}`)).data.integration).toEqual(one);
    const back = await admin.put(`/api/integrations/${one.id}`, one);
    expect(back.data.integration).toEqual({ ...one, updated_at: back.data.integration.updated_at });
    expect(
      (await admin.patch(`/api/integrations/${one.id}`, { config: other, enabled: false })).data.integration,
    ).toMatchObject({ config: other, enabled: false });
    expect(
      (await admin.patch(`/api/integrations/${one.id}`, { name: 'New' })).data.integration,
    ).toMatchObject({ config: other, name: 'New' });
    expect((await admin.delete(`/api/integrations/${one.id}`)).status).toBe(200);
    expect((await admin.get(`/api/integrations/${one.id}`)).code).toBe('RESOURCE_NOT_FOUND');
  });

  test('have no signing secret', async () => {
    for (const body of [
      { type: 'email', config: { to: ['a@example.com'] } }, { type: 'slack', config: { webhook_url: SLACK } },
    ]) {
      const { id } = await made(body);
      const responses = [
        await admin.get(`/api/integrations/${id}/secret`),
        await admin.post(`/api/integrations/${id}/rotate-secret`),
      ];
      expect(responses.map((response) => [response.status, response.code])).toEqual([
        [400, 'VALIDATION_FAILED'], [400, 'VALIDATION_FAILED'],
      ]);
    }
  });

  test('store each address once', async () => {
    const { config } = await made({
      type: 'email',
      config: { to: ['Ops@Example.COM', 'ops@example.com', 'b@example.com', 'Ops@example.com'] },
    });
    expect(config.to).toEqual(['Ops@example.com', 'b@example.com']);
    await made({
      type: 'email', config: { to: Array.from({ length: 20 }, (_, at) => `u${at}@example.com`) },
    });
  });

  test.each([
    [[]], [['']], [['ops']], [['@example.com']], [['ops@']], [
      ['ops@localhost'],
    ], [['a@b.example\r\nBcc: c@d.example']], [['a@b.example\n']], [['Ops <ops@example.com>']],
    [['<ops@example.com>']], [['a@example.com,b@example.com']], [
      ['a@example.com b@example.com'],
    ], [['"a b"@example.com']], [['a@example.com\u0001']], [['a@[127.0.0.1]']],
    [['a@127.0.0.1']], [['a..b@example.com']], [['a@exa_mple.com']], [
      ['a@example..com'],
    ], [[`${'a'.repeat(65)}@example.com`]], [[`a@${'b.'.repeat(150)}com`]], [['\u0430@example.com']],
    [[7]], ['ops@example.com'], [Array.from({ length: 21 }, (_, at) => `u${at}@example.com`)], [undefined],
    [[null]],
  ])('reject the recipients %j', async (to) => {
    const response = await admin.post('/api/integrations', { name: 'Mail', type: 'email', config: { to } });
    expect(response.code, response.text).toBe('VALIDATION_ERROR');
    expect(response.error.details[0].path.slice(0, 2)).toEqual(['config', 'to']);
    const { id } = await made({ type: 'email', config: { to: ['a@example.com'] } });
    if (to !== undefined) {
      expect((await admin.patch(`/api/integrations/${id}`, { config: { to } })).code).toBe(
        'VALIDATION_ERROR',
      );
    }
    expect((await admin.get(`/api/integrations/${id}`)).data.integration.config.to).toEqual([
      'a@example.com',
    ]);
  });

  test.each([
    'https://localhost/x', 'https://localhost./x', 'https://127.1/x', 'https://2130706433/x',
    'https://0x7f.1/', 'https://１２７.０.０.１/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/', 'https://169.254.169.254/', 'https://100.64.0.1/',
    'https://127.0.0.1.nip.io/', 'https://two.example/', 'https://user@example.com/', 'http://example.com/x',
    'file:///etc/passwd', 'gopher://example.com/', '', 7, undefined,
  ])('reject the Slack address %j', async (webhook_url) => {
    const response =
      await admin.post('/api/integrations', { name: 'Slack', type: 'slack', config: { webhook_url } });
    expect(response.code, response.text).toBe('VALIDATION_ERROR');
    expect(response.error.details[0].path).toEqual(['config', 'webhook_url']);
    const { id } = await made({ type: 'slack', config: { webhook_url: SLACK } });
    if (webhook_url !== undefined) {
      expect((await admin.patch(`/api/integrations/${id}`, { config: { webhook_url } })).code).toBe(
        'VALIDATION_ERROR',
      );
    }
  });

  test('reject the settings of another type', async () => {
    for (const [type, config] of [
      ['email', { url: SLACK }], ['slack', { to: ['a@example.com'] }],
      ['email', { to: ['a@example.com'], headers: {} }], ['webhook', { webhook_url: SLACK }],
    ]) {
      expect((await admin.post('/api/integrations', { name: 'x', type, config })).code).toBe(
        'VALIDATION_ERROR',
      );
    }
    const { id } = await made({ type: 'email', config: { to: ['a@example.com'] } });
    const response = await admin.patch(`/api/integrations/${id}`, { config: { url: SLACK } });
    expect([response.code, response.error.details]).toEqual([
      'VALIDATION_ERROR',
      [{ code: 'unrecognized_keys', path: ['config', 'url'], message: 'Unrecognized key' }],
    ]);
  });
});

describe('a test of an integration', () => {
  let app: TestApp;
  let admin: ApiClient;
  beforeAll(async () => {
    [receiver, smtp] = await Promise.all([startReceiver(), startSmtpServer()]);
    app = await appWith(true, smtp.url);
    admin = (await newTenant(app)).owner.client;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
    await smtp.stop();
  });

  test('sends a signed sample and reports the result', async () => {
    const { id } =
      (await admin.post('/api/integrations', hook({ config: { url: receiver.url } }))).data.integration;
    expect((await admin.post(`/api/integrations/${id}/test`)).data).toMatchObject({
      delivered: true, status_code: 200, error_message: null, duration_ms: expect.any(Number),
    });
    expect(JSON.parse(receiver.requests[0]?.body.toString() ?? '')).toMatchObject({
      version: '1', event: 'monitor.down', monitor: { name: 'Test notification' }, incident: null,
    });
    expect(receiver.requests[0]?.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    receiver.behave(503);
    expect((await admin.post(`/api/integrations/${id}/test`)).data).toMatchObject({
      delivered: false, status_code: 503, error_message: 'the receiver responded with status 503',
    });
    expect(receiver.requests).toHaveLength(2);
  });

  test('sends custom headers unchanged, but never instead of the product\'s own', async () => {
    receiver.behave(200);
    const ours = [
      'CONTENT-type', 'user-AGENT', 'x-service-EVENT', 'X-SERVICE-DELIVERY', 'x-Service-Timestamp',
      'X-service-Signature', 'X-Service-Anything',
    ];
    const own = {
      'X-Team': 'ops', Authorization: 'Bearer x', Cookie: 'a=b', Accept: '*/*', 'X-Latin': 'café',
      'X-Empty': '', ['A'.repeat(100)]: 'v'.repeat(1000),
    };
    const filler = Object.fromEntries(
      Array.from({ length: 50 - ours.length - Object.keys(own).length }, (_, at) => [`X-${at}`, 'v']),
    );
    const headers = { ...Object.fromEntries(ours.map((name) => [name, 'forged'])), ...own, ...filler };
    const { id } = (await admin.post(
      '/api/integrations', hook({ config: { url: receiver.url, headers } }),
    )).data.integration;
    receiver.requests.length = 0;
    expect((await admin.post(`/api/integrations/${id}/test`)).data).toMatchObject({ delivered: true });
    const [{ rawHeaders, body, headers: seen }] = receiver.requests as [ReceivedRequest];
    const sent =
      rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]] as const] : []));
    expect(sent.filter(([, value]) => value === 'forged')).toEqual([]);
    expect(sent).toEqual(expect.arrayContaining(Object.entries({ ...own, ...filler })));
    const names = sent.map(([name]) => name.toLowerCase());
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toContain('x-service-anything');
    expect(seen).toMatchObject({
      host: `127.0.0.1:${receiver.port}`, 'content-length': String(
        body.length,
      ), 'content-type': 'application/json', 'user-agent': 'Service-Webhook/1.0',
      'x-service-event': JSON.parse(body.toString()).event, 'x-service-timestamp': String(
        JSON.parse(body.toString()).timestamp,
      ),
      'x-service-delivery': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
  });

  test.each([
    'Host', 'content-LENGTH', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'Upgrade', 'Expect', 'TE',
    'Trailer', 'Proxy-Connection', 'Proxy-Authorization', 'HTTP2-Settings',
  ])('cannot be made to send a chosen %s: it is rejected when saved', async (name) => {
    const { id } =
      (await admin.post('/api/integrations', hook({ config: { url: receiver.url } }))).data.integration;
    const config = { url: receiver.url, headers: { [name]: '1' } };
    for (const response of [
      await admin.post('/api/integrations', hook({ config })),
      await admin.patch(`/api/integrations/${id}`, { config }),
    ]) {
      expect([response.status, response.code, response.error?.details?.[0]?.path]).toEqual([
        400, 'VALIDATION_ERROR', ['config', 'headers', name],
      ]);
    }
  });

  test('never reaches metadata addresses, even when private ones are allowed', async () => {
    for (const url of ['http://169.254.169.254/', 'http://meta.example/', 'http://[fe80::1]/']) {
      expect((await admin.post('/api/integrations', hook({ config: { url } }))).code).toBe(
        'VALIDATION_ERROR',
      );
    }
  });

  test('by mail goes to every address, and reports the rejected one', async () => {
    const to = ['ops@example.com', 'boss@example.com'];
    const { id } = (await admin.post(
      '/api/integrations', { name: 'Mail', type: 'email', config: { to } },
    )).data.integration;
    expect((await admin.post(`/api/integrations/${id}/test`)).data).toMatchObject({
      delivered: true, status_code: null, error_message: null, duration_ms: expect.any(Number),
    });
    expect(smtp.mails.flatMap((mail) => mail.to).sort()).toEqual(['boss@example.com', 'ops@example.com']);
    await smtp.behave({ code: 550, text: 'no such user', at: 'rcpt' });
    const refused = (await admin.post(`/api/integrations/${id}/test`)).data;
    expect(refused).toMatchObject({ delivered: false, status_code: null });
    expect(refused.error_message).toMatch(
      /ops@example\.com: .*no such user.*; boss@example\.com: .*no such user/,
    );
  });

  test('by Slack posts a message', async () => {
    receiver.behave(200);
    receiver.requests.length = 0;
    const { id } = (await admin.post(
      '/api/integrations',
      { name: '#ops', type: 'slack', config: { webhook_url: `${receiver.url}/services/T/B/x` } },
    )).data.integration;
    expect((await admin.post(`/api/integrations/${id}/test`)).data).toMatchObject({
      delivered: true, status_code: 200,
    });
    expect(
      receiver.requests.map((request) => [request.method, request.path, request.headers['content-type']]),
    ).toEqual([['POST', '/services/T/B/x', 'application/json']]);
    expect(JSON.parse(receiver.requests[0]?.body.toString() ?? '')).toMatchObject({
      text: expect.stringContaining('Test notification'), blocks: expect.any(Array),
    });
  });
});
