import { describe, expect, test } from 'vitest';
import { alertContent, plainText } from '../../../controller/delivery/content/alert-content.ts';
import type { AlertSnapshot } from '../../../controller/delivery/delivery.ts';
import { alertMail } from '../../../controller/delivery/content/alert-mail.ts';
import { webhookPayload } from '../../../controller/delivery/content/webhook-payload.ts';
import { slackMessage } from '../../../controller/delivery/content/slack-message.ts';
import { durationText, responseText } from '../../../controller/delivery/content/text.ts';
import { mailRefusal } from '../../../controller/platform/mail/mail-outcomes.ts';

const BASE = 'https://watch.example';
const at = Date.UTC(2026, 2, 1, 3, 14, 15);
const down: AlertSnapshot = {
  id: 'a1', event: 'monitor.down', monitor: { id: 'm1', name: 'Shop', target: 'https://shop.example/cart', type: 'HTTP' },
  incident: { id: 'i1', started_at: at, resolved_at: null }, error: { type: 'status_code', message: 'Expected 200, got 503' },
  regions: [{ id: 'eu-west', name: 'Europe West', city: 'Dublin' }, { id: 'us', name: 'us', city: null }, { id: 'ber', name: 'Berlin', city: 'Berlin' }],
  last_success: { at: at - 60_000, response_time_ms: 241.4 }, at: at + 5000,
};
const DAY_MS = 86_400_000;
const expiring = (expiry: NonNullable<AlertSnapshot['expiry']>): Partial<AlertSnapshot> => ({ event: 'monitor.ssl_expiring', incident: null, error: null, at, regions: [], expiry });
const up: AlertSnapshot = { ...down, event: 'monitor.up', incident: { id: 'i1', started_at: at, resolved_at: at + 252_000 } };
const HOSTILE = '<!channel> </td><script>alert(1)</script>\r\nBcc: x@y.example\u001b[31m "&" <https://evil.example|pay>\u2028z';
const hostile: AlertSnapshot = { ...down, monitor: { ...down.monitor, name: HOSTILE, target: `https://x.example/${HOSTILE}` }, error: { type: 'keyword_missing', message: HOSTILE } };

describe('the subject', () => {
  test.each<[string, Partial<AlertSnapshot>, string]>([
    ['an outage by status', {}, '[DOWN] Shop — HTTP 503'],
    ['an outage otherwise', { error: { type: 'timeout', message: 'No answer within 10 seconds' } }, '[DOWN] Shop — No answer within 10 seconds'],
    ['too many redirects', { error: { type: 'status_code', message: 'More than 5 redirects' } }, '[DOWN] Shop — More than 5 redirects'],
    ['an outage without an error', { error: null }, '[DOWN] Shop — is down'],
    ['a recovery', up, '[UP] Shop — is up again after 4 min 12 s'],
    ['slowness', { event: 'monitor.slow_response', error: { type: 'slow_response', message: '2.4 s, above 2 s' } }, '[SLOW] Shop — 2.4 s, above 2 s'],
    ['an end of slowness', { ...up, event: 'monitor.slow_response_resolved' }, '[OK] Shop — responds normally again after 4 min 12 s'],
    ['a certificate', { event: 'monitor.ssl_expiring', incident: null, error: null }, '[TLS] Shop — has a certificate that expires soon'],
    ['an expiry that is near', expiring({ expires_at: at + 7 * DAY_MS, days: 7 }), '[TLS] Shop — certificate expires on 2026-03-08, in 7 days'],
    ['an expiry that is nearer than its threshold', expiring({ expires_at: at + 5 * DAY_MS, days: 7 }), '[TLS] Shop — certificate expires on 2026-03-06, in 5 days'],
    ['an expiry tomorrow', expiring({ expires_at: at + DAY_MS + 4 * 3_600_000, days: 7 }), '[TLS] Shop — certificate expires on 2026-03-02, in 1 d 4 h'],
    ['an expiry today', expiring({ expires_at: at + 600_000, days: 1 }), '[TLS] Shop — certificate expires on 2026-03-01, in 10 min'],
    ['an expiry that is over', expiring({ expires_at: at - DAY_MS, days: 1 }), '[TLS] Shop — certificate expired on 2026-02-28'],
    ['a registration', { ...expiring({ expires_at: at + 30 * DAY_MS, days: 30 }), event: 'monitor.domain_expiring' }, '[DOMAIN] Shop — domain registration expires on 2026-03-31, in 30 days'],
    ['a domain', { event: 'monitor.domain_expiring', incident: null, error: null }, '[DOMAIN] Shop — has a domain registration that expires soon'],
  ])('of %s', (_what, change, subject) => expect(alertContent({ ...down, ...change }, BASE).subject).toBe(subject));
});

