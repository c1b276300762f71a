import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DESTINATION_TYPES, CHANNELS, type DestinationType } from '../../controller/destinations/channels/registry.ts';
import type { ApiClient, Loose } from '../helpers/api-client.ts';
import { makeApp, type TestApp } from '../helpers/make-app.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { newTenant } from '../helpers/tenants.ts';
import { startVendor, VENDORS } from '../helpers/vendor-recorder.ts';

const lines: string[] = [];
let app: TestApp;
let admin: ApiClient;
let receiver: Receiver;
beforeAll(async () => {
  const log = pino({ level: 'trace' }, new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) }));
  receiver = await startReceiver();
  app = await makeApp({ env: { ALLOW_PRIVATE_DESTINATIONS: 'true', LOG_LEVEL: 'trace' }, log });
  admin = (await newTenant(app)).owner.client;
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const post = (type: string, config: object) => admin.post('/api/integrations', { name: 'Ops', type, config });
const create = async (type: string, config: object): Promise<Loose> => {
  const response = await post(type, config);
  expect(response.status, response.text).toBe(201);
  return response.data.integration;
};
const change = (id: string, config: object) => admin.patch(`/api/integrations/${id}`, { config });

describe.each(Object.entries(VENDORS))('an integration of type %s', (type, vendor) => {
  test('sends a test, masks its secrets, and accepts what it shows', async () => {
    const { receiver: server, violations } = await startVendor(vendor);
    const made = await create(type, vendor.config(server.url));
    const sample = await admin.post(`/api/integrations/${made.id}/test`);
    expect([sample.data, violations]).toEqual([
      { delivered: true, status_code: 200, error_message: null, duration_ms: expect.any(Number) }, [],
    ]);
    const read = await admin.get(`/api/integrations/${made.id}`);
    expect(read.data.integration).toEqual(made);
    const back = await admin.put(`/api/integrations/${made.id}`, made);
    expect(back.data.integration, back.text).toEqual({ ...made, updated_at: back.data.integration.updated_at });
    expect((await admin.post(`/api/integrations/${made.id}/test`)).data.delivered).toBe(true);
    server.behave(500);
    const failed = await admin.post(`/api/integrations/${made.id}/test`);
    expect(failed.data).toMatchObject({ delivered: false, status_code: 500 });
    for (const secret of vendor.secrets) {
      for (const { text } of [sample, read, back, failed, await admin.get('/api/integrations')]) expect(text).not.toContain(secret);
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    }
    await server.close();
  });

  test('rejects masks of secrets that it does not have yet', async () => {
    const { config } = (await admin.get(`/api/integrations/${(await create(type, vendor.config('https://vendor.example'))).id}`)).data.integration;
    expect((await post(type, config)).status).toBe(vendor.secrets.length === 0 ? 201 : 400);
  });
});

test('an integration groups alerts by cause unless its type groups them itself or the request says otherwise', async () => {
  const configs: Record<DestinationType, object> = {
    webhook: { url: 'https://hook.example/' }, email: { to: ['ops@example.com'] },
    ...Object.fromEntries(Object.entries(VENDORS).map(([type, { config }]) => [type, config('https://vendor.example')])),
  } as Record<DestinationType, object>;
  for (const type of DESTINATION_TYPES) {
    const { id, grouping } = await create(type, configs[type]);
    const isUngrouped = ['webhook', 'pagerduty', 'alertmanager'].includes(type);
    expect([type, grouping]).toEqual([type, isUngrouped ? 'off' : 'auto']);
    for (const [written, shown] of [['off', 'off'], ['auto', 'auto'], [null, grouping]]) {
      const changed = await admin.patch(`/api/integrations/${id}`, { grouping: written });
      expect([type, changed.data.integration.grouping]).toEqual([type, shown]);
    }
  }
  expect((await admin.post('/api/integrations', { name: 'Ops', type: 'email', config: configs.email, grouping: 'on' })).status).toBe(400);
});

