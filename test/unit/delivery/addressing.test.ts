import { describe, expect, test } from 'vitest';
import { subscribed } from '../../../controller/delivery/fan-out-rules.ts';
import type { Target, TargetFields } from '../../../controller/delivery/ports.ts';
import { lineOf, recipientsOf, shownRecipient } from '../../../controller/delivery/recipient-rules.ts';
import { signatureOf } from '../../../controller/delivery/signature.ts';
import { slackVerdict } from '../../../controller/delivery/senders/slack.ts';
import { webhookVerdict } from '../../../controller/delivery/senders/webhook.ts';
import { headerProblem, isReservedHeader } from '../../../controller/destinations/webhook-rules.ts';

function target(id: string, change: Partial<TargetFields> = {}): Target {
  return {
    id, organizationId: 'o', projectId: 'p', name: 'hook', type: 'webhook', enabled: true, secret: null, events: ['monitor.down', 'monitor.up'],
    config: { url: 'https://x.example/', method: 'POST', headers: [] }, ...change,
  };
}

test('an alert goes to those that are enabled and subscribe to its event', () => {
  const all = [target('a'), target('off', { enabled: false }), target('up', { events: ['monitor.up'] })];
  expect(subscribed(all, { event: 'monitor.down' }).map((one) => one.id)).toEqual(['a']);
  expect(subscribed(all, { event: 'monitor.up' }).map((one) => one.id)).toEqual(['a', 'up']);
});

describe('what a receiver does', () => {
  test.each([
    [200, 'sent'], [201, 'sent'], [204, 'sent'], [299, 'sent'], [301, 'dead'], [302, 'dead'], [307, 'dead'], [308, 'dead'], [304, 'dead'], [400, 'dead'], [404, 'dead'],
    [408, 'dead'], [410, 'dead'], [429, 'dead'], [500, 'retry'], [502, 'retry'], [503, 'retry'], [599, 'retry'],
  ])('by %i is %s', (status, kind) => {
    expect(webhookVerdict({ kind: 'answered', status, durationMs: 1, retryAfterMs: 60_000 }).kind).toBe(kind);
  });

  test('by not answering is worth a retry, where we must not go is not', () => {
    expect(webhookVerdict({ kind: 'failed', reason: 'connection refused', durationMs: 1 })).toMatchObject({ kind: 'retry', reason: 'connection refused' });
    expect(webhookVerdict({ kind: 'refused', reason: '127.0.0.1 is a loopback address' })).toMatchObject({ kind: 'dead', reason: 'not sent: 127.0.0.1 is a loopback address' });
    expect(webhookVerdict({ kind: 'busy' })).toEqual({ kind: 'busy' });
  });
});

describe('what Slack does', () => {
  test('by 429 is worth a retry after the time that it names', () => {
    expect(slackVerdict({ kind: 'answered', status: 429, durationMs: 1, retryAfterMs: 45_000 })).toMatchObject({ kind: 'retry', notWithinMs: 45_000 });
    expect(slackVerdict({ kind: 'answered', status: 429, durationMs: 1, retryAfterMs: null })).toMatchObject({ kind: 'retry', notWithinMs: 0 });
  });

  test.each([[200, 'sent'], [403, 'dead'], [404, 'dead'], [410, 'dead'], [500, 'retry']])('by %i is %s', (status, kind) => {
    expect(slackVerdict({ kind: 'answered', status, durationMs: 1, retryAfterMs: null }).kind).toBe(kind);
  });
});

test('mail is told to each address in an order of its own, all else in the order of the monitor', () => {
  const { type: _type, config: _config, ...fields } = target('a');
  const mail = { ...fields, type: 'email', config: { to: ['a@b.example', 'c@d.example'] } } as const;
  expect(recipientsOf({ ...mail, config: { to: [...mail.config.to] } })).toEqual(['a@b.example', 'c@d.example']);
  expect(recipientsOf({ ...fields, name: '#ops', type: 'slack', config: { webhook_url: 'https://hooks.example/secret' } })).toEqual(['#ops']);
  expect(lineOf({ monitor_id: 'm', channel: 'email', recipient: 'a@b.example' })).not.toBe(lineOf({ monitor_id: 'm', channel: 'email', recipient: 'c@d.example' }));
  expect(lineOf({ monitor_id: 'm', channel: 'webhook', recipient: 'https://old.example' })).toBe(lineOf({ monitor_id: 'm', channel: 'webhook', recipient: 'https://new.example' }));
});

test('the signature is that of openssl over timestamp, period and body', () => {
  // printf '1700000000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test
  expect(signatureOf('whsec_test', 1_700_000_000_000, Buffer.from('{"a":1}'))).toBe('sha256=33284ebef248a1f463f81384bfb39351b857cb4897c654b820611536fa084f1e');
});

test.each([
  ['https://hooks.example/', 'https://hooks.example'],
  ['https://hooks.example/in?token=abc', 'https://hooks.example/in'],
  ['https://hooks.example:8443/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXxxxx', 'https://hooks.example:8443/services/T00000000/B00000000/XXXX…'],
  ['https://hooks.example/webhooks/112233445566778899/abc', 'https://hooks.example/webhooks/1122…/abc'],
  ['https://hooks.example/incoming-notifications/team', 'https://hooks.example/incoming-notifications/team'],
])('the log shows %s as %s', (url, shown) => {
  expect(shownRecipient(url)).toBe(shown);
});

describe('a custom header', () => {
  test.each([['X-Team', 'ops'], ['Authorization', 'Bearer x'], ['X-Service-Signature', 'kept out later'], ['Content-Type', 'text/plain'], ['x', ''], ['A'.repeat(100), 'v'.repeat(1000)], ['X-Latin', 'é']])(
    '%s is accepted', (name, value) => expect(headerProblem(name, value)).toBeNull(),
  );
  test.each([
    ['', 'x'], ['A'.repeat(101), 'x'], ['X Team', 'x'], ['X:Team', 'x'], ['X-Ü', 'x'], ['X', 'v'.repeat(1001)], ['X', 'a\r\nB: c'], ['X', 'a\nb'], ['X', '\u0000'], ['X', '漢'],
    ['Host', 'evil'], ['Content-Length', '1'], ['transfer-encoding', 'chunked'], ['Connection', 'close'], ['Expect', '100-continue'], ['Upgrade', 'h2c'],
  ])('%s is refused', (name, value) => expect(headerProblem(name, value)).not.toBeNull());

  test('gives way to ours in any case', () => {
    for (const name of ['content-type', 'CONTENT-TYPE', 'X-Service-Event', 'x-service-anything', 'User-Agent']) expect(isReservedHeader(name)).toBe(true);
    for (const name of ['X-Servicex', 'X-Team', 'Accept']) expect(isReservedHeader(name)).toBe(false);
  });
});
