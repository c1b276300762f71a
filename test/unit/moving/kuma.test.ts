import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readKuma } from '../../../controller/moving/converters/kuma-file.ts';
import { addKumaMaintenance } from '../../../controller/moving/converters/kuma-maintenance.ts';
import { Conversion } from '../../../controller/moving/conversion.ts';
import { converted, type Outcome } from './converted.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/moving', name));

describe.each(['kuma-1.23.db', 'kuma-2.db', 'kuma-1.x.json'])('%s', (name) => {
  let outcome: Outcome;
  const isDatabase = name.endsWith('.db');
  const isNew = name === 'kuma-2.db';
  beforeAll(async () => {
    outcome = await converted('kuma', fixture(name));
  });

  test('has groups with their parents, under names of their own', () => {
    expect(outcome.document.groups).toEqual([
      { name: 'Shop' }, { name: 'Checkout', description: 'Where people pay', parent: 'Shop' }, { name: 'Shop (2)' },
    ]);
    expect(outcome.items['Shop']?.[1]).toBe('It is called Shop (2), because another group has its name.');
  });

  test.each([
    ['Shop page', {
      type: 'HTTP', target: 'https://shop.example/', interval_seconds: 60, timeout_ms: 48_000, group: 'Checkout',
      confirmation_policy: { retries: 2 }, tags: ['prod', 'team:web'], ssl_monitoring: { enabled: true },
      destinations: ['Ops chat'],
    }, ['full']],
    ['API', {
      type: 'HTTP', method: 'POST', body: '{"ping":true}', timeout_ms: 60_000, follow_redirects: false, verify_ssl: false,
      headers: { 'Content-Type': 'application/json', 'X-Key': 'k1' },
      auth: { type: 'basic', username: 'monitor', password: 's3cret' },
      expected_status: [404], expected_status_ranges: ['200-299'], confirmation_policy: { retries: 5 },
    }, [
      'partial', 'Repeated alerts are a setting of destinations in Farwatch (reminder_minutes).',
      'The timeout is 60 s instead of 90 s.', 'Retries: 5 instead of 8.',
      'Headers that the check sets itself are left out: Host.',
    ]],
    ['Maintenance page', {
      type: 'KEYWORD', keywords: [{ text: 'Maintenance', should_contain: false }], case_sensitive: true, is_inverted: true,
    }, ['full']],
    ['Database port', { type: 'TCP', target: 'db.example:5432', tcp_config: { protocol: 'generic', tls: 'none' } }, [
      'partial', 'It is checked without its proxy.',
    ]],
    ['Router', { type: 'ICMP', target: '192.0.2.1', interval_seconds: 30, status: 'paused' }, [
      'partial', 'The interval is 30 s instead of 20 s.',
    ]],
    ['Backup', {
      type: 'HEARTBEAT', heartbeat_interval: 86_400, grace_period: 3601, heartbeat_token: 'a1B2c3D4e5F6g7H8i9J0', tags: ['prod'],
    }, ['full']],
    ['Single sign-on', { type: 'HTTP', status: 'paused' }, [
      'partial', 'It is paused, because Farwatch does not sign in with oauth2-cc.',
    ]],
    ['Old shop', { target: 'http://old.example/', group: 'Shop (2)', status: 'paused' }, ['full']],
  ])('converts %s', (monitor, fields, reported) => {
    expect(outcome.monitors[monitor]).toMatchObject(fields);
    expect(outcome.items[monitor]).toEqual(reported);
  });

  test('skips what Farwatch lacks, with the reason', () => {
    expect(outcome.items['Queue']).toEqual(['skipped', 'Farwatch has no check of the type docker.']);
    expect(outcome.counts.skipped).toBe(1);
  });

  test('converts notifications and maintenance', () => {
    expect(outcome.document.integrations).toEqual([
      { name: 'Ops chat', type: 'telegram', config: { bot_token: '1:x', chat_id: '5' } },
    ]);
    expect(outcome.document.maintenance_windows).toEqual(isDatabase ? [{
      title: 'Weekly restart', description: null, starts_at: '2024-01-01T02:00:00.000Z', ends_at: '2024-01-01T03:00:00.000Z',
      recurrence: 'FREQ=WEEKLY;BYDAY=MO', timezone: 'UTC', monitors: [], status_pages: [],
    }] : undefined);
  });

  test('checks a JSON query if it has a counterpart', () => {
    const { assertions = null, ip_family: family = null } = outcome.monitors['Version'];
    expect(assertions).toEqual(isNew ? null : [
      { source: 'json', property: '$.app.version', comparison: 'equals', target: '7' },
    ]);
    expect(family).toBe(isNew ? 'ipv4' : null);
    expect(outcome.items['Version']).toEqual(isNew ? [
      'partial', 'No random parameter is added to the address.',
      'The body is not checked, because Farwatch has no query like app.version >=.',
    ] : ['full']);
  });

  test('converts DNS conditions, pings and SMTP of version 2', () => {
    const { dns_config: dns } = outcome.monitors['Names'];
    expect(dns.record_entries).toEqual([
      { type: 'MX', ...(isNew ? { expected_values: ['10 mail.shop.example'] } : {}) },
    ]);
    expect(outcome.monitors['Router'].icmp_config).toEqual({ packet_size: 128, ...(isNew ? { packet_count: 4 } : {}) });
    const mail = { target: 'mail.example:587', tcp_config: { protocol: 'smtp', tls: 'starttls' } };
    if (isNew) expect(outcome.monitors['Mail']).toMatchObject(mail);
  });

  test('converts status pages with their monitors in order', () => {
    expect(outcome.document.status_pages).toEqual(isDatabase ? [{
      name: 'Shop status', subdomain: 'shop', description: 'How the shop is doing', status: 'published',
      allow_search_indexing: false, color_scheme: 'system', branding: { footerText: 'Call us' },
      google_analytics_id: 'G-AB12CD34',
      monitors: [
        { monitor: 'Backup', group_name: 'First' },
        { monitor: 'Shop page', target: 'https://shop.example/', group_name: 'Public' },
      ],
    }] : []);
    if (isDatabase) {
      expect(outcome.items['Shop status']).toEqual([
        'partial', 'Add its domain in Farwatch, which verifies it: status.shop.example.', 'It does not show tags.',
        'Its CSS is left out, because it is written for other elements.', '1 of its monitors are left out.',
      ]);
    }
  });
});

