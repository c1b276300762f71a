import { describe, expect, test } from 'vitest';
import {
  alertContent, plainText, durationText, responseTimeText,
} from '../../../controller/destinations/channels/alert-content.ts';
import type { AlertDetails } from '../../../controller/destinations/channels/alert.ts';
import { alertMail } from '../../../controller/delivery/content/alert-mail.ts';
import { webhookPayload } from '../../../controller/destinations/channels/webhook.ts';
import { slackMessage } from '../../../controller/destinations/channels/slack.ts';
import { mailRefusal } from '../../../controller/platform/mail/mail-outcomes.ts';

const BASE = 'https://watch.example';
const at = Date.UTC(2026, 2, 1, 3, 14, 15);
/** An alert about a monitor, not about a probe. */
type MonitorAlert = AlertDetails & { monitor: object };
const down: MonitorAlert = {
  id: 'a1', event: 'monitor.down',
  monitor: { id: 'm1', name: 'Shop', target: 'https://shop.example/cart', type: 'HTTP' },
  incident: { id: 'i1', started_at: at, resolved_at: null },
  error: { type: 'status_code', message: 'Expected 200, got 503' },
  regions: [
    { id: 'eu-west', name: 'Europe West', city: 'Dublin' }, { id: 'us', name: 'us', city: null },
    { id: 'ber', name: 'Berlin', city: 'Berlin' },
  ],
  last_success: { at: at - 60_000, response_time_ms: 241.4 }, at: at + 5000,
};
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const expiring = (expiry: NonNullable<AlertDetails['expiry']>): Partial<AlertDetails> => ({
  event: 'monitor.ssl_expiring', incident: null, error: null, at, regions: [], expiry,
});
const linesOf = (alert: AlertDetails): string[] => plainText(alertContent(alert, BASE)).split('\n');
const over = { id: 'i1', started_at: at, resolved_at: at + 252_000 };
const up: MonitorAlert = { ...down, event: 'monitor.up', incident: over };
const HOSTILE = '<!channel> </td><script>alert(1)</script>\r\nBcc: x@y.example\u001b[31m "&" '
  + '<https://evil.example|pay>\u2028z';
const hostile: MonitorAlert = {
  ...down, monitor: { ...down.monitor, name: HOSTILE, target: `https://x.example/${HOSTILE}` },
  error: { type: 'keyword_missing', message: HOSTILE },
};

describe('an alert about a probe', () => {
  const { incident, error, last_success } = { ...down, incident: null, error: null, last_success: null };
  const regions = [{ id: 'ber', name: 'Berlin', city: 'Berlin' }];
  const probe = { id: 'p1', name: 'rack 2', since: at, reason: 'It misses 75 % of its checks' };
  const entered: AlertDetails = {
    id: 'a1', event: 'probe.quarantined', monitor: null, probe, incident, error, regions, last_success, at,
  };
  const left: AlertDetails = { ...entered, event: 'probe.released', probe: { ...probe, reason: null } };

  test('shows the reason, the start and the region', () => {
    expect(alertContent(entered, BASE).subject).toBe('[QUARANTINE] rack 2 — It misses 75 % of its checks');
    expect(linesOf(entered)).toEqual([
      'rack 2 is quarantined: its results do not count.', 'Reason: It misses 75 % of its checks',
      'Regions: Berlin', 'Time: 2026-03-01 03:14:15 UTC', 'Since: 2026-03-01 03:14:15 UTC',
      'Probe: https://watch.example/api/probes/p1',
    ]);
  });

  test('shows when it has ended', () => {
    expect(alertContent(left, BASE).subject).toBe('[RELEASED] rack 2 — is no longer quarantined');
    expect(linesOf(left)).toContain('Started: 2026-03-01 03:14:15 UTC');
  });

  test('has a probe but no monitor in the webhook body', () => {
    expect(webhookPayload(entered, 1, BASE)).toMatchObject({
      event: 'probe.quarantined', monitor: null, incident: null, probe: { ...probe, region: 'ber' },
    });
  });
});