test('a URL of another vendor is rejected with the type that it belongs to', async () => {
  for (const [type, config, field, label] of [
    ['slack', { webhook_url: 'https://discord.com/api/webhooks/1/x' }, 'webhook_url', 'Discord'],
    ['discord', { url: 'https://hooks.slack.com/services/T/B/x' }, 'url', 'Slack'],
    ['mattermost', { url: 'https://prod-1.westeurope.logic.azure.com/workflows/x' }, 'url', 'Microsoft Teams'],
    ['teams', { url: 'https://chat.googleapis.com/v1/spaces/x' }, 'url', 'Google Chat'],
    ['gotify', { base_url: 'https://ntfy.sh', token: 'x' }, 'base_url', 'ntfy'],
    ['alertmanager', { base_url: 'https://events.pagerduty.com' }, 'base_url', 'PagerDuty'],
  ] as const) {
    const response = await post(type, config);
    expect([response.status, response.error?.details?.[0]?.path], response.text).toEqual([400, ['config', field]]);
    expect(response.error.details[0].message).toContain(label);
  }
  const { id } = await create('discord', { url: 'https://discord.com/api/webhooks/1/x' });
  expect((await change(id, { url: 'https://hooks.slack.com/x' })).error.details[0].message).toContain('type slack');
  await create('webhook', { url: 'https://discord.com/api/webhooks/1/x' });
  await create('slack', { webhook_url: 'https://slack-proxy.example/x' });
});

test('a URL with a secret is masked after its host, and changes as a whole', async () => {
  const { id, config } = await create('discord', { url: 'https://discord.com/api/webhooks/1/secret' });
  expect(config).toEqual({ url: 'https://discord.com/***' });
  expect((await change(id, { url: 'https://discordapp.com/***' })).code).toBe('VALIDATION_ERROR');
  expect((await change(id, { url: '***' })).code).toBe('VALIDATION_ERROR');
  expect((await change(id, { url: 'https://discordapp.com/api/webhooks/2/x' })).data.integration.config.url).toBe('https://discordapp.com/***');
});

test('a masked secret keeps its value while others change, and null removes an optional field', async () => {
  const { id } = await create('ntfy', { topic: 'a', base_url: receiver.url, token: 'tk_first', priority: 2 });
  const sent = async () => {
    await admin.post(`/api/integrations/${id}/test`);
    const { headers, body } = receiver.requests.at(-1) as NonNullable<(typeof receiver.requests)[number]>;
    return [headers['authorization'], JSON.parse(body.toString()).topic, JSON.parse(body.toString()).priority];
  };
  expect((await change(id, { topic: 'b', token: '***' })).data.integration.config)
    .toEqual({ topic: 'b', base_url: receiver.url, token: '***', priority: 2 });
  expect(await sent()).toEqual(['Bearer tk_first', 'b', 2]);
  expect((await change(id, { token: 'tk_second' })).status).toBe(200);
  expect(await sent()).toEqual(['Bearer tk_second', 'b', 2]);
  expect((await change(id, { token: null, priority: null })).data.integration.config).toEqual({ topic: 'b', base_url: receiver.url });
  expect(await sent()).toEqual([undefined, 'b', 4]);
});

test.each([
  ['gotify', { token: 'first' }, ['token']], ['pushover', { token: 'first', user: 'second' }, ['token', 'user']],
  ['apprise', { urls: ['json://one', 'json://two'] }, ['urls']],
])('a stored secret of %s is not sent to a new address: it must be entered again', async (type, secrets, fields) => {
  const shown = await create(type, { ...secrets, base_url: receiver.url });
  const elsewhere = `http://localhost:${receiver.port}`;
  for (const config of [{ base_url: elsewhere }, { ...shown.config, base_url: elsewhere }]) {
    const { status, error } = await change(shown.id, config);
    expect([status, error?.details?.map((one: Loose) => [one.path, one.message])]).toEqual([
      400, fields.map((field) => [['config', field], 'Enter this again, because the address has changed']),
    ]);
  }
  receiver.requests.length = 0;
  await admin.post(`/api/integrations/${shown.id}/test`);
  expect(receiver.requests.map(({ headers }) => headers.host)).toEqual([`127.0.0.1:${receiver.port}`]);
  expect((await change(shown.id, { base_url: `${receiver.url}/below` })).status).toBe(200);
  expect((await change(shown.id, { ...secrets, base_url: elsewhere })).data.integration.config.base_url).toBe(elsewhere);
});

test('a stored secret of a vendor\'s own server is not sent to another one', async () => {
  const { id } = await create('telegram', { bot_token: '1:first', chat_id: 1 });
  expect((await change(id, { base_url: receiver.url })).error.details[0].path).toEqual(['config', 'bot_token']);
  expect((await change(id, { base_url: receiver.url, bot_token: '1:second' })).status).toBe(200);
  expect((await change(id, { base_url: null })).error.details[0].path).toEqual(['config', 'bot_token']);
});