test.each<[type: string, sent: object, stored: object | null, notes?: string[]]>([
  ['slack', { slackwebhookURL: 'https://hooks.slack.com/x' }, { type: 'slack', config: { webhook_url: 'https://hooks.slack.com/x' } }],
  ['slack', { slackwebhookURL: 'https://discord.com/x' }, null, [
    'config.webhook_url: The address belongs to Discord: create an integration of type discord instead.',
  ]],
  ['GoogleChat', { googleChatWebhookURL: 'https://chat.example/x' }, { type: 'google_chat', config: { url: 'https://chat.example/x' } }],
  ['smtp', { smtpTo: 'Ops <a@shop.example>, b@shop.example', smtpCC: 'a@shop.example' }, {
    type: 'email', config: { to: ['a@shop.example', 'b@shop.example'] },
  }, ['It is sent by the mail server of Farwatch.']],
  ['webhook', { webhookURL: 'https://hook.example/', webhookAdditionalHeaders: '{"X-Key":"k"}' }, {
    type: 'webhook', config: { url: 'https://hook.example/', headers: { 'X-Key': 'k' } },
  }, ['Its body is that of Farwatch; change the receiver, or add a template.']],
  ['PagerDuty', { pagerdutyIntegrationKey: 'k', pagerdutyIntegrationUrl: 'https://events.eu.pagerduty.com/v2/enqueue' }, {
    type: 'pagerduty', config: { routing_key: 'k', base_url: 'https://events.eu.pagerduty.com' },
  }],
  ['ntfy', { ntfyserverurl: 'https://ntfy.example', ntfytopic: 'ops', ntfyaccesstoken: 't', ntfyPriority: 4 }, {
    type: 'ntfy', config: { base_url: 'https://ntfy.example', topic: 'ops', token: 't', priority: 4 },
  }],
  ['matrix', { homeserverUrl: 'https://matrix.example', accessToken: 't', internalRoomId: '!r:matrix.example' }, {
    type: 'matrix', config: { base_url: 'https://matrix.example', access_token: 't', room_id: '!r:matrix.example' },
  }],
  ['signal', {}, null, ['Farwatch has no destination of the type signal.']],
])('a notification of the type %s becomes a destination', async (type, sent, stored, notes = []) => {
  const { document, items } = await converted('kuma', {
    version: '1.21.3', notificationList: [{ id: 1, name: 'N', config: JSON.stringify({ type, ...sent }), active: true }],
    monitorList: [{ id: 1, name: 'M', type: 'ping', hostname: 'a.example', interval: 60, notificationIDList: { 1: true } }],
  });
  expect(document.integrations).toEqual(stored === null ? undefined : [{ name: 'N', ...stored }]);
  expect(items['N']).toEqual([stored === null ? 'skipped' : notes.length > 0 ? 'partial' : 'full', ...notes]);
  expect(document.monitors[0].destinations).toEqual(stored === null ? undefined : ['N']);
  expect(items['M']).toEqual(stored === null ? ['partial', 'It does not alert N.'] : ['full']);
});