describe('the subject of an alert', () => {
  const week = { expires_at: at + 7 * DAY_MS, days: 7 };
  const bare = { incident: null, error: null };
  test.each<[string, Partial<AlertDetails>, string]>([
    ['[DOWN] Shop — HTTP 503', {}, 'an outage with a status'],
    ['[DOWN] Shop — No answer', { error: { type: 'timeout', message: 'No answer' } }, 'another error'],
    ['[DOWN] Shop — 6 redirects', { error: { type: 'status_code', message: '6 redirects' } }, 'redirects'],
    ['[DOWN] Shop — is down', { error: null }, 'an outage without an error'],
    ['[UP] Shop — is back up after 4 min 12 s', up, 'a recovery'],
    [
      '[SLOW] Shop — 2.4 s, above 2 s',
      { event: 'monitor.slow_response', error: { type: 'slow_response', message: '2.4 s, above 2 s' } },
      'slow responses',
    ],
    [
      '[OK] Shop — is responding normally again after 4 min 12 s',
      { ...up, event: 'monitor.slow_response_resolved' }, 'responses that are fast again',
    ],
    [
      '[TLS] Shop — The certificate is self-signed',
      { event: 'monitor.ssl_expiring', ...bare, problem: { code: 'X', message: 'The certificate is self-signed' } },
      'a flaw of a certificate',
    ],
    [
      '[TLS] Shop — has a certificate that expires soon', { event: 'monitor.ssl_expiring', ...bare },
      'a certificate without its expiry',
    ],
    [
      '[TLS] Shop — certificate expires on 2026-03-08, in 7 days', expiring(week),
      'a certificate that expires in a week',
    ],
    [
      '[TLS] Shop — certificate expires on 2026-03-06, in 5 days',
      expiring({ expires_at: at + 5 * DAY_MS, days: 7 }), 'a certificate found later than its threshold',
    ],
    [
      '[TLS] Shop — certificate expires on 2026-03-02, in 1 d 4 h',
      expiring({ expires_at: at + 28 * HOUR_MS, days: 7 }), 'a certificate that expires tomorrow',
    ],
    [
      '[TLS] Shop — certificate expires on 2026-03-01, in 10 min',
      expiring({ expires_at: at + 600_000, days: 1 }), 'a certificate that expires today',
    ],
    [
      '[TLS] Shop — certificate expired on 2026-02-28', expiring({ expires_at: at - DAY_MS, days: 1 }),
      'a certificate that has expired',
    ],
    [
      '[DOMAIN] Shop — domain registration expires on 2026-03-31, in 30 days',
      { ...expiring({ expires_at: at + 30 * DAY_MS, days: 30 }), event: 'monitor.domain_expiring' },
      'a domain registration',
    ],
    [
      '[DOMAIN] Shop — has a domain registration that expires soon',
      { event: 'monitor.domain_expiring', ...bare }, 'a domain registration without its expiry',
    ],
  ])('is "%s"', (subject, change) => {
    expect(alertContent({ ...down, ...change }, BASE).subject).toBe(subject);
  });
});

