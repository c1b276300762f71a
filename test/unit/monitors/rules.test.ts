import { describe, expect, test } from 'vitest';
import { headerFaults } from '../../../controller/monitors/settings/header-rules.ts';
import { HTTP_DEFAULTS, resolveHttpSettings } from '../../../controller/monitors/settings/http.ts';
import { nextStatus, timeoutMs } from '../../../controller/monitors/monitor.ts';
import { nextCheckAt } from '../../../controller/monitors/slot-rules.ts';
import { storedTimeout } from '../../../controller/monitors/settable.ts';
import { httpTargetFault } from '../../../controller/monitors/target.ts';
import { newId } from '../../../shared/ids.ts';

describe('a target', () => {
  test.each([
    'http://a', 'https://shop.example:8443/p/q?x=[1]&y=%zz#frag', 'http://127.0.0.1', 'http://[::1]:3000/',
    'HTTPS://Shop.Example', 'https://münchen.example/ü',
    'http://localhost.', 'https://a/b c',
  ])('%s is accepted', (target) => expect(httpTargetFault(target)).toBeNull());
  test.each([
    '', 'a', '//a', 'http:a', 'http:/a', 'https:', 'ftp://a', 'file:///a', 'data:text/html,x',
    'javascript:alert(1)', 'ws://a', 'http://u@a', 'http://:p@a',
    'http://a\t.example', 'http://a/\r\n', 'http://a\\b', 'http://a b', 'http://a:65536', 'http://[::1',
    'http://\u0000a', 'http://a\u0085',
  ])('%j is rejected', (target) => expect(httpTargetFault(target)).not.toBeNull());
});

describe('headers of a check', () => {
  test('are accepted if names are tokens and values are printable', () => {
    expect(headerFaults({
      'X-A_b.c~1': 'v\tw ü', Accept: '', 'User-Agent': 'x', Cookie: 'a=b', Authorization: 'Bearer x',
    }))
      .toEqual([]);
  });
  test('are rejected by name', () => {
    expect(headerFaults({ 'X-A': 'a\r\nb', HOST: 'x' }).map(({ name }) => name)).toEqual(['X-A', 'HOST']);
  });
});

describe('HTTP settings', () => {
  test('prefer a new value, even null, over one that repeats the current value', () => {
    const current = { ...HTTP_DEFAULTS, body: 'x' };
    expect(resolveHttpSettings({ body: 'x', http_config: { body: '' } }, current).body).toBeNull();
    expect(resolveHttpSettings({ body: '', http_config: { body: 'x' } }, current).body).toBeNull();
    expect(resolveHttpSettings({ body: 'x', http_config: { body: 'x' } }, current).body).toBe('x');
  });
  test('reject two different new values', () => {
    expect(
      resolveHttpSettings({ headers: { A: 'b' }, http_config: { headers: { A: 'b' } } }, null).headers,
    ).toEqual({ A: 'b' });
    expect(
      () => resolveHttpSettings({ headers: { A: 'b' }, http_config: { headers: { A: 'c' } } }, null),
    ).toThrow('http_config.headers');
    expect(() => resolveHttpSettings({ expected_status: [200], expected_status_codes: [201] }, null)).toThrow(
      'http_config.expected_status_codes: ',
    );
  });
});

describe('the timeout', () => {
  test('follows the interval until it is set', () => {
    expect(timeoutMs({ timeout_ms: null, interval_seconds: 5 })).toBe(5000);
    expect(timeoutMs({ timeout_ms: null, interval_seconds: 60 })).toBe(10_000);
    expect(timeoutMs({ timeout_ms: 3000, interval_seconds: 60 })).toBe(3000);
  });
  test('still follows the interval after a request that repeats it', () => {
    const following = { timeout_ms: null, interval_seconds: 5 };
    expect(storedTimeout(5000, following)).toBeNull();
    expect(storedTimeout(4000, following)).toBe(4000);
    expect(storedTimeout(undefined, { timeout_ms: 4000, interval_seconds: 5 })).toBe(4000);
    expect(storedTimeout(null, { timeout_ms: 4000, interval_seconds: 5 })).toBeNull();
    expect(storedTimeout(10_000, null)).toBe(10_000);
  });
});

test('the next check is due within one interval, and sooner on average with more regions', () => {
  const now = 1_760_000_000_123;
  let one = 0;
  let four = 0;
  for (let n = 0; n < 200; n += 1) {
    const doc = { _id: newId(now + n), status: 'active', interval_seconds: 60 } as never;
    const next = nextCheckAt(doc, 1, now) as number;
    expect(next).toBeGreaterThanOrEqual(now);
    expect(next).toBeLessThanOrEqual(now + 60_000);
    one += next - now;
    four += (nextCheckAt(doc, 4, now) as number) - now;
  }
  expect(four).toBeLessThan(one / 2);
  expect(
    nextCheckAt({ _id: newId(now), status: 'paused', interval_seconds: 60 } as never, 1, now),
  ).toBeNull();
  expect(nextCheckAt(
    { _id: newId(now), status: 'active', type: 'HEARTBEAT', interval_seconds: 60 } as never, 1, now,
  ))
    .toBeNull();
});

test.each([
  ['active', 'pause', 'paused'], ['active', 'resume', 'same'], ['active', 'disable', 'disabled'],
  ['paused', 'pause', 'same'], ['paused', 'resume', 'active'], ['paused', 'disable', 'disabled'],
  ['disabled', 'pause', 'refused'], ['disabled', 'resume', 'active'], ['disabled', 'disable', 'same'],
] as const)('%s after %s: %s', (status, transition, next) => {
  expect(nextStatus(status, transition)).toBe(next);
});