test('masked items of a list keep the values in their places', async () => {
  const { id } = await create('apprise', { base_url: receiver.url, urls: ['json://one', 'json://two'] });
  expect((await change(id, { urls: ['***', '***', 'json://three'] })).data.integration.config.urls).toEqual(['***', '***', '***']);
  await admin.post(`/api/integrations/${id}/test`);
  expect(JSON.parse(receiver.requests.at(-1)?.body.toString() ?? '').urls).toBe('json://one,json://two,json://three');
  expect((await change(id, { urls: ['***', '***', '***', '***'] })).error.details[0].path).toEqual(['config', 'urls', 3]);
});

test.each([
  ['telegram', { bot_token: 'a b', chat_id: 1 }, 'bot_token'], ['telegram', { bot_token: '1:a', chat_id: 1.5 }, 'chat_id'],
  ['telegram', { bot_token: '1:a/../x', chat_id: 1 }, 'bot_token'], ['ntfy', { topic: 'a/b' }, 'topic'],
  ['ntfy', { topic: 'a', priority: 6 }, 'priority'], ['gotify', { base_url: 'https://g.example', token: 'x', priority: 11 }, 'priority'],
  ['gotify', { base_url: 'https://g.example?x=1', token: 'x' }, 'base_url'], ['gotify', { token: 'x' }, 'base_url'],
  ['matrix', { base_url: 'https://m.example', access_token: 'x', room_id: '#alias:m.example' }, 'room_id'],
  ['twilio', { account_sid: 'AC/1', auth_token: 'x', from: '+1', to: ['+15550001111'] }, 'account_sid'],
  ['twilio', { account_sid: 'AC1', auth_token: 'x', from: '+1', to: ['ops@example.com'] }, 'to'],
  ['apprise', { base_url: 'https://a.example', urls: [] }, 'urls'], ['apprise', { base_url: 'https://a.example', urls: ['a b'] }, 'urls'],
  ['pagerduty', { routing_key: 'x\r\ny' }, 'routing_key'], ['discord', { url: 'https://169.254.169.254/x' }, 'url'],
])('%s rejects %j', async (type, config, field) => {
  const response = await post(type, config);
  expect([response.status, response.error?.details?.[0]?.path?.slice(0, 2)], response.text).toEqual([400, ['config', field]]);
});

test('private addresses are refused for each type as for webhooks', async () => {
  const guarded = await makeApp();
  const { client } = (await newTenant(guarded)).owner;
  for (const type of DESTINATION_TYPES.filter((one): one is Exclude<DestinationType, 'email' | 'webhook'> => one in VENDORS)) {
    for (const url of ['https://127.0.0.1', 'https://10.0.0.1', 'https://169.254.169.254', ...(CHANNELS[type].isPlain ? [] : ['http://vendor.example'])]) {
      const response = await client.post('/api/integrations', { name: 'Ops', type, config: VENDORS[type].config(url) });
      expect([type, url, response.status]).toEqual([type, url, 400]);
    }
  }
  await guarded.close();
});

