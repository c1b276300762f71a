import { describe, expect, test } from 'vitest';
import type { AlertSnapshot } from '../../../controller/delivery/delivery.ts';
import { durationText, messageOf, subjectOf, webhookPayload } from '../../../controller/delivery/payload-rules.ts';

const at = Date.UTC(2026, 2, 1, 3, 14, 15);
const down: AlertSnapshot = {
  id: 'a1', event: 'monitor.down', monitor: { id: 'm1', name: 'Shop', target: 'https://shop.example/cart', type: 'HTTP' },
  incident: { id: 'i1', started_at: at, resolved_at: null }, error: { type: 'status_code', message: 'Status 503, expected 200' }, regions: ['eu-west', 'us-east'], at: at + 5000,
};
const up: AlertSnapshot = { ...down, event: 'monitor.up', error: null, incident: { id: 'i1', started_at: at, resolved_at: at + 252_000 } };

describe('the payload', () => {
  test('has the same shape for every event', () => {
    expect(webhookPayload(down, 42)).toEqual({
      version: '1', event: 'monitor.down', timestamp: 42, monitor: { id: 'm1', name: 'Shop', url: 'https://shop.example/cart', type: 'HTTP' },
      incident: { id: 'i1', started_at: at, resolved_at: null }, subject: subjectOf(down), message: messageOf(down),
    });
    expect(webhookPayload({ ...down, event: 'monitor.ssl_expiring', incident: null }, 42).incident).toBeNull();
    expect(webhookPayload(up, 42).incident).toEqual({ id: 'i1', started_at: at, resolved_at: at + 252_000 });
  });

  test('shows neither passwords nor heartbeat tokens', () => {
    const secret = { ...down, monitor: { ...down.monitor, target: 'https://user:pa%40ss@shop.example/@x?y=@z' } };
    expect(webhookPayload(secret, 1).monitor.url).toBe('https://shop.example/@x?y=@z');
    expect(messageOf(secret)).not.toContain('pa%40ss');
    const token = { ...down, monitor: { ...down.monitor, type: 'HEARTBEAT', target: '0123456789abcdef' } };
    expect(JSON.stringify(webhookPayload(token, 1))).not.toContain('456789');
  });
});

describe('the text', () => {
  test('of an outage says what, where, since when and the error', () => {
    expect(subjectOf(down)).toBe('[DOWN] Shop is down: Status 503, expected 200');
    expect(messageOf(down)).toBe(
      [
        'Shop is down.', 'Target: https://shop.example/cart (HTTP)', 'Error: Status 503, expected 200 (status_code)', 'Regions: eu-west, us-east',
        'Since: 2026-03-01 03:14:15 UTC', 'Incident: i1',
      ].join('\n'),
    );
  });

  test('of a recovery says how long it was down', () => {
    expect(subjectOf(up)).toBe('[UP] Shop is up again after 4 min 12 s');
    expect(messageOf(up)).toContain('Shop is up again after 4 min 12 s.');
    expect(messageOf(up)).toContain('Recovered: 2026-03-01 03:18:27 UTC');
  });

  test('is one line where a line is meant, whatever a target answered', () => {
    const hostile = { ...down, monitor: { ...down.monitor, name: 'Shop\r\nBcc: x@y' }, error: { type: 'status_code', message: '\u001b[31mred\nX-Evil: 1\u2028z' } as const };
    expect(subjectOf(hostile)).toBe('[DOWN] Shop Bcc: x@y is down: [31mred X-Evil: 1 z');
    expect(messageOf(hostile).split('\n')).toHaveLength(6);
  });

  test('has an end', () => {
    const long = { ...down, error: { type: 'status_code', message: '😀'.repeat(5000) } as const };
    expect(subjectOf(long).length).toBeLessThanOrEqual(200);
    expect(messageOf(long).length).toBeLessThanOrEqual(4000);
    expect(Buffer.from(subjectOf(long), 'utf8').toString('utf8')).toBe(subjectOf(long));
    expect(subjectOf(long)).not.toMatch(/[\ud800-\udbff]…$/);
  });
});

test.each([
  [0, '0 s'], [400, '0 s'], [-5, '0 s'], [999, '1 s'], [59_000, '59 s'], [60_000, '1 min'], [252_000, '4 min 12 s'], [3_600_000, '1 h'], [3_605_000, '1 h'],
  [7_380_000, '2 h 3 min'], [100_800_000, '1 d 4 h'], [86_400_000 * 40, '40 d'],
])('a span of %i ms reads %s', (span, text) => {
  expect(durationText(span)).toBe(text);
});
