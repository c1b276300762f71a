import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
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
    }, ['partial', 'It does not name its destinations: Ops chat.']],
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
    expect(outcome.items['Ops chat']?.[0]).toBe('skipped');
    expect(outcome.items['Weekly restart']?.[0]).toBe(isDatabase ? 'skipped' : undefined);
    expect(outcome.counts.skipped).toBe(isDatabase ? 3 : 2);
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