describe('the text of an alert', () => {
  test('shows monitor, error, regions, start and last successful check of an outage', () => {
    expect(linesOf(down)).toEqual([
      'Shop is down.', 'Target: https://shop.example/cart (HTTP)',
      'Error: Expected 200, got 503 (status_code)', 'Regions: Europe West (Dublin), us, Berlin',
      'Since: 2026-03-01 03:14:15 UTC', 'Last successful check: 2026-03-01 03:13:15 UTC, in 241 ms',
      'Incident: https://watch.example/api/incidents/i1', 'Monitor: https://watch.example/api/monitors/m1',
    ]);
  });

  test('lists in one line which regions see the outage, which do not, and which are silent', () => {
    const named = (...ids: string[]) => ids.map((id) => ({ id, name: id, city: null }));
    const line = (votes: NonNullable<AlertDetails['votes']>) =>
      linesOf({ ...down, votes }).find((one) => one.startsWith('Votes: '));
    expect(line({ down: named('paris', 'dallas'), up: named('osaka'), rechecking: [], silent: [] }))
      .toBe('Votes: down in 2 of 3 regions: paris, dallas; up in osaka');
    expect(line({ down: named('paris', 'dallas'), up: [], rechecking: named('osaka'), silent: [] }))
      .toBe('Votes: down in 2 of 3 regions: paris, dallas; rechecking in osaka');
    expect(line({ down: named('paris'), up: [], rechecking: [], silent: named('dallas', 'osaka') }))
      .toBe('Votes: down in 1 of 1 region: paris; no results from dallas, osaka');
  });

  test('shows the duration and the error of an outage that has ended', () => {
    expect(linesOf(up)).toEqual([
      'Shop is back up after 4 min 12 s.', 'Target: https://shop.example/cart (HTTP)',
      'Error: Expected 200, got 503 (status_code)', 'Regions: Europe West (Dublin), us, Berlin',
      'Started: 2026-03-01 03:14:15 UTC', 'Recovered: 2026-03-01 03:18:27 UTC',
      'Incident: https://watch.example/api/incidents/i1', 'Monitor: https://watch.example/api/monitors/m1',
    ]);
  });

  test('shows the expiry date', () => {
    const linesFor = (expiresAt: number) => {
      const expiry = expiring({ expires_at: expiresAt, days: 7 });
      return linesOf({ ...down, ...expiry, last_success: null }).slice(0, 4);
    };
    const [target, seen] = ['Target: https://shop.example/cart (HTTP)', 'Time: 2026-03-01 03:14:15 UTC'];
    const [later, before] = ['Expires: 2026-03-08 03:14:15 UTC', 'Expired: 2026-03-01 03:14:14 UTC'];
    const inAWeek = 'Shop: the certificate expires on 2026-03-08, in 7 days.';
    expect(linesFor(at + 7 * DAY_MS)).toEqual([inAWeek, target, seen, later]);
    expect(linesFor(at - 1000)).toEqual(['Shop: the certificate expired on 2026-03-01.', target, seen, before]);
  });

  test('says that further alerts are held while a monitor is flapping', () => {
    const flapping = 'Flapping: down 5 times in 1 h; further alerts are held until it is stable';
    expect(linesOf({ ...down, flapping: { downs: 5, window_ms: HOUR_MS } })).toContain(flapping);
  });

  test('says that the outage continues after its incident was resolved manually', () => {
    const line = 'Still down: the previous incident was resolved manually, but the outage continues';
    expect(linesOf({ ...down, reopened: true })).toContain(line);
    expect(linesOf(down)).not.toContain(line);
  });

  test('omits unknown facts', () => {
    expect(linesOf({ ...down, incident: null, error: null, regions: [], last_success: null })).toEqual([
      'Shop is down.', 'Target: https://shop.example/cart (HTTP)', 'Time: 2026-03-01 03:14:20 UTC',
      'Monitor: https://watch.example/api/monitors/m1',
    ]);
    const untimed = linesOf({ ...down, last_success: { at, response_time_ms: null } });
    expect(untimed).toContain('Last successful check: 2026-03-01 03:14:15 UTC');
  });

  test('shows neither passwords nor heartbeat tokens', () => {
    const target = 'https://user:pa%40ss@shop.example/@x?y=@z';
    const secret = { ...down, monitor: { ...down.monitor, target } };
    expect(webhookPayload(secret, 1, BASE).monitor?.url).toBe('https://shop.example/@x?y=@z');
    expect(JSON.stringify(webhookPayload(secret, 1, BASE))).not.toContain('pa%40ss');
    const token = { ...down, monitor: { ...down.monitor, type: 'HEARTBEAT', target: '0123456789abcdef' } };
    expect(JSON.stringify(webhookPayload(token, 1, BASE))).not.toContain('456789');
  });

  test('keeps each fact on one line, whatever the target responded', () => {
    const { subject, headline, facts } = alertContent(hostile, BASE);
    const texts = [subject, headline, ...facts.map((fact) => fact.text)];
    for (const text of texts) expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(linesOf(hostile)).toHaveLength(8);
  });

  test('shows the severity of an outage and links to the runbook', () => {
    const runbook_url = 'https://wiki.example/shop?a=1&b="2"';
    const alert = { ...down, severity: 'major' as const, monitor: { ...down.monitor, runbook_url } };
    expect(linesOf(alert)).toContain('Severity: major');
    expect(linesOf(alert).at(-1)).toBe(`Runbook: ${runbook_url}`);
    expect(linesOf({ ...alert, event: 'monitor.up', incident: over })).not.toContain('Severity: major');
    expect(alertMail(FRAME, alertContent(alert, BASE)).html)
      .toContain('<a href="https://wiki.example/shop?a=1&#38;b=&#34;2&#34;">Runbook</a>');
    expect(JSON.stringify(slackMessage(alertContent(alert, BASE)))).toContain('|Runbook>');
    expect(webhookPayload(alert, 42, BASE).monitor).toMatchObject({ runbook_url });
  });

  test('links to the page that acknowledges the incident, if there is one', () => {
    const acknowledge_url = `${BASE}/acknowledge?token=a.b`;
    const alert = { ...down, incident: { id: 'i1', started_at: at, resolved_at: null, acknowledge_url } };
    expect(alertContent(alert, BASE).links[0]).toEqual({ label: 'Acknowledge', url: acknowledge_url });
    expect(alertMail(FRAME, alertContent(alert, BASE)).html).toContain(`<a href="${acknowledge_url}">Acknowledge</a>`);
    expect(webhookPayload(alert, 42, BASE).incident).toEqual({ ...alert.incident, cause: null, diagnosis: null });
    expect(linesOf(up).join()).not.toContain('Acknowledge');
  });

  test('has a maximum length', () => {
    const content = alertContent({ ...down, error: { type: 'timeout', message: '😀'.repeat(5000) } }, BASE);
    expect(content.subject.length).toBeLessThanOrEqual(200);
    expect(plainText(content).length).toBeLessThanOrEqual(4000);
    expect(content.subject).not.toMatch(/[\ud800-\udbff]…$/);
  });
});