describe('a preview', () => {
  const preview = async (type: string, config: object) => admin.post('/api/integrations/preview', { type, config });

  test.each(Object.entries(VENDORS))('of %s renders an outage and its recovery without secrets, and stores nothing', async (type, vendor) => {
    const before = (await admin.get('/api/integrations')).data.integrations.length;
    const response = await preview(type, vendor.config('https://vendor.example'));
    expect(response.status, response.text).toBe(200);
    expect(response.data.previews.map((one: Loose) => one.event)).toEqual(['monitor.down', 'monitor.up']);
    for (const secret of vendor.secrets) expect(response.text).not.toContain(secret);
    for (const { text, request } of response.data.previews) {
      expect(request.url).toMatch(/^https:\/\//);
      if (text === null) expect(['pagerduty', 'alertmanager']).toContain(type);
      else expect(text).toContain('Shop');
    }
    expect((await admin.get('/api/integrations')).data.integrations).toHaveLength(before);
  });

  test.each(DESTINATION_TYPES)('of %s needs no finished form', async (type) => {
    const response = await preview(type, {});
    expect(response.status, response.text).toBe(200);
    expect(response.data.previews).toHaveLength(2);
  });

  test('shows the subject and text of an email, and the body of a template', async () => {
    const mail = (await preview('email', { to: ['ops@example.com'] })).data.previews[1];
    expect(mail).toMatchObject({ subject: '[UP] Shop — is back up after 4 min 12 s', request: null });
    expect(mail.text).toContain('Stop these emails: ');
    const template = { body: '{"title": "{{subject}}", "end": {{incident.resolved_at}}}' };
    const [outage, recovery] = (await preview('webhook', { url: receiver.url, template })).data.previews;
    expect(outage.request).toEqual({
      method: 'POST', url: receiver.url, content_type: 'application/json', body: '{"title": "[DOWN] Shop — HTTP 503", "end": null}',
    });
    expect(JSON.parse(recovery.request.body)).toEqual({ title: mail.subject, end: expect.any(Number) });
  });

  test('reports an invalid field where it is, such as an unknown name in a template', async () => {
    const { error } = await preview('webhook', { url: receiver.url, template: { body: '{{nothing}}' } });
    expect(error.details).toMatchObject([{ path: ['config', 'template', 'body'], message: expect.stringContaining('Unknown name') }]);
    expect((await preview('email', { webhook_url: 'https://hooks.example' })).error.details[0].path).toEqual(['config', 'webhook_url']);
  });
});

test('without open registration, servers may be private, but never metadata, and secrets go to public hosts over TLS only', async () => {
  const resolve = async (host: string) => [host === 'gotify' ? '172.18.0.2' : '93.184.216.34'];
  const closed = await makeApp({ env: { REGISTRATION: 'first-user' }, resolve });
  const { client } = (await newTenant(closed)).owner;
  for (const [host, status] of [
    ['127.0.0.1:8080', 201], ['10.0.0.1', 201], ['gotify', 201], ['169.254.169.254', 400], ['vendor.example', 400], ['93.184.216.34', 400],
  ] as const) {
    const config = { base_url: `http://${host}`, token: 'x' };
    const response = await client.post('/api/integrations', { name: 'Ops', type: 'gotify', config });
    expect([host, response.status]).toEqual([host, status]);
  }
  await closed.close();
});

describe('a template of a webhook', () => {
  const sent = async (template: object) => {
    const { id } = await create('webhook', { url: receiver.url, template });
    expect((await admin.post(`/api/integrations/${id}/test`)).data.delivered).toBe(true);
    const { body, headers } = receiver.requests.at(-1) as NonNullable<(typeof receiver.requests)[number]>;
    return { text: body.toString(), type: headers['content-type'] };
  };

  test('replaces names with the fields of the payload, escaped for JSON', async () => {
    const body = '{"what": "{{event}} {{ monitor.name }}", "id": "{{incident.id}}", "at": {{timestamp}}, "end": {{incident.resolved_at}}, "text": "{{message}}"}';
    const { text, type } = await sent({ body });
    expect(type).toBe('application/json');
    expect(JSON.parse(text)).toEqual({
      what: 'monitor.down Test notification', id: '', at: expect.any(Number), end: null,
      text: expect.stringContaining('\n') as string,
    });
  });

  test('has the content type of its choice, and is read back', async () => {
    const template = { content_type: 'text/plain; charset=utf-8', body: 'Alert: {{subject}}' };
    expect(await sent(template)).toEqual({ type: template.content_type, text: expect.stringMatching(/^Alert: \[DOWN\] Test/) });
    const { id, config } = await create('webhook', { url: receiver.url, template });
    expect(config.template).toEqual(template);
    expect((await change(id, { template: null })).data.integration.config).toEqual({ url: receiver.url, method: 'POST', headers: {} });
  });

  test.each([
    '{{monitor}}', '{{nothing}}', '{{monitor.secret}}', '{{}}', '{{event', '{{#if event}}', '{{constructor.name}}', '', '{{event}}'.repeat(101),
  ])('%j is refused', async (body) => {
    const response = await post('webhook', { url: receiver.url, template: { body } });
    expect([response.status, response.error?.details?.[0]?.path], response.text).toEqual([400, ['config', 'template', 'body']]);
  });

  test('is refused with a content type that is none', async () => {
    expect((await post('webhook', { url: receiver.url, template: { content_type: 'a\r\nb: c', body: 'x' } })).status).toBe(400);
  });
});
