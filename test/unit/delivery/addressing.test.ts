import { describe, expect, test } from 'vitest';
import { lineOf, recipientsOf, subscribed } from '../../../controller/delivery/delivery-rules.ts';
import { sendOutcome, webhookSendOutcome } from '../../../controller/delivery/senders/send-alert.ts';
import { classify } from '../../../controller/destinations/channels/channel.ts';
import type { DestinationSettings } from '../../../controller/destinations/channels/registry.ts';
import { signatureOf } from '../../../controller/destinations/channels/webhook.ts';
import type { DestinationDoc, DestinationFields } from '../../../controller/destinations/destination.ts';
import { headerProblem, isReservedHeader } from '../../../controller/destinations/channels/webhook-headers.ts';

function destination(id: string, change: Partial<DestinationFields> = {}): DestinationDoc {
  return {
    _id: id, organization_id: 'o', project_id: 'p', created_by: 'u', name: 'hook', enabled: true,
    is_default: true, events: ['monitor.down', 'monitor.up'], secret: null, revision: 1,
    type: 'webhook', config: { url: 'https://x.example/', method: 'POST', headers: [] },
    created_at: 1, updated_at: 1, ...change,
  };
}

test('an alert goes to enabled destinations that subscribe to its event', () => {
  const off = destination('off', { enabled: false });
  const onlyUp = destination('up', { events: ['monitor.up'] });
  const all = [destination('a'), off, onlyUp];
  expect(subscribed(all, { event: 'monitor.down' }).map((one) => one._id)).toEqual(['a']);
  expect(subscribed(all, { event: 'monitor.up' }).map((one) => one._id)).toEqual(['a', 'up']);
});

describe('the outcome of a webhook', () => {
  test.each([
    [200, 'sent'], [201, 'sent'], [204, 'sent'], [299, 'sent'], [301, 'dead'], [302, 'dead'], [307, 'dead'],
    [308, 'dead'], [304, 'dead'], [400, 'dead'], [404, 'dead'], [408, 'dead'], [410, 'dead'], [429, 'dead'],
    [500, 'retry'], [502, 'retry'], [503, 'retry'], [599, 'retry'],
  ])('with status %i is %s', (status, kind) => {
    expect(webhookSendOutcome({ kind: 'responded', status, durationMs: 1, retryAfterMs: 60_000 }).kind).toBe(kind);
  });

  test('without a response is a retry', () => {
    const outcome = webhookSendOutcome({ kind: 'failed', reason: 'connection refused', durationMs: 1 });
    expect(outcome).toMatchObject({ kind: 'retry', reason: 'connection refused' });
  });

  test('at a forbidden address is final', () => {
    const outcome = webhookSendOutcome({ kind: 'refused', reason: '127.0.0.1 is a loopback address' });
    expect(outcome).toMatchObject({ kind: 'dead', reason: 'not sent: 127.0.0.1 is a loopback address' });
  });

  test('is busy while the controller has no capacity', () => {
    expect(webhookSendOutcome({ kind: 'busy' })).toEqual({ kind: 'busy' });
  });
});

describe('a channel of a vendor', () => {
  test('is retried after the delay in its 429', () => {
    const outcomeAfter = (retryAfterMs: number | null) => {
      return sendOutcome({ kind: 'responded', status: 429, durationMs: 1, retryAfterMs }, classify);
    };
    expect(outcomeAfter(45_000)).toMatchObject({ kind: 'retry', retryAfterMs: 45_000 });
    expect(outcomeAfter(null)).toMatchObject({ kind: 'retry', retryAfterMs: 0 });
  });

  test.each([
    [200, 'sent'], [403, 'dead'], [404, 'dead'], [410, 'dead'], [500, 'retry'],
  ])('response with status %i has the outcome %s', (status, kind) => {
    expect(sendOutcome({ kind: 'responded', status, durationMs: 1, retryAfterMs: null }, classify).kind).toBe(kind);
  });
});

test('an email destination has one recipient per address, a Slack destination its name', () => {
  const to = ['a@b.example', 'c@d.example'];
  expect(recipientsOf({ name: 'Mail', type: 'email', config: { to } })).toEqual(to);
  const slack = { type: 'slack', config: { webhook_url: 'https://hooks.example/secret' } } as const;
  expect(recipientsOf({ name: '#ops', ...slack })).toEqual(['#ops']);
});

test('deliveries of a monitor are sent in order, and emails in order for each recipient', () => {
  const line = (channel: 'email' | 'webhook', recipient: string) => {
    return lineOf({ _id: 'd', monitor_id: 'm', channel, recipient });
  };
  expect(line('email', 'a@b.example')).not.toBe(line('email', 'c@d.example'));
  expect(line('webhook', 'https://old.example')).toBe(line('webhook', 'https://new.example'));
});

test('the signature equals the HMAC by openssl over timestamp, period and body', () => {
  // printf '1700000000000.{"a":1}' | openssl dgst -sha256 -hmac whsec_test
  const expected = '33284ebef248a1f463f81384bfb39351b857cb4897c654b820611536fa084f1e';
  expect(signatureOf('whsec_test', 1_700_000_000_000, Buffer.from('{"a":1}'))).toBe(`sha256=${expected}`);
});

test.each([
  ['https://hooks.example/', 'https://hooks.example'],
  ['https://hooks.example/in?token=abc', 'https://hooks.example/in'],
  [
    'https://hooks.example:8443/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXxxxx',
    'https://hooks.example:8443/services/T00000000/B00000000/XXXX…',
  ],
  ['https://hooks.example/webhooks/112233445566778899/abc', 'https://hooks.example/webhooks/1122…/abc'],
  ['https://hooks.example/incoming-notifications/team', 'https://hooks.example/incoming-notifications/team'],
])('the log shows %s as %s', (url, shown) => {
  const hook: DestinationSettings = { type: 'webhook', config: { url, method: 'POST', headers: [] } };
  expect(recipientsOf({ name: 'hook', ...hook })).toEqual([shown]);
});

describe('a custom header', () => {
  test.each([
    ['X-Team', 'ops'], ['Authorization', 'Bearer x'], ['X-Service-Signature', 'replaced later'],
    ['Content-Type', 'text/plain'], ['x', ''], ['A'.repeat(100), 'v'.repeat(1000)], ['X-Latin', 'é'],
  ])('%s is accepted', (name, value) => expect(headerProblem(name, value)).toBeNull());

  test.each([
    ['', 'x'], ['A'.repeat(101), 'x'], ['X Team', 'x'], ['X:Team', 'x'], ['X-Ü', 'x'],
    ['X', 'v'.repeat(1001)], ['X', 'a\r\nB: c'],
    ['X', 'a\nb'], ['X', '\u0000'], ['X', '漢'], ['Host', 'evil'], ['Content-Length', '1'],
    ['transfer-encoding', 'chunked'], ['Connection', 'close'], ['Expect', '100-continue'], ['Upgrade', 'h2c'],
  ])('%s is rejected', (name, value) => expect(headerProblem(name, value)).not.toBeNull());

  test.each([
    'content-type', 'CONTENT-TYPE', 'X-Service-Event', 'x-service-anything', 'User-Agent',
  ])('%s is replaced with the value of the product', (name) => expect(isReservedHeader(name)).toBe(true));

  test.each(['X-Servicex', 'X-Team', 'Accept'])('%s is sent', (name) => {
    expect(isReservedHeader(name)).toBe(false);
  });
});
