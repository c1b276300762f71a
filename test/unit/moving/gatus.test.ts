import { beforeAll, describe, expect, test } from 'vitest';
import { converted, type Outcome } from './converted.ts';

const CONFIG = `
x-defaults: &defaults
  group: core
  interval: 2m
  alerts:
    - type: slack
      failure-threshold: 2
alerting:
  slack:
    webhook-url: https://hooks.slack.example/x
    default-alert: { success-threshold: 4 }
  zulip: { bot-email: a@b.example }
  email: { to: "a@shop.example, b@shop.example", host: mail.example, overrides: [] }
  custom: { url: "https://hook.example/\${PATH}", method: PUT, headers: { X-Key: k } }
maintenance: { start: "23:00", duration: 1h }
endpoints:
  - <<: *defaults
    name: front page
    url: https://shop.example/
    headers: { Authorization: Bearer t }
    client: { insecure: true, ignore-redirect: true, timeout: 5s }
    extra-labels: { team: web }
    conditions:
      - "[STATUS] == 200"
      - "[RESPONSE_TIME] < 500"
      - "[BODY].status == ok"
      - "len([BODY].items) > 5"
      - "has([BODY].errors) == false"
      - "[BODY] == pat(*Welcome*)"
      - "[CERTIFICATE_EXPIRATION] > 48h"
  - { name: any status, url: "http://a.example", conditions: ["[CONNECTED] == true"] }
  - { name: status ranges, url: "http://a.example", conditions: ["[STATUS] >= 200", "[STATUS] < 400", "[STATUS] != 304"] }
  - { name: two codes, url: "http://a.example", conditions: ["[STATUS] == any(200, 429)"], enabled: false }
  - { name: graph, url: "http://a.example", graphql: true, method: POST, body: "{ me }", conditions: ["[STATUS] == 200"] }
  - name: names
    url: 1.1.1.1
    dns: { query-name: shop.example., query-type: A }
    conditions: ["[BODY] == any(192.0.2.1, 192.0.2.2)", "[DNS_RCODE] == NOERROR"]
  - { name: port, url: "tcp://db.example:5432", conditions: ["[CONNECTED] == false"] }
  - { name: tls, url: "tls://mail.example:465", conditions: ["[CONNECTED] == true", "[RESPONSE_TIME] < 10"] }
  - name: mail
    url: starttls://mail.example:587
    conditions: ["[CONNECTED] == true"]
    maintenance-windows: [{ start: "02:30", duration: 30m, timezone: Europe/Berlin, every: [Saturday, Sunday] }]
  - { name: shell, url: "ssh://host.example", ssh: { username: u, password: p }, conditions: ["[CONNECTED] == true"] }
  - { name: ping, url: "icmp://192.0.2.9", interval: 10s, conditions: ["[CONNECTED] == true"] }
  - { name: socket, url: "wss://a.example/", conditions: ["[CONNECTED] == true"] }
  - { name: secret, url: "https://a.example/\${TOKEN}", conditions: ["[STATUS] == 200"] }
  - { name: tunnel, url: "https://a.example/", client: { oauth2: {} }, conditions: ["[STATUS] == 200"] }
external-endpoints:
  - { name: job, group: jobs, token: 0123456789abcdef, heartbeat: { interval: 30m } }
  - { name: pushed, token: 0123456789abcdef }
suites:
  - name: login
    group: flows
    interval: 5m
    endpoints:
      - { name: sign in, url: "https://a.example/login", conditions: ["[STATUS] == 200"] }
      - { name: profile, url: "https://a.example/me/[CONTEXT].id", conditions: ["[STATUS] == 200"] }
`;

