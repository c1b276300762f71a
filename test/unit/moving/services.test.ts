import { describe, expect, test } from 'vitest';
import type { From } from '../../../controller/moving/schema.ts';
import { converted } from './converted.ts';

const ADDRESS_NOTE = 'Its jobs report to another address in Farwatch: /api/heartbeat/ and its token.';
const robot2 = (fields: object) => ({ friendly_name: 'R &amp; D', url: 'https://a.example/', type: 1, status: 2, interval: 300, ...fields });
const robot3 = (fields: object) =>
  ({ friendlyName: 'A', url: 'https://a.example/', type: 'HTTP', status: 'UP', interval: 300, timeout: 30, checkSSLErrors: true, ...fields });
const better = (fields: object, type = 'monitor') => ({ id: '1', type, attributes: {
  url: 'https://a.example/', pronounceable_name: 'A', monitor_type: 'status', check_frequency: 60, ...fields,
} });
const check = (fields: object) => ({
  name: 'Backup', tags: 'prod db', grace: 600, n_pings: 1, status: 'up', timeout: 3600,
  ping_url: 'https://hc.example/ping/31365bce-8da9-4729-8ff3-aaa71d56b712', ...fields,
});

describe.each<[From, [title: string, file: object, monitor: object | null, reported: string[], others?: object][]]>([
  ['uptimerobot', [
    ['HTTP of version 2', { stat: 'ok', monitors: [robot2({
      http_method: 3, http_username: 'u', http_password: 'p', http_auth_type: 1, post_type: 1, post_value: '{"a":"b c"}', timeout: 20,
    })] }, {
      name: 'R & D', type: 'HTTP', method: 'POST', auth: { type: 'basic', username: 'u', password: 'p' }, body: 'a=b+c',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, expected_status_ranges: ['200-399'],
      interval_seconds: 300, timeout_ms: 20_000, verify_ssl: true,
    }, ['full']],
    ['a keyword whose presence alerts', { monitors: [
      robot2({ type: 2, keyword_type: 1, keyword_case_type: 0, keyword_value: 'Error' }),
    ] }, {
      type: 'KEYWORD', keywords: [{ text: 'Error', should_contain: false }], case_sensitive: true,
    }, ['full']],
    ['a paused port', { monitors: [robot2({ type: 4, sub_type: 4, url: 'mail.example', status: 0 })] }, {
      type: 'TCP', target: 'mail.example:25', status: 'paused',
    }, ['full']],
    ['codes of its own', { monitors: [robot2({ custom_http_statuses: '404:1_200:0' })] }, {
      expected_status: [404], expected_status_ranges: ['201-399'],
    }, ['full']],
    ['alert contacts and maintenance windows of version 2', { monitors: [robot2({
      alert_contacts: [{ id: '1', type: 2, value: 'a@shop.example' }, { id: '2', type: 1, value: '+49' }],
      mwindows: [{ id: 3, type: 3, friendly_name: 'Weekly', start_time: '02:00', duration: 30, value: '1-7', status: 1 }],
    })] }, { destinations: ['a@shop.example'] }, ['partial', 'It does not name 1 of its alert contacts.'], {
      integrations: [{ name: 'a@shop.example', type: 'email', config: { to: ['a@shop.example'] } }],
      maintenance_windows: [{
        title: 'Weekly', starts_at: '2024-01-01T02:00:00.000Z', ends_at: '2024-01-01T02:30:00.000Z', timezone: 'UTC',
        recurrence: 'FREQ=WEEKLY;BYDAY=MO,SU', monitors: ['R & D'],
      }],
    }],
    ['pages of version 3', [{ data: [robot3({
      successHttpResponseCodes: ['2xx', '301'], customHttpHeaders: { 'X-A': 'b' }, followRedirections: false, tags: [{ id: 1, name: 'web' }],
      responseTimeThreshold: 800, sslExpirationReminder: true, domainExpirationReminder: true, groupId: 7,
      config: { sslExpirationPeriodDays: [7, 30], ipVersion: 'ipv4Only' }, assignedAlertContacts: [{ alertContactId: 1 }],
    })], nextLink: null }], {
      type: 'HTTP', expected_status: [301], expected_status_ranges: ['200-299'], headers: { 'X-A': 'b' }, follow_redirects: false,
      tags: ['web'], slow_response_threshold_ms: 800, ip_family: 'ipv4', domain_monitoring: { enabled: true },
      ssl_monitoring: { enabled: true, expiry_warning_days: [7, 30] }, timeout_ms: 30_000,
    }, [
      'partial', 'It does not name its alert contacts.', 'It is in no group, because the list only has the number of its group.',
    ]],
    ['a heartbeat', [robot3({ type: 'HEARTBEAT', url: 'https://heartbeat.uptimerobot.com/m79-0123456789abcdef', gracePeriod: 120 })], {
      type: 'HEARTBEAT', heartbeat_interval: 300, grace_period: 120, heartbeat_token: 'm79-0123456789abcdef',
    }, ['partial', ADDRESS_NOTE]],
    ['DNS records', [robot3({ type: 'DNS', url: 'a.example', config: { dnsRecords: { A: ['192.0.2.1'], DS: ['x'] } } })], {
      type: 'DNS', target: 'a.example', record_entries: [{ type: 'A', expected_values: ['192.0.2.1'], match: 'contains' }],
    }, ['partial', 'Some of its record types have no counterpart, and are not checked.']],
    ['assertions', [robot3({ type: 'API', config: { apiAssertions: { logic: 'AND', checks: [
      { property: '$.count', comparison: 'greater_than', target: 0 }, { property: '$.error', comparison: 'is_null' },
    ] } } })], {
      type: 'HTTP', assertions: [
        { source: 'json', property: '$.count', comparison: 'greater_than', target: '0' },
        { source: 'json', property: '$.error', comparison: 'absent' },
      ],
    }, ['full']],
    ['UDP', [robot3({ type: 'UDP' })], null, ['skipped', 'Farwatch has no check of the type UDP.']],
  ]],
  ['betterstack', [
    ['an HTTP monitor', { data: [better({
      http_method: 'post', request_headers: [{ id: '1', name: 'X-A', value: 'b' }], request_body: 'x', request_timeout: 15,
      auth_username: 'u', auth_password: 'p', verify_ssl: false, follow_redirects: false, ssl_expiration: 14, domain_expiration: 30,
      recovery_period: 180, regions: ['eu'], policy_id: '7', paused: true,
    })] }, {
      method: 'POST', headers: { 'X-A': 'b' }, body: 'x', timeout_ms: 15_000, verify_ssl: false, follow_redirects: false,
      ssl_monitoring: { enabled: true, expiry_warning_days: [14] },
      domain_monitoring: { enabled: true, expiry_warning_days: [30] },
      confirmation_policy: { recoveries: 3 }, status: 'paused', auth: { type: 'basic', username: 'u', password: 'p' },
    }, ['partial', 'Its regions are not named: eu.', 'It does not name its escalation policy.']],
    ['maintenance', { data: [better({
      maintenance_from: '23:00:00', maintenance_to: '01:00:00', maintenance_timezone: 'Europe/Berlin', maintenance_days: ['sat'],
    })] }, {}, ['full'], { maintenance_windows: [{
      title: 'Maintenance of A', starts_at: '2024-01-06T22:00:00.000Z', ends_at: '2024-01-07T00:00:00.000Z',
      timezone: 'Europe/Berlin', recurrence: 'FREQ=WEEKLY;BYDAY=SA', monitors: ['A'],
    }] }],
    ['codes', { data: [better({ monitor_type: 'expected_status_code', expected_status_codes: [200, 401] })] }, {
      type: 'HTTP', expected_status: [200, 401],
    }, ['full']],
    ['a missing keyword', { data: [better({ monitor_type: 'keyword_absence', required_keyword: 'Error' })] }, {
      type: 'KEYWORD', keywords: [{ text: 'Error', should_contain: false }],
    }, ['full']],
    ['SMTP on several ports, in a group', [
      { data: [better({ monitor_type: 'smtp', url: 'mail.example', port: '25,587', monitor_group_id: 9, pronounceable_name: 'Mail' })] },
      { data: [{ id: '9', type: 'monitor_group', attributes: { name: 'Servers' } }] },
    ], { type: 'TCP', target: 'mail.example:25', protocol: 'smtp', group: 'Servers' }, [
      'partial', 'Only port 25 is checked, not 587.',
    ]],
    ['a heartbeat', { data: [better({
      name: 'Job', url: 'https://uptime.betterstack.com/api/v1/heartbeat/Ab0123456789', period: 3600, grace: 300, heartbeat_group_id: 4,
    }, 'heartbeat')] }, {
      type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 300, heartbeat_token: 'Ab0123456789',
    }, ['partial', ADDRESS_NOTE, 'It is in no group, because the file lacks group 4.']],
    ['a browser script', { data: [better({ monitor_type: 'playwright' })] }, null, [
      'skipped', 'Farwatch has no check of the type playwright.',
    ]],
  ]],
  ['healthchecks', [
    ['a simple check', { checks: [check({ slug: 'db-backup' })] }, {
      type: 'HEARTBEAT', heartbeat_interval: 3600, grace_period: 600, max_runtime_seconds: 600, slug: 'db-backup',
      tags: ['prod', 'db'],
      heartbeat_token: '31365bce-8da9-4729-8ff3-aaa71d56b712',
    }, ['full']],
    ['a cron schedule', { checks: [check({ timeout: undefined, schedule: '0 2 * * mon-fri', tz: 'Europe/Riga' })] }, {
      heartbeat_schedule: '0 2 * * mon-fri', heartbeat_timezone: 'Europe/Riga',
    }, ['full']],
    ['a cron schedule in an unknown time zone', { checks: [
      check({ timeout: undefined, schedule: '0 2 * * *', tz: 'Mars/Olympus', channels: 'a,b' }),
    ] }, { heartbeat_schedule: '0 2 * * *', heartbeat_timezone: 'UTC' }, [
      'partial', 'Its schedule is in UTC, because its time zone is not known: Mars/Olympus.',
      'The document lacks 2 of its 2 integrations.',
    ]],
    ['a check with a list of integrations', [
      { checks: [check({ channels: 'c1,c2,c3' })] },
      { channels: [
        { id: 'c1', name: 'a@shop.example', kind: 'email' }, { id: 'c2', name: 'Team', kind: 'slack' },
      ] },
    ], { destinations: ['a@shop.example'] }, ['partial', 'The document lacks 2 of its 3 integrations.'], {
      integrations: [{ name: 'a@shop.example', type: 'email', config: { to: ['a@shop.example'] } }],
    }],
    ['a calendar schedule', { checks: [check({ timeout: undefined, schedule: 'Mon..Fri 10:00', desc: 'x', methods: 'POST' })] }, {
      heartbeat_interval: 86_400, status: 'paused',
    }, [
      'partial', 'It is paused, because its schedule is not a cron expression: Mon..Fri 10:00. Set its interval.',
      'Monitors have no description in Farwatch.', 'It also accepts GET requests.',
    ]],
    ['a list of a read-only key', { checks: [check({ ping_url: undefined, unique_key: 'a6c7', status: 'paused', success_kw: 'OK' })] }, {
      status: 'paused',
    }, [
      'partial', 'It gets a new token, because a read-only API key does not show its own; change its jobs.',
      'Keywords in emails and bodies are not read; report failures to its address with /fail.',
    ]],
  ]],
])('%s', (from, rows) => {
  test.each(rows)('%s', async (_title, file, monitor, reported, others = {}) => {
    const { document, items } = await converted(from, file);
    const name = Object.keys(items).find((one) => !['Servers', 'a@shop.example', 'Team'].includes(one)) ?? '';
    expect(items[name]).toEqual(reported);
    expect(document).toMatchObject(others);
    if (monitor === null) expect(document.monitors).toEqual([]);
    else expect(document.monitors).toMatchObject([monitor]);
  });
});