describe('the text', () => {
  test('of an outage says what, where, since when, the error, and the last good check beside it', () => {
    expect(plainText(alertContent(down, BASE)).split('\n')).toEqual([
      'Shop is down.', 'Target: https://shop.example/cart (HTTP)', 'Error: Expected 200, got 503 (status_code)', 'Regions: Europe West (Dublin), us, Berlin',
      'Since: 2026-03-01 03:14:15 UTC', 'Last good check: 2026-03-01 03:13:15 UTC, in 241 ms',
      'Incident: https://watch.example/api/incidents/i1', 'Monitor: https://watch.example/api/monitors/m1',
    ]);
  });

  test('of a recovery says how long it was down and what it was', () => {
    expect(plainText(alertContent(up, BASE)).split('\n')).toEqual([
      'Shop is up again after 4 min 12 s.', 'Target: https://shop.example/cart (HTTP)', 'Error was: Expected 200, got 503 (status_code)', 'Regions: Europe West (Dublin), us, Berlin',
      'Began: 2026-03-01 03:14:15 UTC', 'Recovered: 2026-03-01 03:18:27 UTC',
      'Incident: https://watch.example/api/incidents/i1', 'Monitor: https://watch.example/api/monitors/m1',
    ]);
  });

  test('of an expiry says when, and of flapping that more is held back', () => {
    const told = (expiresAt: number) => plainText(alertContent({ ...down, ...expiring({ expires_at: expiresAt, days: 7 }), last_success: null }, BASE)).split('\n').slice(0, 4);
    const [target, seen] = ['Target: https://shop.example/cart (HTTP)', 'At: 2026-03-01 03:14:15 UTC'];
    expect(told(at + 7 * DAY_MS)).toEqual(['Shop: the certificate expires on 2026-03-08, in 7 days.', target, seen, 'Expires: 2026-03-08 03:14:15 UTC']);
    expect(told(at - 1000)).toEqual(['Shop: the certificate expired on 2026-03-01.', target, seen, 'Expired: 2026-03-01 03:14:14 UTC']);
    expect(plainText(alertContent({ ...down, flapping: { downs: 5, window_ms: 3_600_000 } }, BASE))).toContain('Flapping: down 5 times in 1 h; what follows is told when it is steady again\n');
  });

  test('leaves out what is not known', () => {
    const bare = plainText(alertContent({ ...down, incident: null, error: null, regions: [], last_success: null }, BASE));
    expect(bare.split('\n')).toEqual(['Shop is down.', 'Target: https://shop.example/cart (HTTP)', 'At: 2026-03-01 03:14:20 UTC', 'Monitor: https://watch.example/api/monitors/m1']);
    expect(plainText(alertContent({ ...down, last_success: { at, response_time_ms: null } }, BASE))).toContain('Last good check: 2026-03-01 03:14:15 UTC\n');
  });

  test('shows neither passwords nor heartbeat tokens', () => {
    const secret = { ...down, monitor: { ...down.monitor, target: 'https://user:pa%40ss@shop.example/@x?y=@z' } };
    expect(webhookPayload(secret, 1, BASE).monitor.url).toBe('https://shop.example/@x?y=@z');
    expect(JSON.stringify(webhookPayload(secret, 1, BASE))).not.toContain('pa%40ss');
    const token = { ...down, monitor: { ...down.monitor, type: 'HEARTBEAT', target: '0123456789abcdef' } };
    expect(JSON.stringify(webhookPayload(token, 1, BASE))).not.toContain('456789');
  });

  test('is one line where a line is meant, whatever a target answered', () => {
    const content = alertContent(hostile, BASE);
    for (const text of [content.subject, content.headline, ...content.facts.map((fact) => fact.text)]) expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
    expect(plainText(content).split('\n')).toHaveLength(8);
  });

  test('has an end', () => {
    const content = alertContent({ ...down, error: { type: 'timeout', message: '😀'.repeat(5000) } }, BASE);
    expect(content.subject.length).toBeLessThanOrEqual(200);
    expect(plainText(content).length).toBeLessThanOrEqual(4000);
    expect(content.subject).not.toMatch(/[\ud800-\udbff]…$/);
  });
});