describe('the body of a webhook', () => {
  test('has the same shape for every event', () => {
    const content = alertContent(down, BASE);
    expect(webhookPayload(down, 42, BASE)).toEqual({
      version: '1', event: 'monitor.down', timestamp: 42,
      monitor: { id: 'm1', name: 'Shop', url: 'https://shop.example/cart', type: 'HTTP', runbook_url: null },
      incident: { id: 'i1', started_at: at, resolved_at: null, cause: null, diagnosis: null },
      subject: content.subject, message: plainText(content),
    });
    const expiry = webhookPayload({ ...down, event: 'monitor.ssl_expiring', incident: null }, 42, BASE);
    expect(expiry.incident).toBeNull();
    expect(webhookPayload(up, 42, BASE).incident).toEqual({ ...over, cause: null, diagnosis: null });
  });
});

const FRAME = { to: 'ops@example.com', thread: 'i1', stopLink: `${BASE}/stop-alerts?token=a.b` };

describe('an alert mail', () => {
  test('has the same content as text and as HTML', () => {
    const content = alertContent(down, BASE);
    const mail = alertMail(FRAME, content);
    expect([mail.to, mail.subject]).toEqual(['ops@example.com', '[DOWN] Shop — HTTP 503']);
    expect(mail.text).toBe(`${plainText(content)}\n\nStop these emails: ${FRAME.stopLink}\n`);
    expect(mail.html).toContain(`<a href="${FRAME.stopLink}">Stop these emails</a>`);
    for (const { text } of content.facts) expect(mail.html).toContain(`>${text}<`);
    for (const { url } of content.links) expect(mail.html).toContain(`<a href="${url}">`);
    const headers = {
      'Auto-Submitted': 'auto-generated', References: '<i1@farwatch.invalid>',
      'List-Unsubscribe': `<${FRAME.stopLink}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    expect(mail.headers).toMatchObject(headers);
  });

  test('escapes untrusted text and stays valid', () => {
    const mail = alertMail(FRAME, alertContent(hostile, BASE));
    expect(mailRefusal(mail)).toBeNull();
    expect(mail.html).not.toMatch(/<script|<!channel|<https/);
    expect(mail.html.match(/<tr>/g)).toHaveLength(5);
    expect(mail.html).toContain('&#60;script&#62;');
  });
});

describe('a Slack message', () => {
  test('has the same content in its notification and its blocks', () => {
    const message = slackMessage(alertContent(down, BASE));
    expect(message.text).toBe('[DOWN] Shop — HTTP 503');
    expect(message.blocks[0]?.text.text).toBe('[DOWN] Shop — HTTP 503');
    expect(message.blocks[1]?.text.text.split('\n')).toEqual([
      ':red_circle: Shop is down.', '*Target:* https://shop.example/cart (HTTP)',
      '*Error:* Expected 200, got 503 (status_code)', '*Regions:* Europe West (Dublin), us, Berlin',
      '*Since:* 2026-03-01 03:14:15 UTC', '*Last successful check:* 2026-03-01 03:13:15 UTC, in 241 ms',
    ]);
    const [incident, monitor] = [`${BASE}/api/incidents/i1`, `${BASE}/api/monitors/m1`];
    expect(message.blocks[2]?.text.text).toBe(`<${incident}|Incident> · <${monitor}|Monitor>`);
  });

  test('contains no mentions or links from a target', () => {
    const { text, blocks } = slackMessage(alertContent(hostile, BASE));
    const sections = blocks.filter((block) => block.type === 'section');
    const marked = [text, ...sections.map((block) => block.text.text)];
    for (const one of marked) expect(one).not.toMatch(/<(?!https:\/\/watch\.example\/)/);
    expect(text).toContain('&lt;!channel&gt;');
    expect(blocks[0]?.text.type).toBe('plain_text');
  });

  test('stays within Slack\'s limits', () => {
    const error = { type: 'timeout', message: '&'.repeat(3000) } as const;
    const long = { ...hostile, monitor: { ...hostile.monitor, name: '<'.repeat(3000) }, error };
    const { blocks } = slackMessage(alertContent(long, BASE));
    expect(blocks[0]?.text.text.length).toBeLessThanOrEqual(150);
    for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3000);
    for (const block of blocks) expect(block.text.text.length).toBeGreaterThan(0);
  });
});

test.each([
  [0, '0 s'], [400, '0 s'], [-5, '0 s'], [999, '1 s'], [59_000, '59 s'], [60_000, '1 min'],
  [252_000, '4 min 12 s'], [3_600_000, '1 h'], [3_605_000, '1 h'], [7_380_000, '2 h 3 min'],
  [100_800_000, '1 d 4 h'], [40 * DAY_MS, '40 d'],
])('a duration of %i ms reads %s', (span, text) => {
  expect(durationText(span)).toBe(text);
});

test.each([
  [0, '0 ms'], [241.4, '241 ms'], [999, '999 ms'], [1000, '1.0 s'], [2345, '2.3 s'],
])('a response time of %i ms reads %s', (took, text) => {
  expect(responseTimeText(took)).toBe(text);
});