test.each<[title: string, row: object, window: object | null]>([
  ['once', { strategy: 'single', start_date: '2026-03-01 22:00:00', end_date: '2026-03-02 01:30:00', timezone: 'Europe/Berlin' }, {
    starts_at: '2026-03-01T21:00:00.000Z', ends_at: '2026-03-02T00:30:00.000Z', recurrence: null, timezone: 'Europe/Berlin',
  }],
  ['every third day until a date, in the time zone of the server', {
    strategy: 'recurring-interval', interval_day: 3, start_time: '23:30', end_time: '00:15', start_date: '2026-01-05',
    end_date: '2026-12-31 23:59:59', timezone: 'SAME_AS_SERVER',
  }, {
    starts_at: '2026-01-05T22:30:00.000Z', ends_at: '2026-01-05T23:15:00.000Z', timezone: 'Europe/Berlin',
    recurrence: 'FREQ=DAILY;INTERVAL=3;UNTIL=20261231T235959Z',
  }],
  ['on the last day of the month', {
    strategy: 'recurring-day-of-month', days_of_month: '["lastDay1"]', start_time: '04:00', end_time: '05:00', timezone: 'UTC',
  }, { starts_at: '2024-01-31T04:00:00.000Z', recurrence: 'FREQ=MONTHLY;BYMONTHDAY=-1' }],
  ['by cron', { strategy: 'cron', cron: '5 3 * * 0,2', duration: 600, timezone: 'UTC' }, {
    starts_at: '2024-01-02T03:05:00.000Z', ends_at: '2024-01-02T03:15:00.000Z', recurrence: 'FREQ=WEEKLY;BYDAY=SU,TU',
  }],
  ['by a cron expression with several times a day', { strategy: 'cron', cron: '0 */2 * * *', duration: 600, timezone: 'UTC' }, null],
  ['by hand', { strategy: 'manual', timezone: 'UTC' }, null],
  ['inactive', { strategy: 'cron', cron: '5 3 * * 0', duration: 600, timezone: 'UTC', active: 0 }, null],
])('maintenance %s', (_title, row, window) => {
  const into = new Conversion(30);
  const tables = new Map([
    ['maintenance', [{ id: 1, title: 'W', description: 'Why', active: 1, ...row }]],
    ['monitor_maintenance', [{ maintenance_id: 1, monitor_id: 5 }]],
    ['maintenance_status_page', [{ maintenance_id: 1, status_page_id: 2 }]],
    ['setting', [{ key: 'serverTimezone', value: '"Europe/Berlin"' }]],
  ]);
  const placed = new Map([[5, { name: 'M', target: undefined }]]);
  addKumaMaintenance(readKuma({ kind: 'database', tables }), placed, new Map([[2, 'shop']]), into);
  const { document, items } = into.finish();
  const whole = { title: 'W', description: 'Why', monitors: ['M'], status_pages: ['shop'], ...window };
  if (window === null) expect(document.maintenance_windows).toBeUndefined();
  else expect(document.maintenance_windows).toMatchObject([whole]);
  expect(items[0]?.result).toBe(window === null ? 'skipped' : 'full');
});