describe('a webhook', () => {
  test('has the same shape for every event', () => {
    const content = alertContent(down, BASE);
    expect(webhookPayload(down, 42, BASE)).toEqual({
      version: '1', event: 'monitor.down', timestamp: 42, monitor: { id: 'm1', name: 'Shop', url: 'https://shop.example/cart', type: 'HTTP' },
      incident: { id: 'i1', started_at: at, resolved_at: null }, subject: content.subject, message: plainText(content),
    });
    expect(webhookPayload({ ...down, event: 'monitor.ssl_expiring', incident: null }, 42, BASE).incident).toBeNull();
    expect(webhookPayload(up, 42, BASE).incident).toEqual({ id: 'i1', started_at: at, resolved_at: at + 252_000 });
  });
});

describe('a mail', () => {
  test('says the same in text and in HTML', () => {
    const content = alertContent(down, BASE);
    const mail = alertMail('ops@example.com', content, 'i1');
    expect([mail.to, mail.subject, mail.text]).toEqual(['ops@example.com', '[DOWN] Shop — HTTP 503', `${plainText(content)}\n`]);
    for (const { text } of content.facts) expect(mail.html).toContain(`>${text}<`);
    for (const { url } of content.links) expect(mail.html).toContain(`<a href="${url}">`);
    expect(mail.headers).toMatchObject({ 'Auto-Submitted': 'auto-generated', References: '<i1@farwatch.invalid>' });
  });

  test('encodes what others wrote, and is never refused for it', () => {
    const mail = alertMail('ops@example.com', alertContent(hostile, BASE), 'i1');
    expect(mailRefusal(mail)).toBeNull();
    expect(mail.html).not.toMatch(/<script|<!channel|<https/);
    expect(mail.html.match(/<tr>/g)).toHaveLength(5);
    expect(mail.html).toContain('&#60;script&#62;');
  });
});

describe('a Slack message', () => {
  test('says it in its notification and in blocks', () => {
    const message = slackMessage(alertContent(down, BASE));
    expect(message.text).toBe('[DOWN] Shop — HTTP 503');
    expect(message.blocks[0]?.text.text).toBe('[DOWN] Shop — HTTP 503');
    expect(message.blocks[1]?.text.text.split('\n')).toEqual([
      ':red_circle: Shop is down.', '*Target:* https://shop.example/cart (HTTP)', '*Error:* Expected 200, got 503 (status_code)', '*Regions:* Europe West (Dublin), us, Berlin',
      '*Since:* 2026-03-01 03:14:15 UTC', '*Last good check:* 2026-03-01 03:13:15 UTC, in 241 ms',
    ]);
    expect(message.blocks[2]?.text.text).toBe('<https://watch.example/api/incidents/i1|Incident> · <https://watch.example/api/monitors/m1|Monitor>');
  });

  test('calls nobody and links nowhere at the word of a target', () => {
    const { text, blocks } = slackMessage(alertContent(hostile, BASE));
    const marked = [text, ...blocks.filter((block) => block.type === 'section').map((block) => block.text.text)];
    for (const one of marked) expect(one).not.toMatch(/<(?!https:\/\/watch\.example\/)/);
    expect(text).toContain('&lt;!channel&gt;');
    expect(blocks[0]?.text.type).toBe('plain_text');
  });

  test('stays within the limits of Slack', () => {
    const long = { ...hostile, monitor: { ...hostile.monitor, name: '<'.repeat(3000) }, error: { type: 'timeout', message: '&'.repeat(3000) } as const };
    const { blocks } = slackMessage(alertContent(long, BASE));
    expect(blocks[0]?.text.text.length).toBeLessThanOrEqual(150);
    for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3000);
    for (const block of blocks) expect(block.text.text.length).toBeGreaterThan(0);
  });
});

test.each([
  [0, '0 s'], [400, '0 s'], [-5, '0 s'], [999, '1 s'], [59_000, '59 s'], [60_000, '1 min'], [252_000, '4 min 12 s'], [3_600_000, '1 h'], [3_605_000, '1 h'],
  [7_380_000, '2 h 3 min'], [100_800_000, '1 d 4 h'], [86_400_000 * 40, '40 d'],
])('a span of %i ms reads %s', (span, text) => {
  expect(durationText(span)).toBe(text);
});

test.each([[0, '0 ms'], [241.4, '241 ms'], [999, '999 ms'], [1000, '1.0 s'], [2345, '2.3 s']])('a check of %i ms reads %s', (took, text) => {
  expect(responseText(took)).toBe(text);
});