describe('a configuration of Gatus', () => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await converted('gatus', CONFIG);
  });

  test.each([
    ['front page', {
      type: 'HTTP', interval_seconds: 120, group: 'core', timeout_ms: 5000, verify_ssl: false, follow_redirects: false,
      confirmation_policy: { retries: 1, recoveries: 3 }, tags: ['team:web'], headers: { Authorization: 'Bearer t' },
      destinations: ['slack'], expected_status: [200], slow_response_threshold_ms: 500, slow_response_action: 'down',
      ssl_monitoring: { enabled: true, expiry_warning_days: [2] },
      assertions: [
        { source: 'json', property: '$.status', comparison: 'equals', target: 'ok' },
        { source: 'json', property: '$.errors', comparison: 'absent' },
        { source: 'body', comparison: 'contains', target: 'Welcome' },
      ],
    }, [
      'partial', 'This condition is not checked: len([BODY].items) > 5.',
      'An early expiry is a warning in Farwatch, and not an outage.',
    ]],
    ['any status', { expected_status_ranges: ['100-599'] }, ['full']],
    ['status ranges', { expected_status_ranges: ['200-303', '305-399'] }, ['full']],
    ['two codes', { expected_status: [200, 429], status: 'paused' }, ['full']],
    ['graph', { method: 'POST', body: '{"query":"{ me }"}', headers: { 'Content-Type': 'application/json' } }, ['full']],
    ['names', {
      type: 'DNS', target: 'shop.example', dns_server: '1.1.1.1',
      record_entries: [{ type: 'A', expected_values: ['192.0.2.1', '192.0.2.2'], match: 'any' }],
    }, ['full']],
    ['port', { type: 'TCP', target: 'db.example:5432', tls: 'none', is_inverted: true }, ['full']],
    ['tls', { type: 'TCP', target: 'mail.example:465', tls: 'implicit' }, [
      'partial', 'This condition is not checked: [RESPONSE_TIME] < 10.',
    ]],
    ['mail', { type: 'TCP', protocol: 'smtp', tls: 'starttls' }, ['full']],
    ['shell', { type: 'TCP', target: 'host.example:22', protocol: 'ssh' }, [
      'partial', 'It only checks that the server speaks SSH, and does not sign in.',
    ]],
    ['ping', { type: 'ICMP', target: '192.0.2.9', interval_seconds: 30 }, ['partial', 'The interval is 30 s instead of 10 s.']],
    ['secret', {}, ['partial', 'It contains variables of the environment, which are not replaced.']],
    ['tunnel', { status: 'paused' }, ['partial', 'It is paused, because Farwatch has no counterpart of client.oauth2.']],
    ['job', { type: 'HEARTBEAT', heartbeat_interval: 1800, grace_period: 1, heartbeat_token: '0123456789abcdef', group: 'jobs' }, [
      'partial', 'Its jobs report to another address in Farwatch: /api/heartbeat/ and its token.',
    ]],
    ['sign in', { group: 'login', interval_seconds: 300 }, ['partial', 'The steps of its suite run independently of each other.']],
  ])('has %s', (name, fields, reported) => {
    expect(outcome.monitors[name]).toMatchObject(fields);
    expect(outcome.items[name]).toEqual(reported);
  });

  test('skips other items with the reason', () => {
    const skipped = Object.entries(outcome.items).filter(([, [result]]) => result === 'skipped').map(([name, [, reason]]) => [name, reason]);
    expect(skipped).toEqual([
      ['alerting.zulip', 'Farwatch has no destination of the type zulip.'],
      ['socket', 'Farwatch has no check of wss://a.example/.'], ['pushed', 'It has no heartbeat.interval, and a heartbeat needs one.'],
      ['profile', 'It needs a value of an earlier step of its suite.'],
    ]);
  });

  test('providers of alerts become destinations', () => {
    expect(outcome.document.integrations).toEqual([
      { name: 'slack', type: 'slack', config: { webhook_url: 'https://hooks.slack.example/x' } },
      { name: 'email', type: 'email', config: { to: ['a@shop.example', 'b@shop.example'] } },
      { name: 'custom', type: 'webhook', config: { url: 'https://hook.example/${PATH}', method: 'PUT', headers: { 'X-Key': 'k' } } },
    ]);
    expect(outcome.items['email']).toEqual([
      'partial', 'Its overrides for groups are left out.', 'It is sent by the mail server of Farwatch.',
    ]);
    expect(outcome.items['custom']).toEqual([
      'partial', 'Its body is that of Farwatch; change the receiver, or add a template.',
      'It contains variables of the environment, which are not replaced.',
    ]);
  });

  test('maintenance becomes windows of all monitors, or of those that share a schedule', () => {
    const { maintenance_windows: windows, monitors } = outcome.document;
    expect(windows).toEqual([
      {
        title: 'maintenance', starts_at: '2024-01-01T23:00:00.000Z', ends_at: '2024-01-02T00:00:00.000Z',
        recurrence: 'FREQ=DAILY', timezone: 'UTC', monitors: monitors.map(({ name }: { name: string }) => name),
      },
      {
        title: 'maintenance of mail', starts_at: '2024-01-06T01:30:00.000Z', ends_at: '2024-01-06T02:00:00.000Z',
        recurrence: 'FREQ=WEEKLY;BYDAY=SA,SU', timezone: 'Europe/Berlin', monitors: ['mail'],
      },
    ]);
    expect(outcome.items['maintenance']).toEqual(['full']);
  });

  test('groups are those of endpoints and suites', () => {
    expect(outcome.document.groups).toEqual([
      { name: 'core' }, { name: 'jobs' }, { name: 'flows' }, { name: 'login', parent: 'flows' },
    ]);
  });
});
